"""Random operand values of an instruction that fit the machine, with a bias to edges: last row, bank edges, page crossings,
misaligned addresses, counts of 1, steps of 0 and below, extreme zero points."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from accelkit.isa.machine import Machine
from accelkit.isa.row import Instruction, Kind, Memory
from accelkit.isa.walks import limited_counts, most_of, moves_words, row_bytes
from accelkit.simulator.generator.case import Buffer
from accelkit.simulator.generator.footprint import bank_rows, is_active, memory_size, span

Values = dict[str, int]
MEMORY_OF = {Kind.SCRATCHPAD: Memory.SCRATCHPAD, Kind.ACCUMULATOR: Memory.ACCUMULATOR, Kind.DRAM: Memory.DRAM}
ATTEMPTS = 20  # with random counts, and as many with the least ones, which fit wherever the bases are


def _bits(number: float) -> int:
    """The binary32 pattern of a number, as a signed word."""
    return int.from_bytes(struct.pack("<f", number), "little", signed=True)


REALS = tuple(
    map(_bits, (1.0, 0.5, 0.25, -1.5, 3.0, 1e-42, -1e-39, 1e30, -0.0, float("inf"), float("-inf"), float("nan")))
)


@dataclass
class Places:
    """Where operands may point: buffers, and places that earlier instructions used, which later ones like to meet."""

    buffers: Sequence[Buffer]
    parameter_blocks: Sequence[int]
    stay_in_buffers: float = 1.0
    most_rows: int = 120  # of one instruction, planes included
    recent: dict[Memory, list[int]] = field(default_factory=lambda: {memory: [] for memory in Memory})


def fits(row: Instruction, machine: Machine) -> bool:
    """Whether a machine's memories hold the parameter block or table of a row, so that it has valid instructions."""
    ones = {operand.name: 1 for operand in row.slots} | {flag.name: 0 for flag in row.flags}
    reaches = [(access.memory, span(row, access, ones, machine)) for access in row.accesses]
    return all(high - low < memory_size(memory, machine) for memory, (low, high) in reaches)


