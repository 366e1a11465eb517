"""Generated cases on the reference machine and its checker."""

import numpy as np
import numpy.typing as npt

from accelkit.simulator.generator import Case
from tests.reference.checker import State, Verdict, check
from tests.reference.machine import Outcome, run
from tests.reference.tensor import Memories
from tests.reference.units import Delay, no_delay


def dram_image(case: Case) -> npt.NDArray[np.uint8]:
    """All of DRAM at the start, uint8 [bytes]."""
    dram = np.zeros(case.machine.dram_bytes, np.uint8)
    for address, content in case.dram:
        dram[address : address + len(content)] = np.frombuffer(content, np.uint8)
    return dram


def run_case(case: Case, delay: Delay = no_delay) -> Outcome:
    """The reference machine's run of a case; TooLong if it would take minutes."""
    return run(
        case.program.words,
        case.machine,
        case.argument_words,
        scratchpad=case.scratchpad,
        accumulator=case.accumulator,
        dram=dram_image(case),
        max_cycles=case.max_cycles,
        delay=delay,
    )


def check_case(case: Case, outcome: Outcome) -> Verdict | None:
    """The slow checker's verdict on that run."""
    return check(outcome, initial_state(case), case.machine)


def initial_state(case: Case) -> State:
    """What the slow checker knows before the first launch. Input buffers count as written."""
    dram_marks = np.zeros(case.machine.dram_bytes, np.bool_)
    for address, content in case.dram:
        dram_marks[address : address + len(content)] = True
    for buffer in case.buffers:
        if not buffer.is_writable:
            dram_marks[buffer.address : buffer.address + buffer.nbytes] = True
    return State(
        memories=Memories(case.scratchpad.copy(), case.accumulator.copy(), dram_image(case)),
        scratchpad_marks=case.scratchpad_marks.copy(),
        accumulator_marks=case.accumulator_marks.copy(),
        dram_marks=dram_marks,
        buffers=[(buffer.address, buffer.nbytes, buffer.is_writable) for buffer in case.buffers],
    )
