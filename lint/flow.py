"""The flow graph of a program and what holds on every path of it, whatever the arguments.

An indirect jump may lead anywhere, unless the register holds nothing but return addresses; so only what no path allows is reported.
"""

from collections.abc import Sequence

from accelkit.isa.registers import ABI_NAMES
from accelkit.isa.row import Kind
from accelkit.lint.finding import Finding
from accelkit.lint.words import Code, Word


def _is_relative(word: Word) -> bool:
    return any(operand.kind is Kind.TARGET for operand in word.row.operands)


def successors(code: Code) -> list[tuple[int, ...]]:
    """Where each instruction can lead; numbers outside the program are kept."""
    everywhere = tuple(range(len(code)))
    links: dict[int, list[int]] = {}  # return addresses that a register gets
    others = 0  # registers that get anything else, as a bit set
    for pc, word in enumerate(code):
        if word is not None and word.rd:
            if word.row.execute == "jump":
                links.setdefault(word.rd, []).append(pc + 1)
            else:
                others |= word.writes
    found: list[tuple[int, ...]] = []
    for pc, word in enumerate(code):
        if word is None or word.row.execute in ("halt", "trap"):
            found.append(())
        elif word.row.execute == "branch":
            found.append((pc + 1, pc + word.imm))
        elif word.row.execute != "jump":
            found.append((pc + 1,))
        elif _is_relative(word):
            found.append((pc + word.imm,))
        elif word.rs1 == 0:
            found.append((word.imm,))
        elif others & 1 << word.rs1 or word.imm:
            found.append(everywhere)
        else:
            found.append(tuple(links.get(word.rs1, ())))
    return found


def flow_findings(code: Code) -> list[Finding]:
    """Unreachable code, registers that nothing can have written, paths that leave the program."""
    following = successors(code)
    written = _written_before(code, following)
    found = []
    for pc, word in enumerate(code):
        known = written[pc]
        if known is None:
            if pc == 0 or written[pc - 1] is not None:
                found.append(Finding("W0801", _unreachable(written, pc), pc))
        elif word is not None:
            for register in range(1, 32):
                if word.reads & ~known & 1 << register:
                    found.append(Finding("W0802", f"{ABI_NAMES[register]} is read, but nothing has written it", pc))
            for target in following[pc]:
                if not 0 <= target < len(code):
                    how = "is the last instruction and does not end the program"
                    if target != len(code) or pc != target - 1:
                        how = f"leads to instruction {target} of a program of {len(code)}"
                    found.append(Finding("W0804", f"'{word.row.mnemonic}' {how}", pc))
    return found


def _unreachable(written: Sequence[int | None], pc: int) -> str:
    count = next((n for n, known in enumerate(written[pc:]) if known is not None), len(written) - pc)
    return f"nothing leads to {'this instruction' if count == 1 else f'these {count} instructions'}"


def _written_before(code: Code, following: Sequence[tuple[int, ...]]) -> list[int | None]:
    """For each instruction the registers that some path to it writes, as a bit set; None if no path leads to it."""
    written: list[int | None] = [None] * len(code)
    if not code:
        return written
    written[0] = 0
    everywhere = 0  # what any indirect jump brings along
    has_indirect = False
    todo = [0]
    while todo:
        pc = todo.pop()
        word, known = code[pc], written[pc]
        if word is None or known is None:
            continue
        after = known | word.writes
        if len(following[pc]) == len(code) > 2:  # one set for all of them keeps this linear
            if has_indirect and not after & ~everywhere:
                continue
            has_indirect, everywhere = True, everywhere | after
            after = everywhere
        for target in following[pc]:
            if 0 <= target < len(code):
                before = written[target]
                if before is None or after & ~before:
                    written[target] = after | (before or 0)
                    todo.append(target)
    return written
