"""Jitter: delays drawn from a seed, for runs that look for what depends on timing (docs/adr/0015).

A delay is a function of seed, stream and number alone: whichever pass asks, and in whatever order, gets the same.
"""

from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Record

MOST = 1023  # cycles of one delay
_SCALES = 11  # MOST, half of it, ..., 1, none
_MASK = (1 << 32) - 1


@njit
def _scramble(word: int) -> int:
    """A 32-bit word in which every bit of the argument's 32 matters; factors below 2^31 keep products in 64 bits.

    Constants: hash-prospector (C. Wellons), 16 21f0aaad 15 735a2d97 15."""
    word = (word ^ word >> 16) * 0x21F0AAAD & _MASK
    word = (word ^ word >> 15) * 0x735A2D97 & _MASK
    return word ^ word >> 15


@njit
def delay(seed: int, stream: int, number: int) -> int:
    """Cycles of the number-th instruction of a stream: none for half of them, else up to a bound that is the stream's own, 0 to MOST."""
    of_stream = _scramble(_scramble(seed & _MASK) ^ stream)
    word = _scramble(of_stream ^ number & _MASK)
    return word >> 8 & MOST >> of_stream % _SCALES if word & 1 else 0


@njit
def of_issue(timing: Record, unit: int, number: int) -> int:
    """Cycles that a unit takes before the first beat of its number-th instruction."""
    return delay(int(timing.jitter), unit, int(number))


@njit
def completion(timing: Record, unit: int, number: int, s: int, e: int, c: int) -> int:
    """Completion of a DMA instruction whose latency is longer by a delay. What it writes comes after what the one before has written:
    a unit's accesses stay in order."""
    later = c + delay(int(timing.jitter), st.UNITS + unit, int(number))
    return max(later, int(timing.complete[unit]) + 1 + e - s)
