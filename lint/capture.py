"""Tensor instructions as the sequencer captures them: operand values, accesses, tokens, and the dispatch faults of docs/adr/0003."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.row import MAX_COUNT, Instruction, Kind, Memory
from accelkit.isa.units import Port, Unit, channels_posted, channels_waited
from accelkit.isa.walks import level_count, limited_counts, most_of
from accelkit.lint.walk import Walk, memory_size, walk_of
from accelkit.lint.words import Word

_UNSIGNED = (Kind.COUNT, Kind.SCRATCHPAD, Kind.ACCUMULATOR, Kind.DRAM)
_RANGE = {
    Memory.SCRATCHPAD: Fault.SCRATCHPAD_RANGE,
    Memory.ACCUMULATOR: Fault.ACCUMULATOR_RANGE,
    Memory.DRAM: Fault.DRAM_RANGE,
}
FaultFound = tuple[Fault, str]


@dataclass(frozen=True, eq=False)
class Captured:
    """A dispatched tensor instruction. Instances with the same place and operands are the same object."""

    pc: int
    row: Instruction
    unit: Unit
    port: Port
    walks: tuple[Walk, ...]
    waits: tuple[int, ...]  # numbers of channels
    posts: tuple[int, ...]


class Capturer:
    """Reads operands and tests them. Remembers instructions, for loops capture the same ones again and again."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.has_weights = False
        self._known: dict[tuple[int, ...], Captured] = {}

    def capture(self, pc: int, word: Word, registers: Sequence[int]) -> Captured | FaultFound:
        """The instruction, or the first dispatch fault with the value seen and what was expected."""
        row, fields = word.row, word.values
        lacks_weights = Fault.NO_WEIGHTS in row.faults and not self.has_weights
        self.has_weights |= row.port is Port.PRELOAD
        key = (pc, *[registers[register] for register in word.slots])
        if key in self._known:
            return self._known[key]
        values = {operand.name: _value(operand.kind, fields[operand.name], registers) for operand in row.slots}
        values |= {flag.name: fields[flag.name] for flag in row.flags}
        if fault := self._operand_fault(row, values):
            return fault
        if lacks_weights:
            return Fault.NO_WEIGHTS, "the array has no weights yet"
        found = [walk_of(row, access, values, self.machine) for access in row.accesses]
        walks = tuple(walk for walk in found if walk is not None)
        if fault := self._aligned_fault(row, values) or self._range_fault(walks):
            return fault
        assert row.port is not None
        waits = tuple(c.number for c in channels_waited(row.unit) if fields["wait"] >> c.wait_bit & 1)
        posts = tuple(c.number for c in channels_posted(row.port) if fields["post"] >> c.post_bit & 1)
        self._known[key] = Captured(pc, row, row.unit, row.port, walks, waits, posts)
        return self._known[key]

    def _operand_fault(self, row: Instruction, values: Mapping[str, int]) -> FaultFound | None:
        for operand in row.slots:
            value = values[operand.name]
            if operand.kind is Kind.COUNT and not 1 <= value <= MAX_COUNT:
                return Fault.COUNT, f"{operand.name} = {value}, expected 1..{MAX_COUNT}"
        for operand in row.slots:
            value = values[operand.name]
            low, high = (0, 255) if values.get(operand.unsigned_flag) else (-128, 127)
            if operand.kind is Kind.BYTE:
                low, high = -128, 255
            if operand.kind in (Kind.BYTE, Kind.ZERO_POINT) and not low <= value <= high:
                return Fault.VALUE, f"{operand.name} = {value}, expected {low}..{high}"
        if {"min", "max"} <= values.keys() and values["min"] > values["max"]:
            return Fault.VALUE, f"min = {values['min']} is above max = {values['max']}"
        for limit in row.limits:
            count, most = level_count(row, limit.count, values, self.machine), most_of(limit, self.machine)
            if count > most:
                return Fault.SHAPE, f"{' * '.join(limited_counts(limit))} = {count}, the limit is {most}"
        return None

    def _aligned_fault(self, row: Instruction, values: Mapping[str, int]) -> FaultFound | None:
        if Fault.ALIGNMENT in row.faults:
            for operand in row.slots:
                is_bytes = operand.kind in (Kind.DRAM, Kind.STRIDE) or operand.name == "bytes"
                if is_bytes and values[operand.name] % 4:
                    return Fault.ALIGNMENT, f"{operand.name} = {values[operand.name]} is no multiple of 4"
        return None

    def _range_fault(self, walks: Sequence[Walk]) -> FaultFound | None:
        for walk in sorted(walks, key=lambda walk: walk.memory):
            last = memory_size(walk.memory, self.machine) - 1
            if walk.low < 0 or walk.high > last:
                seen = walk.low if walk.low < 0 else walk.high
                thing = "byte" if walk.memory is Memory.DRAM else "row"
                return _RANGE[walk.memory], f"the walk reaches {thing} {seen}; {thing}s are 0..{last}"
        return None


def _value(kind: Kind, register: int, registers: Sequence[int]) -> int:
    """An operand's value at dispatch; x0 as a count or a step means 1."""
    if register == 0:
        return int(kind in (Kind.COUNT, Kind.STEP))
    value = registers[register]
    return value if kind in _UNSIGNED or not value & 0x80000000 else value - (1 << 32)
