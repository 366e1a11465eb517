"""Findings of the cases: runs each, judges all of them together, and says what the places in the program have to do with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from accelkit.isa.program import Program
from accelkit.isa.registers import ABI_NAMES
from accelkit.isa.row import Memory
from accelkit.isa.units import CHANNELS
from accelkit.lint.cases import Setup
from accelkit.lint.coverage import uncovered
from accelkit.lint.effort import TENSOR_STEPS, Effort
from accelkit.lint.finding import Finding, Place, Report, Token
from accelkit.lint.groups import Group, Pair, groups_of, pairs_of
from accelkit.lint.order import Conflict, Judge, Judgement
from accelkit.lint.run import Run, run_cases
from accelkit.lint.schedule import FENCE
from accelkit.lint.sequencer import End, Trace
from accelkit.lint.shadow import Shadow
from accelkit.lint.stuck import stuck_findings
from accelkit.lint.words import Code

MOST_LANES = 64  # groups of tokens that are tried out in one pass
SYNC_CODES = ("W0901", "W0902", "W0903", "W0905", "W0906", "W0907")


@dataclass
class Findings:
    """Findings by what they say, so that each stands once with all its cases."""

    found: dict[tuple[object, ...], Finding] = field(default_factory=dict)

    def add(self, finding: Finding, case: str) -> None:
        """Note a finding of a case. Of the same code at the same places the first text stays."""
        key = (finding.code, *finding.pcs)
        known = self.found.get(key)
        if known is None:
            self.found[key] = finding._replace(cases=(case,))
        elif case not in known.cases:
            self.found[key] = known._replace(cases=(*known.cases, case))


def case_report(program: Program, code: Code, setups: Sequence[Setup], effort: Effort) -> Report:
    """Findings of all cases, which of them halt, and what they leave open. A case for which the effort does not suffice is left out."""
    runs = run_cases(code, setups, effort)
    halting = [run.setup.name for run in runs if run.has_ended]
    report = Report(uncovered=uncovered(program, code, runs), cases=halting)
    whole = [run for run in runs if run.trace.end is not End.CUT]
    report.findings = case_findings(whole, code, report, effort, is_complete=len(whole) == len(runs))
    return report


def case_findings(runs: Sequence[Run], code: Code, report: Report, effort: Effort, is_complete: bool) -> list[Finding]:
    """All findings that rest on traces. What is said of all cases together is said only if they are complete."""
    findings = Findings()
    groups = groups_of({pair for run in runs for pair in pairs_of(run.trace, run.made)})
    judge = _JudgeAll(runs, effort)
    is_needed, judged = judge([[group] for group in groups[:MOST_LANES]])
    for first in range(MOST_LANES, len(groups), MOST_LANES):
        is_needed += judge([[group] for group in groups[first : first + MOST_LANES]])[0]
    for run, judgement in zip(runs, judged, strict=True):
        for finding in [*_of_judgement(run, judgement), *_of_sequencer(run, code), *stuck_findings(run.trace, run.made)]:
            findings.add(finding, run.setup.name)
    found = list(findings.found.values())
    is_judged_whole = is_complete and all(run.has_ended for run in runs)
    if is_judged_whole and not any(finding.code in SYNC_CODES for finding in found):
        spare = [group for group, needed in zip(groups, is_needed, strict=True) if not needed]
        found += [_redundant(group, runs) for group in _jointly_spare(judge, [], spare)]
    if judge.is_given_up:
        report.uncovered.append("not all tokens were tried for being redundant, that takes long: accel-lint tries them")
    return found + (_dead_writes(runs, judged) if is_complete else [])


class _JudgeAll:
    """Judges all cases with one lane for each set of groups that is left out; says which sets some case needs. When the effort is spent,
    every further set counts as needed."""

    def __init__(self, runs: Sequence[Run], effort: Effort) -> None:
        self.is_given_up = False
        self._runs = runs
        self._effort = effort
        self._steps = 0  # the first pass is paid for: its tensor instructions were counted when they were dispatched

    def __call__(self, left_out: Sequence[Sequence[Group]]) -> tuple[list[bool], list[Judgement]]:
        if self._steps and not self._effort.take(self._steps):
            self.is_given_up = True
            return [True] * len(left_out), []
        self._steps = TENSOR_STEPS * sum(len(run.trace.tensors) for run in self._runs)
        lanes: dict[Pair, list[int]] = {}
        for lane, groups in enumerate(left_out, 1):
            for group in groups:
                for post in group.posts:
                    for wait in group.waits:
                        lanes.setdefault((group.channel, post, wait), []).append(lane)
        needed = np.zeros(len(left_out) + 1, np.bool_)
        judged = []
        for run in self._runs:
            setup = run.setup
            shadow = Shadow(setup.machine, setup.buffers, setup.initialised, setup.written_bytes)
            judgement = Judge(run.trace, run.made, shadow, lanes, len(left_out)).run()
            needed |= judgement.is_needed
            judged.append(judgement)
        return needed[1:].tolist(), judged


def _jointly_spare(judge: _JudgeAll, accepted: list[Group], candidates: Sequence[Group]) -> list[Group]:
    """Of groups that can be left out one at a time, as many as can be left out together, the first ones first: `accepted` and what is
    added to it. What a set needs a larger one needs too, so halves are tried as a whole before their members."""
    if not candidates:
        return accepted
    (is_needed,), _ = judge([[*accepted, *candidates]])
    if not is_needed:
        return [*accepted, *candidates]
    if len(candidates) == 1:
        return accepted
    half = len(candidates) // 2
    return _jointly_spare(judge, _jointly_spare(judge, accepted, candidates[:half]), candidates[half:])


def _of_judgement(run: Run, judgement: Judgement) -> list[Finding]:
    tensors = run.trace.tensors
    conflicts = judgement.conflicts
    found = [
        _conflict(run.trace, conflict)
        for (first, second, is_bank), conflict in conflicts.items()
        if not (is_bank and (first, second, False) in conflicts)
    ]
    raced = {(tensors[end].pc, c.memory) for c in conflicts.values() if not c.is_bank for end in (c.first, c.second)}
    for number, walk, row in judgement.unwritten:
        tensor = tensors[number]
        if (tensor.pc, walk.memory) not in raced:  # what writes the row may come first
            what = f"{_row_text(walk.memory, row)}, which nothing has written"
            found.append(Finding("W0904", f"'{tensor.row.mnemonic}' reads {what}", tensor.pc))
    for number, text in judgement.outside:
        tensor = tensors[number]
        found.append(Finding("W0910", f"'{tensor.row.mnemonic}' leaves the buffers: {text}", tensor.pc))
    return found


def _row_text(memory: Memory, row: int) -> str:
    return f"DRAM byte {row:#x}" if memory is Memory.DRAM else f"{memory.name.lower()} row {row}"


def _conflict(trace: Trace, conflict: Conflict) -> Finding:
    first, second = trace.tensors[conflict.first], trace.tensors[conflict.second]
    one, other = f"'{first.row.mnemonic}'", f"'{second.row.mnemonic}'"
    where = _row_text(conflict.memory, conflict.place)
    if conflict.is_bank:
        port = f"the {'write' if conflict.first_writes else 'read'} port of {conflict.memory.name.lower()} bank {conflict.place}"
        code, message = "W0903", f"{other} may use {port} while {one} holds it"
        role = f"used here, by the {first.unit.name.lower()} unit; nothing orders the two"
    elif not conflict.first_writes:
        code, message = "W0902", f"{other} may overwrite {where} while {one} still reads it"
        role = f"read here, by the {first.unit.name.lower()} unit; nothing orders the two"
    else:
        verb = "overwrite" if conflict.second_writes else "read"
        code, message = "W0901", f"{other} may {verb} {where} before {one} has written it"
        role = f"written here, by the {first.unit.name.lower()} unit; nothing orders the two"
    return Finding(code, message, second.pc, (Place(first.pc, role),), token=Token(first.pc, second.pc))


def _of_sequencer(run: Run, code: Code) -> list[Finding]:
    trace = run.trace
    found = [
        Finding("W0802", f"{ABI_NAMES[register]} is read, but nothing has written it", pc) for pc, register in sorted(trace.unwritten)
    ]
    if trace.end is End.FAULT and run.made.blocked is None:
        word = code[trace.last_pc] if trace.last_pc < len(code) else None
        name = f"'{word.row.mnemonic}'" if word else "the sequencer"
        kind = trace.fault.name.lower().replace("_", " ")
        pc = trace.last_pc if trace.last_pc < len(code) else len(code) - 1
        found.append(Finding("W0911", f"{name} stops the case: {kind}: {trace.detail}", pc))
    return found


def _redundant(group: Group, runs: Sequence[Run]) -> Finding:
    channel = CHANNELS[group.channel]
    where = [Place(pc, f"posted here: {channel.post_text}") for pc in group.posts]
    where += [Place(pc, f"also waited for here: {channel.wait_text}") for pc in group.waits[1:]]
    message = f"this wait for {channel.wait_text} orders nothing that is not ordered without it"
    names = tuple(run.setup.name for run in runs)
    return Finding("W0908", message, group.waits[0], tuple(where), cases=names, drop=(group.posts, group.waits, group.channel))


def _dead_writes(runs: Sequence[Run], judged: Sequence[Judgement]) -> list[Finding]:
    """Instructions that write on chip, and of all that they write in all cases nothing is read."""
    dead: dict[int, Finding] = {}
    alive: set[int] = set()
    for run, judgement in zip(runs, judged, strict=True):
        for number in run.made.order:
            if number == FENCE:
                continue
            tensor = run.trace.tensors[number]
            if not any(walk.is_write and walk.memory is not Memory.DRAM for walk in tensor.walks):
                continue
            if judgement.used[number] or not run.has_ended:
                alive.add(tensor.pc)
            else:
                message = f"nothing reads what '{tensor.row.mnemonic}' writes"
                known = dead.get(tensor.pc)
                names = (*(known.cases if known else ()), run.setup.name)
                dead[tensor.pc] = Finding("W0909", message, tensor.pc, cases=tuple(dict.fromkeys(names)))
    return [finding for pc, finding in sorted(dead.items()) if pc not in alive]