def choose(row: Instruction, machine: Machine, random: Random, places: Places) -> Values:
    """Operand values (counts and steps resolved, signed) and flags with which `row` is a valid instruction."""
    budget = min(random.choice((4, 12, 40, 40, 120)), places.most_rows)
    for attempt in range(2 * ATTEMPTS):
        values = {flag.name: random.randrange(2) for flag in row.flags}
        for operand in row.slots:
            if operand.kind is Kind.COUNT:
                is_least = attempt >= ATTEMPTS
                values[operand.name] = (
                    _least(row, operand.name) if is_least else _count(row, operand.name, machine, random, budget)
                )
                if operand.name != "bytes":
                    budget = max(1, budget // values[operand.name])
        _keep_limits(row, values, machine)
        for operand in row.slots:
            if operand.kind in (Kind.STEP, Kind.STRIDE):
                is_step = operand.kind is Kind.STEP
                values[operand.name] = (
                    _step(machine, random) if is_step else _stride(row, values, machine, random)
                )
            elif operand.kind in (Kind.BYTE, Kind.ZERO_POINT, Kind.WORD):
                is_unsigned = bool(values.get(operand.unsigned_flag))
                values[operand.name] = _value(operand.kind, is_unsigned, random)
        if "min" in values and values["min"] > values["max"]:
            values["min"], values["max"] = values["max"], values["min"]
        if _place(row, values, machine, random, places):
            return values
        budget = max(1, min(40, places.most_rows) // (attempt + 1))
    raise RuntimeError(f"{row.mnemonic}: found no operands that fit machine {machine.name}")


def _least(row: Instruction, name: str) -> int:
    return 4 if name == "bytes" and moves_words(row) else 1


def _count(row: Instruction, name: str, machine: Machine, random: Random, budget: int) -> int:
    if name == "bytes":
        width = row_bytes(row, machine)
        count = random.choice(
            (
                1,
                width,
                width - 1,
                width + 1,
                2 * width,
                random.randint(1, width),
                random.randint(1, 3 * width),
            )
        )
        return max(_least(row, name), count // 4 * 4) if moves_words(row) else count
    limits = [most_of(limit, machine) for limit in row.limits if limit.count == name]
    limit = min(limits, default=budget)
    return random.choice(
        (1, 1, 2, limit, random.randint(1, limit), random.randint(1, min(limit, 2 * machine.lanes)))
    )


def _keep_limits(row: Instruction, values: Values, machine: Machine) -> None:
    """Lower counts whose product is above its limit."""
    for limit in row.limits:
        left = most_of(limit, machine)
        for name in limited_counts(limit):
            values[name] = min(values[name], left)
            left //= values[name]


def _step(machine: Machine, random: Random) -> int:
    bank = bank_rows(Memory.SCRATCHPAD if random.random() < 0.7 else Memory.ACCUMULATOR, machine)
    return random.choice((1, 1, 1, 1, 2, 3, 0, -1, -2, bank, -bank, bank - 1, random.randint(-5, 20)))


def _stride(row: Instruction, values: Values, machine: Machine, random: Random) -> int:
    size = values["bytes"]
    edge = random.choice((machine.bus_bytes, machine.page_bytes))
    stride = random.choice(
        (size, size, size, size + 1, size + 4, 0, -size, edge, -edge, edge + 1, random.randint(-40, 80))
    )
    return stride // 4 * 4 if moves_words(row) else stride


def _value(kind: Kind, is_u8: bool, random: Random) -> int:
    if kind is Kind.WORD and random.random() < 0.6:
        return random.choice(REALS) if random.random() < 0.5 else _bits(random.uniform(-1, 1) * 2.0 ** random.randint(-9, 2))
    if kind is Kind.WORD:
        return random.choice((0, 1, -1, random.randint(-1000, 1000), random.randint(-(1 << 20), 1 << 20)))
    low, high = (0, 255) if is_u8 else (-128, 127)
    if kind is Kind.BYTE:
        low, high = -128, 255
    return random.choice((0, 0, low, high, random.randint(low, high)))


def _place(row: Instruction, values: Values, machine: Machine, random: Random, places: Places) -> bool:
    """Choose the bases; False if a walk is larger than what it walks over."""
    for operand in row.slots:
        if operand.kind not in MEMORY_OF:
            continue
        values[operand.name] = 0
        memory = MEMORY_OF[operand.kind]
        accesses = [
            access for access in row.accesses if access.base == operand.name and is_active(access, values)
        ]
        spans = [span(row, access, values, machine) for access in accesses]
        low, high = min(low for low, _ in spans), max(high for _, high in spans)
        is_write = any(access.is_write for access in accesses)
        first, size = _region(memory, high - low + 1, is_write, machine, random, places)
        if high - low >= size:
            return False
        base = _base(memory, first - low, first + size - 1 - high, machine, random, places)
        if operand.name == "params" and places.parameter_blocks and random.random() < 0.8:
            base = random.choice(places.parameter_blocks)
        if moves_words(row) and memory is Memory.DRAM:
            base = -(-base // 4) * 4
            if base + high >= first + size:
                return False
        values[operand.name] = base
    return True


def _region(
    memory: Memory, span: int, is_write: bool, machine: Machine, random: Random, places: Places
) -> tuple[int, int]:
    """First place and size of what a walk may cover: the memory, or one buffer that is large enough (and writable)."""
    if memory is not Memory.DRAM or random.random() >= places.stay_in_buffers:
        return 0, memory_size(memory, machine)
    fitting = [b for b in places.buffers if b.nbytes >= span and (b.is_writable or not is_write)]
    if not fitting:
        return 0, 0
    buffer = random.choice(fitting)
    return buffer.address, buffer.nbytes


def _base(memory: Memory, low: int, high: int, machine: Machine, random: Random, places: Places) -> int:
    """A base in low..high: an end, near a bank or page edge, where an earlier instruction was, or anywhere."""
    edge = (
        bank_rows(memory, machine)
        if memory is not Memory.DRAM
        else random.choice((machine.page_bytes, machine.bus_bytes))
    )
    near_edge = random.randint(low // edge, high // edge + 1) * edge + random.randint(-2, 2)
    wanted = random.choice((low, high, near_edge, near_edge, random.randint(low, high)))
    if places.recent[memory] and random.random() < 0.5:
        wanted = random.choice(places.recent[memory][-6:])
    base = min(max(wanted, low), high)
    places.recent[memory].append(base)
    return base
