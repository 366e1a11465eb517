"""The lint's codes: what each finding is called, why it matters, and the usual fix (docs/lint.md lists them, `--explain` prints one)."""

from typing import NamedTuple


class Code(NamedTuple):
    """`title` is a short name, `meaning` a sentence or two, `fix` what usually helps."""

    title: str
    meaning: str
    fix: str


CODES = {
    "W0801": Code("unreachable code", "No path from the first instruction leads here.", "delete it, or branch to it"),
    "W0802": Code(
        "register read before written",
        "The register still holds the 0 of the launch: no instruction before this one has written it.",
        "write it first, or name x0 if 0 is meant",
    ),
    "W0803": Code("token never used", "A declared token name stands in no wait and no post.", "delete the declaration"),
    "W0804": Code(
        "the program can leave its end",
        "Execution reaches the end of the program without halt, or jumps outside it: a fetch fault.",
        "end every path with halt",
    ),
    "W0805": Code(
        "senseless allowance",
        "A comment allows a finding that is not there, or a code that the lint does not have.",
        "delete the comment",
    ),
    "W0901": Code(
        "missing wait",
        "A place is read, or written again, by one unit while nothing makes it wait for the write of another.",
        "post a token where it is written, wait for it where it is used",
    ),
    "W0902": Code(
        "missing credit",
        "A place is overwritten by one unit while another may still read what it holds.",
        "post a token where it is read, wait for it before writing; prime the channel once per half of the place",
    ),
    "W0903": Code(
        "bank conflict",
        "Two units use the same port of a scratchpad or accumulator bank in no order; where they meet in time, the machine faults.",
        "use different banks, or order the two by a token",
    ),
    "W0904": Code("read of what nothing wrote", "A row or byte is read that no instruction has written.", "load or fill it first"),
    "W0905": Code(
        "token waited for and never posted",
        "Fewer posts than waits on a channel: the waiting unit stops for ever.",
        "post the token, or drop the wait",
    ),
    "W0906": Code(
        "token posted and never waited for",
        "More posts than waits on a channel: tokens are left at halt.",
        "wait for it (a sync before halt takes credits back), or drop the post",
    ),
    "W0907": Code(
        "deadlock by order",
        "A token is waited for whose post can't happen: it stands behind what waits, in a full queue or behind a fence.",
        "move the post before the wait in program order",
    ),
    "W0908": Code(
        "redundant token",
        "Without these posts and waits every conflicting access is still ordered, in all cases.",
        "drop them, or declare a case that needs them",
    ),
    "W0909": Code(
        "dead load",
        "What the instruction writes on chip is never read, in any case.",
        "drop it; if a later launch reads it, allow the finding with that reason",
    ),
    "W0910": Code(
        "access outside a buffer",
        "DRAM bytes that belong to no declared argument, or a store to an input.",
        "check address, bytes and strides",
    ),
    "W0911": Code("the case faults", "The sequencer stops at a dispatch fault.", "correct the operands, or the case"),
}
