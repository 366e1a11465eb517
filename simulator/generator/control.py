"""Scalar code: arithmetic on extreme values, counted loops, branches of every condition, calls, arguments, `rdcycle`."""

from accelkit.isa.registers import REGISTER_COUNT
from accelkit.simulator.generator.builder import Builder

EXTREMES = (0, 1, 2, -1, 31, 32, (1 << 31) - 1, -(1 << 31), 255, -128)
CONDITIONS = ("beq", "bne", "blt", "bge", "bltu", "bgeu")


def append_control(builder: Builder, count: int) -> None:
    """Append `count` random constructs. What registers held before is forgotten; reserved registers keep their values."""
    for _ in range(count):
        builder.random.choice((_arithmetic, _arithmetic, _skip, _count_down, _call, _read))(builder)
    builder.held = {0: 0}


def _arithmetic(builder: Builder) -> None:
    builder.emit("li", rd=builder.free_register(), imm=builder.random.choice(EXTREMES))
    for _ in range(builder.random.randint(1, 4)):
        builder.noise()


def _skip(builder: Builder) -> None:
    """A forward branch, taken or not, over a few scalar instructions."""
    registers = [builder.random.randrange(REGISTER_COUNT) for _ in range(2)]
    branch = builder.emit(
        builder.random.choice(CONDITIONS), rs1=registers[0], rs2=registers[builder.random.randrange(2)]
    )
    for _ in range(builder.random.randint(0, 3)):
        builder.noise()
    builder.retarget(branch, len(builder.steps))


def _count_down(builder: Builder) -> None:
    """A loop that ends after a few rounds, whatever its body computes."""
    counter = builder.free_register()
    builder.emit("li", rd=counter, imm=builder.random.randint(1, 5))
    builder.reserved.add(counter)
    first = len(builder.steps)
    for _ in range(builder.random.randint(0, 3)):
        builder.noise()
    builder.emit("addi", rd=counter, rs1=counter, imm=-1)
    condition, rs1, rs2 = builder.random.choice(
        (("bne", counter, 0), ("bltu", 0, counter), ("blt", 0, counter))
    )
    builder.emit(condition, first, rs1=rs1, rs2=rs2)
    builder.reserved.discard(counter)


def _call(builder: Builder) -> None:
    """A call of a subroutine that stands in line: jump over it, then into it and back."""
    link = builder.free_register()
    over = builder.emit("jal", rd=0)
    entry = len(builder.steps)
    builder.reserved.add(link)
    builder.noise()
    builder.emit("jalr", rd=0, rs1=link, imm=0)
    builder.reserved.discard(link)
    builder.retarget(over, len(builder.steps))
    builder.emit("jal", entry, rd=link)


def _read(builder: Builder) -> None:
    """The cycle counter, or an argument by an index that wraps."""
    rd = builder.free_register()
    if builder.arguments and builder.random.random() < 0.6:
        index = builder.random.randrange(len(builder.arguments))
        shift = builder.random.choice((0, 7, -7))
        builder.emit("larg", rd=rd, rs1=builder.register(shift, {rd}), imm=index - shift)
    else:
        builder.emit("rdcycle", rd=rd)
