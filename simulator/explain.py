"""What went wrong in a launch, for a person: where, what was seen, what was expected, the likely fix."""

from collections.abc import Iterator

from accelkit.isa.codec import IllegalWord
from accelkit.isa.faults import FAULTS, Fault
from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.row import Memory
from accelkit.isa.table import TABLE
from accelkit.isa.text import disassemble
from accelkit.isa.units import QUEUED_UNITS, Channel, SequencerClass, Unit, channels_waited
from accelkit.isa.walks import limited_counts
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.result import FaultReport, LaunchResult, Verdict
from accelkit.simulator.sanitiser.detail import places_text


def where(program: Program, pc: int) -> str:
    """`file:line:column` of an instruction, or the program and the instruction's number where the line is not known."""
    line = program.lines[pc] if 0 <= pc < len(program.lines) else None
    return f"{line.file}:{line.line}:{line.column}" if line else f"{program.name}: instruction {pc}"


def instruction(program: Program, pc: int) -> str:
    """An instruction's text, or what stands in its place."""
    if not 0 <= pc < len(program.words):
        return "(no instruction there)"
    try:
        return disassemble(program.words[pc])
    except IllegalWord as error:
        return f"({error})"


def describe(
    program: Program, machine: Machine, result: LaunchResult, run: st.Launch, shadow: mem.Shadow
) -> str:
    """Text of a launch that did not halt."""
    if result.verdict is Verdict.DEADLOCK:
        return _deadlock(program, result, run)
    if result.verdict is Verdict.BOUND:
        pc = int(run.timing.fault_pc)
        limit = int(run.timing.max_cycles)
        return (
            f"{where(program, pc)}: cycle bound: the program had not ended after {limit} cycles; it was about to dispatch\n"
            f"    {instruction(program, pc)}\nlikely fix: look for a loop that never ends, or raise the bound (--max-cycles)"
        )
    assert result.fault is not None
    fault = result.fault
    text = FAULTS[fault.fault]
    if result.verdict is Verdict.DISPATCH_FAULT:
        unit, detail = Unit.SEQUENCER.name.lower(), _dispatch_detail(program, result, run)
    elif result.verdict is Verdict.PORT_FAULT:
        unit, detail = _unit_of(program, fault.pc), _port_detail(machine, run)
    else:
        unit, detail = _unit_of(program, fault.pc), _checker_detail(program, run, shadow, fault)
    story = fault.detail.lines if fault.detail else ()
    return "\n".join(
        [
            f"{where(program, fault.pc)}: {result.verdict.value}: {text.meaning}",
            f"    {instruction(program, fault.pc)}",
            f"at cycle {fault.cycle}, {unit} unit: {detail}",
            *(f"  {line}" for line in story),
            f"likely fix: {(fault.detail and fault.detail.fix) or text.fix}",
        ]
    )


def _unit_of(program: Program, pc: int) -> str:
    row = TABLE.by_opcode[program.words[pc] & 0xFF]
    return row.unit.name.lower()


def _dispatch_detail(program: Program, result: LaunchResult, run: st.Launch) -> str:
    assert result.fault is not None
    timing = run.timing
    value, limit, place = int(timing.fault_value), int(timing.fault_limit), int(timing.fault_place)
    fault, pc = result.fault.fault, result.fault.pc
    if fault is Fault.FETCH:
        return f"instruction {value} of a program of {limit}"
    if fault is Fault.ILLEGAL:
        return f"the word {program.words[pc]:#034x} is no instruction"
    if fault is Fault.TRAP:
        return f"code {value}"
    if fault is Fault.ARGUMENT:
        return f"argument word {value}, the launch passed {limit}"
    if fault is Fault.NO_WEIGHTS:
        return "the array has no weights yet"
    row = TABLE.by_opcode[program.words[pc] & 0xFF]
    name = row.slots[place].name
    if fault in (Fault.SCRATCHPAD_RANGE, Fault.ACCUMULATOR_RANGE, Fault.DRAM_RANGE):
        thing = "byte" if fault is Fault.DRAM_RANGE else "row"
        return f"the walk of {name} reaches {thing} {value}; {thing}s are 0..{limit}"
    if fault is Fault.ALIGNMENT:
        return f"{name} = {value} is no multiple of {limit}"
    if fault is Fault.SHAPE:
        bounded = next(names for names in map(limited_counts, row.limits) if names[0] == name)
        return f"{' * '.join(bounded)} = {value}, the limit is {limit}"
    if fault is Fault.COUNT:
        return f"{name} = {value}, expected 1..{limit}"
    if fault is Fault.VALUE and name == "min" and value > limit and -128 <= value <= 255:
        return f"min = {value} is above max = {limit}"
    return f"{name} = {value}, the limit is {limit}"


