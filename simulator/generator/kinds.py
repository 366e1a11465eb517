"""The kinds of cases and how each is put together from straight pieces, loops, scalar code, faulty instructions and damage."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from accelkit.isa.codec import CODEC
from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.row import Instruction, Kind
from accelkit.isa.table import IMM, OPCODE, TABLE, fields
from accelkit.isa.units import CHANNELS, PORT_UNIT, Port, Unit, channels_posted, channels_waited
from accelkit.simulator.generator.builder import MAX_CYCLES, TENSOR_ROWS, Builder, Policy
from accelkit.simulator.generator.case import Case, Step
from accelkit.simulator.generator.control import append_control
from accelkit.simulator.generator.faulty import DISPATCH_FAULTS, append_faulty
from accelkit.simulator.generator.memory import make_image
from accelkit.simulator.generator.operands import choose
from accelkit.simulator.generator.pair import append_pair
from accelkit.simulator.generator.pipeline import append_pipeline

WORD_MASK = (1 << 128) - 1


@dataclass(frozen=True)
class KindRule:
    """How a kind of case is written: probabilities, whether memories are warm, and the function that writes the steps."""

    write: Callable[[Builder, int], None]
    policy: Policy = field(default_factory=Policy)
    cold: float = 0.2


def generate(machine: Machine, kind: str, seed: int, length: int = 30) -> Case:
    """A random case of a kind in KINDS with about `length` tensor instructions. It depends on nothing but the arguments."""
    rule = KINDS[kind]
    random = Random(f"{kind}/{seed}/{length}/{machine.digest}")
    image = make_image(machine, random, is_warm=random.random() >= rule.cold)
    builder = Builder(machine, random, rule.policy, image)
    rule.write(builder, length)
    steps = tuple(builder.steps[: machine.instruction_words])
    return Case(
        kind=kind,
        seed=seed,
        machine=machine,
        steps=steps,
        argument_words=tuple(builder.arguments),
        dram=image.dram,
        scratchpad=image.scratchpad,
        accumulator=image.accumulator,
        scratchpad_marks=image.scratchpad_marks,
        accumulator_marks=image.accumulator_marks,
        buffers=image.buffers,
        max_cycles=builder.max_cycles,
    )


def _pieces(builder: Builder, length: int) -> None:
    """Straight pieces and loops over straight pieces, without a halt."""
    random = builder.random
    while length > 0:
        size = random.randint(1, min(length, 20))
        shape = random.random()
        if shape < 0.15 and append_pipeline(builder, random.randint(1, 4)):
            length -= 12
        elif shape < 0.3:
            _loop(builder, min(size, 6), random.randint(1, 3))
            length -= size
        else:
            for _ in range(size):
                builder.tensor()
                if random.random() < 0.03:
                    builder.fence()
            length -= size
        if random.random() < 0.15:
            append_control(builder, random.randint(1, 4))


def _loop(builder: Builder, size: int, count: int) -> None:
    """A loop whose iterations are kept apart by fences, so that order within one iteration suffices."""
    random = builder.random
    counter = builder.free_register()
    builder.emit("li", rd=counter, imm=count)
    builder.reserved.add(counter)
    builder.emit("fence")
    builder.restart()
    first = len(builder.steps)
    for _ in range(size):
        builder.tensor()
    builder.emit("fence")
    builder.emit("addi", rd=counter, rs1=counter, imm=-1)
    builder.emit(random.choice(("bne", "bltu", "blt")), first, rs1=0, rs2=counter)
    builder.reserved.discard(counter)
    builder.restart()


def _straight(builder: Builder, length: int) -> None:
    _pieces(builder, length)
    builder.emit("halt")


def _long(builder: Builder, length: int) -> None:
    """Loops that dispatch more than the simulator handles in one go, and more tokens at once than it has room for at first."""
    random = builder.random
    builder.places.most_rows = 6
    if not append_pipeline(builder, random.randint(50, 80)):
        _loop(builder, 3, random.randint(200, 300))
    _pile_tokens(builder, random.randint(17, 70))
    _pieces(builder, length)
    _loop(builder, 2, random.randint(100, 200))
    builder.emit("halt")


def _pile_tokens(builder: Builder, count: int) -> None:
    """Post `count` tokens on one channel, then take them all."""
    channel = builder.random.choice([channel for channel in CHANNELS if channel.producer is not Port.PRELOAD])
    counter = builder.free_register()
    builder.emit("fence")
    for unit, mask in (
        (PORT_UNIT[channel.producer], {"post": 1 << channel.post_bit}),
        (channel.consumer, {"wait": 1 << channel.wait_bit}),
    ):
        builder.emit("li", rd=counter, imm=count)
        first = builder.emit(f"sync.{unit.name.lower()}", **mask)
        builder.emit("addi", rd=counter, rs1=counter, imm=-1)
        builder.emit("bne", first, rs1=counter, rs2=0)
    builder.emit("fence")
    builder.restart()


def _dispatch_fault(builder: Builder, length: int) -> None:
    """A program that comes to a faulty instruction, or to its end without a halt, and what follows there."""
    fault = builder.random.choice(DISPATCH_FAULTS)
    if fault is not Fault.NO_WEIGHTS:
        _pieces(builder, builder.random.randint(0, length))
    if fault is Fault.FETCH and builder.random.random() < 0.3:
        return
    append_faulty(builder, fault)
    builder.restart()
    for _ in range(builder.random.randint(0, 3)):
        builder.tensor()
    if builder.random.random() < 0.5:
        builder.emit("halt")


def _port_edge(builder: Builder, length: int) -> None:
    """Pairs of instructions in which the second issues just when the first has given up a bank port, or just before."""
    builder.places.most_rows = 12
    for _ in range(length // 4):
        append_pair(builder, builder.random.choice((1, 1, 1, 2)))
    append_pair(builder, builder.random.choice((0, 0, -1)))
    builder.emit("halt")


def _deadlock(builder: Builder, length: int) -> None:
    """An ordered program with a few posts lost, or waits too many."""
    _straight(builder, length)
    random = builder.random
    tensor = _tensor_steps(builder)
    posting = [n for n in tensor if builder.steps[n].values.get("post")]
    for _ in range(random.randint(1, 3)):
        if posting and random.random() < 0.6:
            number = random.choice(posting)
            _change(builder, number, "post", builder.steps[number].values["post"] & random.getrandbits(6))
        else:
            number = random.choice(tensor)
            channels = len(channels_waited(TABLE.by_mnemonic[builder.steps[number].mnemonic].unit))
            wait = builder.steps[number].values.get("wait", 0) | 1 << random.randrange(channels)
            _change(builder, number, "wait", wait)


def _loose_tokens(builder: Builder, length: int) -> None:
    """Tokens that nothing takes, or that a later or an earlier instruction waits for: some come to an end, some do not."""
    _straight(builder, length)
    random = builder.random
    tensor = _tensor_steps(builder)
    for _ in range(random.randint(1, 3)):
        poster = random.choice(tensor)
        channel = random.choice(channels_posted(_row(builder.steps[poster]).port or Port.LOAD))
        _change(builder, poster, "post", builder.steps[poster].values.get("post", 0) | 1 << channel.post_bit)
        waiters = [n for n in tensor if _row(builder.steps[n]).unit is channel.consumer and n > poster - 20]
        if waiters and random.random() < 0.7:
            waiter = (
                random.choice([n for n in waiters if n > poster] or waiters)
                if random.random() < 0.8
                else waiters[0]
            )
            _change(
                builder, waiter, "wait", builder.steps[waiter].values.get("wait", 0) | 1 << channel.wait_bit
            )


def _tensor_steps(builder: Builder) -> list[int]:
    return [number for number, step in enumerate(builder.steps) if step.mnemonic and _row(step).is_tensor]


def _row(step: Step) -> Instruction:
    return TABLE.by_mnemonic[step.mnemonic]


def _change(builder: Builder, number: int, name: str, value: int) -> None:
    step = builder.steps[number]
    builder.steps[number] = replace(step, values={**step.values, name: value})


def _control(builder: Builder, length: int) -> None:
    """Mostly scalar code, with some tensor work and often a cycle bound."""
    for _ in range(max(1, length // 6)):
        append_control(builder, builder.random.randint(1, 12))
        for _ in range(builder.random.randint(0, 2)):
            builder.tensor()
    _bound(builder, 0)


def _bound(builder: Builder, length: int) -> None:
    """A cycle bound somewhere in the program, or a program without end, or a bound about where the sequencer waits for ever."""
    random = builder.random
    if random.random() < 0.25:
        _stuck(builder)
        return
    _pieces(builder, length)
    bounds = (1, 2, 20, 200, random.randint(1, 1000), MAX_CYCLES, MAX_CYCLES)
    builder.max_cycles = random.choice(bounds)
    if random.random() < 0.3:
        builder.max_cycles = min(builder.max_cycles, 2000)
        builder.emit("jal", len(builder.steps) - random.randint(0, 2), rd=0)
    builder.emit("halt")


def _stuck(builder: Builder) -> None:
    """An instruction that never issues, work of another unit, and a fence or a full queue behind."""
    random = builder.random
    for _ in range(random.choice((1, builder.machine.queue_depth))):
        builder.emit("sync.vector", wait=1 << random.randrange(len(channels_waited(Unit.VECTOR))))
    fill = TABLE.by_mnemonic[random.choice(("fill.b", "fill.w"))]
    values = choose(fill, builder.machine, random, builder.places)
    dispatch = builder.tensor(fill, values)  # nothing stalls before
    last = dispatch + values["rows"] * values["planes"] + builder.machine.dram_read_latency_cycles
    builder.emit(random.choice(("fence", "sync.vector")))
    builder.emit("halt")
    builder.max_cycles = random.choice((MAX_CYCLES, random.randint(1, last), last, last + 1, last + 2))


def _raw(builder: Builder, length: int) -> None:
    """Words of random bits, most of them with a known opcode and reserved bits clear, between the remains of a program."""
    random = builder.random
    for number in range(1, 32):
        builder.emit("li", rd=number, imm=random.choice((0, 1, 2, 3, 4, 8, 16, 64, random.randrange(256))))
    first = len(builder.steps)
    for _ in range(length):
        builder.tensor()
    words = [step.encode(place) for place, step in enumerate(builder.steps)]
    for place in range(first, len(words)):
        if random.random() < 0.1:
            builder.steps[place] = Step(word=_flip_bit(words[place], random))
        elif random.random() < 0.15:
            builder.steps[place] = Step(word=_raw_word(random))
    builder.max_cycles = 3000


def _flip_bit(word: int, random: Random) -> int:
    """The word with one bit changed, mostly in a field so that it stays an instruction."""
    if random.random() < 0.02:
        return word ^ 1 << random.randrange(128)
    named = [bits for bits in fields(CODEC.decode(word).row) if bits.name not in ("", OPCODE.name, IMM.name)]
    bits = random.choice(named or [OPCODE])
    return word ^ 1 << random.randrange(bits.lsb, bits.lsb + bits.width)


def _raw_word(random: Random) -> int:
    bits = random.getrandbits(128)
    style = random.random()
    if style < 0.01:
        return bits
    row = random.choice(TENSOR_ROWS if random.random() < 0.5 else TABLE.rows)
    word = bits >> 8 << 8 | row.opcode
    for bit_field in fields(row):
        is_token = bit_field.name in ("wait", "post") and random.random() < 0.8
        if is_token or (not bit_field.name and style < 0.99):
            word &= WORD_MASK ^ bit_field.mask
        elif bit_field.name == IMM.name and random.random() < 0.95:
            limit = 4 if any(operand.kind is Kind.TARGET for operand in row.operands) else 64
            word = word & (WORD_MASK ^ bit_field.mask) | random.randrange(limit) << bit_field.lsb
    return word


KINDS: Mapping[str, KindRule] = {
    "race_free": KindRule(_straight),
    "racy": KindRule(_straight, Policy(order_rows=0.5, order_banks=1.0)),
    "port_fault": KindRule(_straight, Policy(order_rows=0.98, order_banks=0.6)),
    "port_edge": KindRule(_port_edge, cold=0.0),
    "deadlock": KindRule(_deadlock),
    "loose_tokens": KindRule(_loose_tokens, Policy(order_rows=0.9, order_banks=1.0)),
    "dispatch_fault": KindRule(_dispatch_fault),
    "uninitialised": KindRule(_straight, Policy(read_written=0.7), cold=1.0),
    "outside_buffers": KindRule(_straight, Policy(stay_in_buffers=0.75, read_written=0.9), cold=0.0),
    "careless": KindRule(
        _straight, Policy(order_rows=0.95, order_banks=0.97, read_written=0.97, stay_in_buffers=0.97)
    ),
    "control": KindRule(_control, Policy(scalar_noise=0.5)),
    "bound": KindRule(_bound, Policy(scalar_noise=0.3)),
    "long": KindRule(_long, cold=0.0),
    "raw": KindRule(_raw, Policy(order_rows=0.5, order_banks=0.5), cold=0.0),
}
