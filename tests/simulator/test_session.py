"""`Session` used wrongly, and interrupted."""

import signal
from types import FrameType

import numpy as np
import pytest

from accelkit.assembler import assemble, assemble_file
from accelkit.isa.row import Memory
from accelkit.simulator import ArgumentError, LaunchError, Session, Traffic

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


COPY = assemble(
    """
.arg x, in, s8[*]
.arg y, out, s8[8]
.token full = load -> store.0
        larg a0, args[x]
        larg a1, args[y]
        li t0, 8
        load.b sp[x0], dram[a0], bytes=t0 post(full)
        store.b dram[a1], sp[x0], bytes=t0 wait(full)
        halt
""",
    "copy.s",
)


def test_reserve_holds_buffers_that_come_and_go() -> None:
    """In a reserve only what is declared may be touched, and a place that is declared again counts as unwritten."""
    session = Session("tiny-8")
    session.write(session.allocate("before", 8), np.zeros(8, np.int8))
    base = session.reserve("activations", 64)
    after = session.allocate("after", 8)
    assert base % 64 == 0
    assert after >= base + 64
    with pytest.raises(LaunchError, match="outside"):
        session.launch(COPY, [0, base])
    session.declare("one", base, 8)
    session.declare("two", base + 32, 8)
    session.write(base, np.arange(8, dtype=np.int8))
    session.launch(COPY, [base, base + 32])
    assert session.read(base + 32, 8).tolist() == list(range(8))
    session.release("two")
    with pytest.raises(LaunchError, match="outside"):
        session.launch(COPY, [base, base + 32])
    session.declare("three", base + 32, 32)
    with pytest.raises(LaunchError, match="read of what nothing wrote"):
        session.launch(COPY, [base + 32, base])
    session.launch(COPY, [base, base + 32])
    session.launch(COPY, [base + 32, base])


def test_reserve_used_wrongly() -> None:
    """A buffer lies in a reserve or out of it, overlaps no other, and is released once."""
    session = Session("tiny-8")
    base = session.reserve("activations", 64)
    session.declare("one", base, 16)
    with pytest.raises(ValueError, match="buffer two overlaps buffer one"):
        session.declare("two", base + 8, 16)
    with pytest.raises(ValueError, match="buffer two lies partly in the reserve activations"):
        session.declare("two", base + 32, 64)
    session.release("one")
    with pytest.raises(KeyError):
        session.release("one")
    with pytest.raises(ValueError, match="do not fit into DRAM"):
        session.reserve("more", 1 << 40)


def test_traffic_is_what_instructions_move() -> None:
    """Bytes of each memory, counted by hand: 8 copied through one row of 8 lanes; a product of 5 x 7 x 3 with its weights and sums."""
    session = Session("tiny-8")
    session.write(session.allocate("x", 8), np.zeros(8, np.int8))
    y = session.allocate("y", 8)
    moved = session.launch(COPY, [0, y]).traffic
    assert moved == {
        Memory.SCRATCHPAD: Traffic(8, 8), Memory.ACCUMULATOR: Traffic(0, 0), Memory.DRAM: Traffic(8, 8),
    }  # fmt: skip
    a, b = np.ones((5, 7), np.int8), np.ones((7, 3), np.int8)
    for check in (True, False):
        moved = Session("tiny-8", check).run(assemble_file("examples/matmul.s"), M=5, K=7, N=3, a=a, b=b).traffic
        assert moved == {
            Memory.SCRATCHPAD: Traffic((5 + 7) * 8, (5 + 7) * 8),
            Memory.ACCUMULATOR: Traffic(5 * 8 * 4, 5 * 8 * 4),
            Memory.DRAM: Traffic(5 * 7 + 7 * 3, 5 * 3 * 4),
        }