def _memory(memory: int) -> str:
    return Memory(memory).name.lower()


def _port_detail(machine: Machine, run: st.Launch) -> str:
    timing = run.timing
    bank, end, memory = int(timing.fault_value), int(timing.fault_limit), int(timing.fault_place)
    other = int(timing.fault_other)
    rows = machine.scratchpad_bank_rows if memory == Memory.SCRATCHPAD else machine.accumulator_bank_rows
    return (
        f"{_memory(memory)} bank {bank} (rows {bank * rows}..{(bank + 1) * rows - 1}) is held by the {Unit(other).name.lower()} unit"
        f" until cycle {end}"
    )


def _checker_detail(program: Program, run: st.Launch, shadow: mem.Shadow, report: FaultReport) -> str:
    fault = report.fault
    value, limit, place = (int(shadow.fault[field]) for field in (mem.F_VALUE, mem.F_LIMIT, mem.F_PLACE))
    if fault is Fault.TOKEN_LEAK:
        return "tokens left: " + ", ".join(f"{program.channel_text(name)} {count}" for name, count in tokens_left(run).items())
    if fault is Fault.BUFFER:
        kind = "no declared buffer holds" if place < 0 else "a buffer declared as input holds"
        return f"DRAM bytes {value:#x}..{limit:#x}: {kind} them"
    if fault is Fault.OVERFLOW:
        return "a sum left the range of int32"
    what = places_text(Memory(place), ((value, value),), program)
    if fault is Fault.BANK_ORDER:
        what = f"the {'write' if limit else 'read'} port of {_memory(place)} bank {value}"
    if fault is Fault.UNINITIALISED:
        return f"{what} has not been written"
    other = report.detail.of("other") if report.detail else None
    assert other is not None
    return f"{what}: unordered after {where(program, other.pc)} ({instruction(program, other.pc)}), issued at cycle {other.issue}"


def tokens_left(run: st.Launch) -> dict[str, int]:
    """Channels that hold tokens, with their counts."""
    counts = run.timing.posted - run.timing.waited
    return {
        str(channel): int(counts[channel.number])
        for unit in QUEUED_UNITS
        for channel in channels_waited(unit)
        if counts[channel.number]
    }


def _deadlock(program: Program, result: LaunchResult, run: st.Launch) -> str:
    lines = [
        f"{where(program, int(run.timing.fault_pc))}: deadlock after {result.cycles} cycles: nothing can go on"
    ]
    lines += list(_waiting_units(program, run))
    waiting = int(run.timing.waiting)
    if waiting >= 0:
        pc = int(run.timing.fault_pc)
        why = "every unit to be idle" if waiting == SequencerClass.FENCE else "room in a full queue"
        lines.append(f"  sequencer waits for {why}: {where(program, pc)}: {instruction(program, pc)}")
    else:
        lines.append("  sequencer has halted")
    lines.append(
        "likely fix: post the token that the first unit waits for, before the sequencer or a queue blocks"
    )
    return "\n".join(lines)


def _waiting_units(program: Program, run: st.Launch) -> Iterator[str]:
    for unit in QUEUED_UNITS:
        number = int(run.timing.resolved[unit])
        if number == run.timing.dispatched[unit]:
            continue
        record = run.ring[unit, number % run.ring.shape[1]]
        missing = [
            f"{channel.wait_text} ({_called(program, channel)}posted {run.timing.posted[channel.number]},"
            f" taken {run.timing.waited[channel.number]})"
            for channel in channels_waited(unit)
            if record.wait >> channel.wait_bit & 1
            and run.timing.waited[channel.number] >= run.timing.posted[channel.number]
        ]
        pc = int(record.pc)
        yield (
            f"  {unit.name.lower()} waits for {', '.join(missing)}: {where(program, pc)}: {instruction(program, pc)}"
            f" ({int(run.timing.dispatched[unit]) - number} queued)"
        )


def _called(program: Program, channel: Channel) -> str:
    name = program.token_name(channel)
    return f"token {name}, " if name else ""
