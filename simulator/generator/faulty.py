"""Instructions that raise a dispatch fault of a given class, most of them by as little as possible."""

from collections.abc import Callable, Mapping

from accelkit.isa.faults import Fault
from accelkit.isa.row import MAX_COUNT, Instruction, Kind, Memory
from accelkit.isa.table import FLAG_LSB, TABLE
from accelkit.isa.walks import limited_counts, most_of, moves_words
from accelkit.simulator.generator.builder import TENSOR_ROWS, Builder
from accelkit.simulator.generator.case import Step
from accelkit.simulator.generator.footprint import is_active, memory_size, span
from accelkit.simulator.generator.operands import MEMORY_OF, Values, choose


def append_faulty(builder: Builder, fault: Fault) -> None:
    """Append an instruction (and what it needs) that raises `fault`, or an earlier class of the same instruction."""
    if fault in _SCALAR:
        _SCALAR[fault](builder)
        return
    row = builder.random.choice([row for row in builder.rows if _applies(fault, row)])
    values = choose(row, builder.machine, builder.random, builder.places)
    break_values(builder, row, values, fault)
    if builder.random.random() < 0.2:  # two faults: which is first?
        also = builder.random.choice([other for other in _BROKEN_KINDS if _applies(other, row)])
        break_values(builder, row, values, also)
    registers: dict[str, int] = {}
    for operand in row.slots:
        default = 1 if operand.kind in (Kind.COUNT, Kind.STEP) else 0
        is_default = values[operand.name] == default
        registers[operand.name] = (
            0 if is_default else builder.register(values[operand.name], registers.values())
        )
    builder.emit(row.mnemonic, **registers, **{flag.name: values[flag.name] for flag in row.flags})


def _applies(fault: Fault, row: Instruction) -> bool:
    """Whether instructions of a row can raise a fault."""
    if fault is Fault.SHAPE:
        return bool(row.limits)
    if fault is Fault.NO_WEIGHTS:
        return row.mnemonic == "run"
    if fault is Fault.ALIGNMENT:
        return moves_words(row)
    return any(operand.kind in _BROKEN_KINDS[fault] for operand in row.slots)


def break_values(builder: Builder, row: Instruction, values: Values, fault: Fault) -> None:
    """Change operand values so that the instruction is a fault of that class."""
    random = builder.random
    if fault is Fault.NO_WEIGHTS:
        return
    names = [operand.name for operand in row.slots if operand.kind in _BROKEN_KINDS[fault]]
    if fault is Fault.COUNT:
        values[random.choice(names)] = random.choice((0, MAX_COUNT + 1, 1 << 31, -1))
    elif fault is Fault.SHAPE:
        limit = random.choice(row.limits)
        most = most_of(limit, builder.machine)
        for name in limited_counts(limit):
            values[name] = 1
        values[random.choice(limited_counts(limit))] = most + random.choice((1, 1, 2, 1000))
    elif fault is Fault.VALUE:
        name = random.choice(names)
        is_zero_point = row.operand(name).kind is Kind.ZERO_POINT
        is_unsigned = is_zero_point and values.get(row.operand(name).unsigned_flag)
        low, high = (0, 255) if is_unsigned else (-128, 127 if is_zero_point else 255)
        values[name] = random.choice((low - 1, high + 1, 1 << 30, -1 << 31))
        if "min" in values and random.random() < 0.5:
            values["zp"], values["max"] = 0, random.randint(-128, 254)
            values["min"] = values["max"] + 1
    elif fault is Fault.ALIGNMENT:
        name = random.choice([name for name in names if name in ("dram", "bytes", "stride", "plane_stride")])
        values[name] += random.randint(1, 3)
    else:
        _leave_memory(builder, row, values, _RANGE[fault])


