"""Cases as the sequencer needs them: a machine, argument words, and where the declared buffers lie in DRAM."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelkit.isa.files import is_file
from accelkit.isa.machine import Machine, MachineError, load_machine
from accelkit.isa.program import ANY_SIZE, DTYPES, KEPT_SETTING, Argument, ArgumentKind, Case, Program

ELEMENT_BYTES = {dtype: int(name.lstrip("uintfloa")) // 8 for dtype, name in DTYPES.items()}


class CaseError(ValueError):
    """A case that can't be set up; the text says why."""


@dataclass(frozen=True)
class Buffer:
    """A declared range of DRAM, bytes `address` to `address + nbytes - 1`."""

    name: str
    address: int
    nbytes: int
    is_writable: bool
    is_initialised: bool

    def holds(self, low: int, high: int) -> bool:
        """Whether all bytes from low to high lie in it."""
        return self.address <= low and high < self.address + self.nbytes


@dataclass(frozen=True)
class Setup:
    """All that a trace depends on. `initialised` are marks of scratchpad and accumulator rows (False: none), `written_bytes` (address,
    bytes) of writable buffers that the host has written."""

    name: str
    machine: Machine
    arguments: tuple[int, ...]
    buffers: tuple[Buffer, ...]
    initialised: tuple[Any, Any] = (False, False)
    written_bytes: tuple[tuple[int, int], ...] = ()


def set_up(program: Program, case: Case, folder: Path) -> Setup:
    """Machine, words and buffers of a case; CaseError if there is no such machine, or the program does not fit it. A machine file is
    looked for in `folder`, that of the source."""
    try:
        beside = folder / case.machine
        machine = load_machine(beside if is_file(beside) else case.machine)
    except MachineError as error:
        raise CaseError(str(error)) from error
    for what, needed, limit in (
        ("instructions", len(program.words), machine.instruction_words),
        ("arguments", len(program.arguments), machine.argument_words),
    ):
        if needed > limit:
            raise CaseError(f"{needed} {what}; {machine.name} has memory for {limit}")
    values = dict(case.values)
    buffers = {buffer.name: buffer for buffer in _lay_out(program.arguments, values, machine)}
    words = [buffers[a.name].address if a.name in buffers else values[a.name] for a in program.arguments]
    is_kept = KEPT_SETTING in values and all(argument.name != KEPT_SETTING for argument in program.arguments)
    return Setup(case.name, machine, tuple(words), tuple(buffers.values()), (is_kept and values[KEPT_SETTING] == 1, False))


def _lay_out(arguments: tuple[Argument, ...], values: dict[str, int], machine: Machine) -> list[Buffer]:
    """Buffers in order of the arguments, each aligned as a session aligns it; those of open size share what is left evenly."""
    declared = [argument for argument in arguments if argument.kind is not ArgumentKind.VALUE]
    sizes = {argument.name: _nbytes(argument, values) for argument in declared}
    alignment = max(machine.bus_bytes, 64)
    known = sum(-(-size // alignment) * alignment for size in sizes.values() if size is not None)
    open_count = sum(size is None for size in sizes.values())
    if known + open_count * alignment > machine.dram_bytes:
        raise CaseError(f"its buffers take {known} bytes; {machine.name} has DRAM of {machine.dram_bytes}")
    share = (machine.dram_bytes - known) // max(1, open_count) // alignment * alignment
    buffers = []
    address = 0
    for argument in declared:
        size = sizes[argument.name]
        nbytes = share if size is None else size
        is_initialised = argument.kind is not ArgumentKind.OUT
        buffers.append(Buffer(argument.name, address, nbytes, argument.kind is not ArgumentKind.IN, is_initialised))
        address += -(-nbytes // alignment) * alignment
    return buffers


def _nbytes(argument: Argument, values: dict[str, int]) -> int | None:
    if ANY_SIZE in argument.shape:
        return None
    sizes = [values[size] if isinstance(size, str) else size for size in argument.shape]
    if min(sizes, default=0) < 0:
        raise CaseError(f"buffer {argument.name} would have a negative size")
    return max(1, math.prod(sizes) * ELEMENT_BYTES[argument.dtype])
