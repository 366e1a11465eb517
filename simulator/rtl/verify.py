"""Simulator and RTL side by side: a session whose launches run on both, and the comparison (docs/cycle-accuracy.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.codec import IllegalWord
from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.text import disassemble
from accelkit.isa.units import QUEUED_UNITS
from accelkit.simulator.result import LaunchError, LaunchResult, Verdict
from accelkit.simulator.rtl.run import Memories, Rtl, RtlResult, rtl_of
from accelkit.simulator.session import DEFAULT_MAX_CYCLES, Session

_EVENTS = ("pc", "dispatch", "issue", "last beat", "completion")


@dataclass(frozen=True)
class Difference:
    """Where simulator and RTL differ first: what it is, at which instruction (pc -1: none in particular), and both values."""

    what: str
    simulator: str
    rtl: str
    pc: int = -1
    text: str = ""  # the instruction, with its source line if known

    def __str__(self) -> str:
        place = f"instruction {self.pc}: {self.text}\n  " if self.pc >= 0 else ""
        return f"{place}{self.what}: simulator {self.simulator}, RTL {self.rtl}"


@dataclass(frozen=True)
class Verification:
    """One launch on both sides. `is_compared` is False if the simulator's checker stopped it, which the RTL does not have."""

    program: str
    result: LaunchResult
    difference: Difference | None
    is_compared: bool = True

    def __str__(self) -> str:
        if not self.is_compared:
            return f"{self.program}: not compared, the simulator's checker stopped it"
        if self.difference is not None:
            return f"{self.program}: simulator and RTL differ\n  {self.difference}"
        ending = self.result.verdict.value
        return (
            f"{self.program}: simulator and RTL agree ({ending}, {self.result.cycles} cycles, {self.result.instructions}"
            " dispatches: every event, class, register and byte)"
        )


class VerifyingSession(Session):
    """A session that runs every launch on the RTL too; `verifications` has the outcomes in order.

    Without checks, whatever a program does is compared, all of DRAM included; with checks, DRAM up to the last declared buffer.
    `vcd_path` gets the waveform of each launch's control signals (the second launch's as `name.1.vcd`, and so on).
    """

    def __init__(self, machine: Machine | str, check: bool = True, vcd_path: Path | None = None) -> None:
        super().__init__(machine, check)
        self.verifications: list[Verification] = []
        self._rtl = Rtl(self.machine, vcd=True) if vcd_path else rtl_of(self.machine)
        self._vcd_path = vcd_path
        self._dram = np.zeros(self.machine.dram_bytes, np.uint8)

    def launch(
        self,
        program: Program,
        argument_words: Sequence[int] = (),
        max_cycles: int = DEFAULT_MAX_CYCLES,
        trace: bool = True,
    ) -> LaunchResult:
        """As `Session.launch`, and the same on the RTL; what differs stands in `verifications`. RtlError if there is no RTL."""
        end = self._end if self.is_checking else self.machine.dram_bytes
        self._dram[:end] = self.memories.dram[:end]
        memories = Memories(self._dram, self.memories.scratchpad.copy(), self.memories.accumulator.copy())
        error: LaunchError | None = None
        try:
            result = super().launch(program, argument_words, max_cycles, trace=True)
        except LaunchError as caught:
            error, result = caught, caught.result
        if result.verdict is Verdict.CHECKER_FAULT:
            self.verifications.append(Verification(program.name, result, None, is_compared=False))
        else:
            path = self._vcd_path
            if path is not None and self.verifications:
                path = path.with_suffix(f".{len(self.verifications)}{path.suffix}")
            rtl = self._rtl.run(program.words, argument_words, memories, max_cycles, vcd_path=path)
            difference = compare(program, result, self._seen(end), rtl, memories)
            self.verifications.append(Verification(program.name, result, difference))
        if error is not None:
            raise error
        return result

    def _seen(self, end: int) -> Memories:
        mine = self.memories
        return Memories(mine.dram[:end], mine.scratchpad, mine.accumulator)


