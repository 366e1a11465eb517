"""Places in DRAM for buffers that come and go, against a look at every byte at every step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accelkit.kernels.onnx.arena import Life, pack

LIVES = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 12), st.integers(0, 6)), max_size=14)


@given(LIVES, st.sampled_from([1, 4, 16]))
def test_no_byte_has_two_owners(drawn: list[tuple[int, int, int]], alignment: int) -> None:
    """At no step does a byte belong to two buffers that live, offsets are aligned, and the block's size is what is used of it."""
    lives = {number: Life(nbytes, first, first + more) for number, (nbytes, first, more) in enumerate(drawn)}
    arena = pack(lives, alignment)
    highest = 0
    held = [0]
    for step in range(20):
        owners: dict[int, int] = {}
        for number, life in lives.items():
            if life.first <= step <= life.last:
                assert arena.offsets[number] % alignment == 0
                for byte in range(arena.offsets[number], arena.offsets[number] + life.nbytes):
                    assert owners.setdefault(byte, number) == number
                    highest = max(highest, byte + 1)
        held.append(len(owners))
    assert highest <= arena.nbytes < highest + alignment or not lives
    assert arena.least_bytes == max(held) <= arena.nbytes


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12))
def test_chain_needs_its_largest_pair(sizes: list[int]) -> None:
    """In a chain, where each buffer lives until the next is made, the block is not larger than twice the two largest neighbours ask for."""
    lives = {number: Life(16 * nbytes, number, number + 1) for number, nbytes in enumerate(sizes)}
    arena = pack(lives, 16)
    assert arena.least_bytes <= arena.nbytes <= 2 * arena.least_bytes


def test_gap_that_fits_best() -> None:
    """A buffer takes the smallest gap that holds it, and the place of one that has ended."""
    lives = {"a": Life(64, 0, 9), "b": Life(48, 0, 3), "c": Life(32, 0, 9), "d": Life(48, 4, 9), "e": Life(16, 4, 9)}
    arena = pack(lives, 16)
    assert arena.offsets["d"] == arena.offsets["b"]
    assert arena.nbytes == 64 + 48 + 32 + 16
    assert arena.least_bytes == arena.nbytes
