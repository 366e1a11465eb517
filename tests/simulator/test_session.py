"""`Session` used wrongly, and interrupted."""

import signal
from types import FrameType

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.simulator import ArgumentError, Session

PROGRAM = assemble(".arg M, value\n.arg x, in, s8[M]\n.arg y, out, s8[M]\nhalt\n", "kernel.s")
LOOP = assemble("loop: j loop\n", "loop.s")


def test_size_below_zero() -> None:
    """A size of a buffer can't be negative, whatever other sizes it is multiplied with."""
    with pytest.raises(ArgumentError, match=r"kernel: argument x is s8\[M\]: M = -1, expected a size of 0 or more"):
        Session("tiny-8").run(PROGRAM, M=-1, x=np.zeros(1, np.int8))


@pytest.mark.parametrize("word", [1 << 32, -(1 << 31) - 1])
def test_argument_word_of_more_than_32_bits(word: int) -> None:
    """Nothing is cut off silently."""
    with pytest.raises(ValueError, match=f"kernel: argument word 1 = {word} does not fit 32 bits"):
        Session("tiny-8").launch(PROGRAM, [0, word, 0])


def test_argument_words_of_numpy() -> None:
    """A word is the same number in any type of integer; what is no integer is refused."""
    program = assemble("larg x10, args[0]\nhalt\n", "word.s")
    assert Session("tiny-8").launch(program, np.array([-2], np.int32)).registers[10] == (1 << 32) - 2
    with pytest.raises(TypeError, match="integer"):
        Session("tiny-8").launch(program, [1.5])  # type: ignore[list-item]


@pytest.mark.parametrize("bound", [0, 1 << 64])
def test_bound_out_of_range(bound: int) -> None:
    """The bound must leave room to count beyond it."""
    with pytest.raises(ValueError, match=f"max_cycles = {bound}: expected 1 to"):
        Session("tiny-8").launch(LOOP, max_cycles=bound)


class Interrupted(Exception):
    """What the signal's handler raises."""


def test_endless_program_can_be_interrupted() -> None:
    """Compiled code returns often enough for Python to handle a signal; at the bound this would be a LaunchError."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        raise Interrupted

    session = Session("tiny-8")
    session.run(PROGRAM, M=1, x=np.zeros(1, np.int8))  # compiles
    previous = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(Interrupted):
            session.launch(LOOP, max_cycles=1 << 31)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