def compare(
    program: Program, result: LaunchResult, memories: Memories, rtl: RtlResult, rtl_memories: Memories
) -> Difference | None:
    """The first difference between a traced launch of the simulator and the RTL's, each with the memories that it left.

    Of a port fault, class, instruction and cycle are compared, as nothing else is specified. DRAM is compared as far as
    `memories.dram` goes.
    """
    if Verdict.PORT_FAULT not in (result.verdict, rtl.verdict):
        assert result.trace is not None
        if difference := _event_difference(program, result.trace, rtl.trace):
            return difference
    if difference := _ending_difference(program, result, rtl):
        return difference
    if result.verdict is Verdict.PORT_FAULT:
        return None
    return next(_state_differences(result, memories, rtl, rtl_memories), None)


def _event_difference(program: Program, mine: NDArray[np.int64], rtl: NDArray[np.int64]) -> Difference | None:
    common = min(len(mine), len(rtl))
    places = np.argwhere(mine[:common] != rtl[:common])
    if len(places):
        row, column = (int(place) for place in places[0])
        pc = int(mine[row, 0])
        what = f"{_EVENTS[column]} (dispatch {row})"
        return Difference(what, str(mine[row, column]), str(rtl[row, column]), pc, _instruction(program, pc))
    if len(mine) != len(rtl):
        return Difference("instructions dispatched", str(len(mine)), str(len(rtl)))
    return None


def _ending_difference(program: Program, result: LaunchResult, rtl: RtlResult) -> Difference | None:
    mine, theirs = result.verdict.value, rtl.verdict.value
    pc = -1
    if result.fault is not None:
        pc = result.fault.pc
        mine += f": {result.fault.fault.name} at instruction {pc}, cycle {result.fault.cycle}"
    if rtl.fault:
        theirs += f": {rtl.fault.name} at instruction {rtl.fault_pc}, cycle {rtl.fault_cycle}"
    return Difference("verdict", mine, theirs, pc, _instruction(program, pc)) if mine != theirs else None


def _state_differences(
    result: LaunchResult, memories: Memories, rtl: RtlResult, rtl_memories: Memories
) -> Iterator[Difference]:
    if result.cycles != rtl.cycles:
        yield Difference("total cycles", str(result.cycles), str(rtl.cycles))
    for number, (mine, theirs) in enumerate(zip(result.registers, rtl.registers, strict=True)):
        if mine != theirs:
            yield Difference(f"register x{number}", f"{mine:#x}", f"{theirs:#x}")
    for unit in QUEUED_UNITS:
        for cls, cycles in result.units[unit].items():
            if cycles != rtl.units[unit][cls]:
                yield Difference(
                    f"{unit.name} cycles of class {cls.name}", str(cycles), str(rtl.units[unit][cls])
                )
    for sequencer_class, cycles in result.sequencer.items():
        if cycles != rtl.sequencer[sequencer_class]:
            what = f"sequencer cycles of class {sequencer_class.name}"
            yield Difference(what, str(cycles), str(rtl.sequencer[sequencer_class]))
    end = len(memories.dram)
    for name, left, right in (
        ("dram byte", memories.dram, rtl_memories.dram[:end]),
        ("scratchpad row, lane", memories.scratchpad, rtl_memories.scratchpad),
        ("accumulator row, lane", memories.accumulator, rtl_memories.accumulator),
    ):
        if not np.array_equal(left, right):
            place = tuple(int(i) for i in np.argwhere(left != right)[0])
            yield Difference(f"{name} {', '.join(map(str, place))}", str(left[place]), str(right[place]))


def _instruction(program: Program, pc: int) -> str:
    if not 0 <= pc < len(program.words):
        return "(outside the program)"
    try:
        text = disassemble(program.words[pc], pc)
    except IllegalWord:
        text = f"{program.words[pc]:#034x}"
    line = program.lines[pc]
    return f"{line.file}:{line.line}: {text}" if line is not None else text