def _leave_memory(builder: Builder, row: Instruction, values: Values, memory: Memory) -> None:
    """Move the base of a walk just past an end of its memory, or take it there by a huge count or step."""
    limited = {name for limit in row.limits for name in limited_counts(limit)}
    counts = [o.name for o in row.slots if o.kind is Kind.COUNT and o.name not in limited]
    steps = [o.name for o in row.slots if o.kind in (Kind.STEP, Kind.STRIDE)]
    if counts and builder.random.random() < 0.3:
        values[builder.random.choice(counts)] = MAX_COUNT - MAX_COUNT % 4 if moves_words(row) else MAX_COUNT
        if steps and builder.random.random() < 0.7:
            values[builder.random.choice(steps)] = builder.random.choice(
                (-1 << 31, (1 << 31) - 4, 1 << 16, -4096)
            )
    names = [operand.name for operand in row.slots if MEMORY_OF.get(operand.kind) is memory]
    name = builder.random.choice(names)
    access = next(access for access in row.accesses if access.base == name and is_active(access, values))
    low, high = span(row, access, values, builder.machine)
    unit = 4 if moves_words(row) and memory is Memory.DRAM else 1
    below, above = -low - unit, memory_size(memory, builder.machine) - high - 1 + unit
    values[name] = builder.random.choice((below, above, above, above // unit * unit, above + 1000 * unit))


def _fetch(builder: Builder) -> None:
    place = builder.random.choice((1 << 20, -8, 1 << 31))
    if builder.random.random() < 0.5:
        builder.emit(
            "jalr", rd=builder.free_register(), rs1=builder.register(place), imm=builder.random.choice((0, 5))
        )
    else:
        builder.emit("jal", rd=0, imm=-len(builder.steps) - builder.random.randint(1, 3))


def _illegal(builder: Builder) -> None:
    random = builder.random
    word = random.getrandbits(128)
    if random.random() < 0.5:
        row = random.choice(TENSOR_ROWS)
        word = row.opcode | 1 << random.choice((FLAG_LSB + len(row.flags), 32 + 5 * len(row.slots), 127))
    elif random.random() < 0.5:
        word = random.choice([code for code in range(256) if code not in TABLE.by_opcode]) | word >> 8 << 8
    builder.steps.append(Step(word=word))


def _trap(builder: Builder) -> None:
    builder.emit("trap", imm=builder.random.choice((0, 1, 3, (1 << 32) - 1)))


def _argument(builder: Builder) -> None:
    """The first argument that the launch does not pass; the program gets no more arguments after this."""
    count = len(builder.arguments)
    builder.takes_arguments = False
    if builder.random.random() < 0.5:
        builder.emit("larg", rd=builder.free_register(), rs1=0, imm=count)
    else:
        builder.emit("larg", rd=builder.free_register(), rs1=builder.register(count + 5), imm=-5)


_SCALAR: Mapping[Fault, Callable[[Builder], None]] = {
    Fault.FETCH: _fetch,
    Fault.ILLEGAL: _illegal,
    Fault.TRAP: _trap,
    Fault.ARGUMENT: _argument,
}
_RANGE = {
    Fault.SCRATCHPAD_RANGE: Memory.SCRATCHPAD,
    Fault.ACCUMULATOR_RANGE: Memory.ACCUMULATOR,
    Fault.DRAM_RANGE: Memory.DRAM,
}
_BROKEN_KINDS: Mapping[Fault, tuple[Kind, ...]] = {
    Fault.COUNT: (Kind.COUNT,),
    Fault.VALUE: (Kind.ZERO_POINT, Kind.BYTE),
    Fault.SHAPE: (Kind.COUNT,),
    Fault.NO_WEIGHTS: (Kind.COUNT,),
    Fault.ALIGNMENT: (Kind.DRAM, Kind.COUNT, Kind.STRIDE),
    Fault.SCRATCHPAD_RANGE: (Kind.SCRATCHPAD,),
    Fault.ACCUMULATOR_RANGE: (Kind.ACCUMULATOR,),
    Fault.DRAM_RANGE: (Kind.DRAM,),
}
DISPATCH_FAULTS = (*_SCALAR, *_BROKEN_KINDS)
