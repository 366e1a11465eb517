"""Two instructions of different units on one bank port, so far apart that the second issues at the edge of what the first holds."""

from accelkit.isa.machine import Machine
from accelkit.isa.row import Access, Instruction, Memory
from accelkit.isa.units import Port, Unit
from accelkit.isa.walks import level_count
from accelkit.simulator.generator.builder import Builder
from accelkit.simulator.generator.footprint import Footprint, footprints, is_active
from accelkit.simulator.generator.operands import Values, choose

ATTEMPTS = 60
VECTOR_STAGES = {
    "requantise": 6,
    "depthwise": 7,
    "average": 7,
    "add.b": 8,
    "multiply.b": 8,
    "quantise": 30,
    "dequantise": 4,
}
FEWEST_STAGES = 2


def append_pair(builder: Builder, distance: int) -> None:
    """Append a pair between fences. The second is to issue `distance` cycles after the last one in which the first holds the port: at 0
    or below that is a port fault. Where DMA misses its page the first takes longer, and so it may be anyway."""
    random, machine = builder.random, builder.machine
    exact = [row for row in builder.rows if all(access.memory is not Memory.DRAM for access in row.accesses)]
    for _ in range(ATTEMPTS):
        first = random.choice(exact if random.random() < 0.7 else builder.rows)
        second = random.choice(builder.rows)
        if first.unit is second.unit or (
            not builder.has_weights and "run" in (first.mnemonic, second.mnemonic)
        ):
            continue
        values = choose(first, machine, random, builder.places)
        others = choose(second, machine, random, builder.places)
        held = _shared_port(first, values, footprints(second, others, machine), machine)
        if held is None:
            continue
        wait = _hold_cycles(first, held, values, machine) + distance - 1
        if random.random() < 0.3 and {access.memory for access in first.accesses} >= {Memory.DRAM}:
            wait += machine.page_miss_cycles
        _emit(builder, (first, values), (second, others), max(0, wait))
        return


def _shared_port(
    row: Instruction, values: Values, others: list[Footprint], machine: Machine
) -> Access | None:
    """The access of an instruction that uses a bank port that another instruction uses too."""
    accesses = [access for access in row.accesses if is_active(access, values)]
    for access, mine in zip(accesses, footprints(row, values, machine), strict=True):
        if any(mine.shares_port(other) for other in others):
            return access
    return None


def _hold_cycles(row: Instruction, access: Access, values: Values, machine: Machine) -> int:
    """Cycles from issue to the last one in which the access holds its port (docs/adr/0003), without page misses and with one beat for
    each on-chip row of a DMA."""
    beats = values.get("rows", 1) * values.get("planes", 1)
    preface = sum(
        level_count(row, level.count, values, machine)
        for other in row.accesses
        if other.hold_end == "preface"
        for level in other.levels
    )
    if row.port is Port.PRELOAD:
        beats = machine.array_rows
    elif row.unit is Unit.VECTOR:
        taps = values["lines"] * values["columns"] if "lines" in values else 2 if "right" in values else 1
        beats = preface + beats * taps
    last = beats - 1
    latency = {
        Port.LOAD: machine.dram_read_latency_cycles,
        Port.STORE: machine.dram_write_latency_cycles,
        Port.PRELOAD: 1,
        Port.RUN: machine.array_rows + machine.array_columns + 1,
        Port.VECTOR: VECTOR_STAGES.get(row.mnemonic, FEWEST_STAGES),
    }
    assert row.port is not None
    complete = last + latency[row.port]
    ends = {
        "last": last,
        "complete": complete,
        "accumulate": complete - 1,
        "preface": preface - 1,
    }
    return ends[access.hold_end]


def _emit(
    builder: Builder, first: tuple[Instruction, Values], second: tuple[Instruction, Values], idle_cycles: int
) -> None:
    """Both instructions, with all registers loaded before the first and idle cycles between."""
    registers = builder.operand_registers(*first)
    others = builder.operand_registers(*second, keep=registers.values())
    builder.emit("fence")
    for (row, values), numbers in ((first, registers), (second, others)):
        if row is second[0]:
            for _ in range(idle_cycles):
                builder.emit("addi", rd=0, rs1=0, imm=0)
        builder.emit(row.mnemonic, **numbers, **{flag.name: values[flag.name] for flag in row.flags})
        builder.has_weights |= row.mnemonic == "preload"
        builder.mark_written(footprints(row, values, builder.machine))
    builder.emit("fence")
    builder.order.fence()
