"""The instructions of a launch in order of issue, kept small: what the execution pass needs to do them again (simulator/reuse.py).

An instruction is a number of a form, which has all but the addresses, and its addresses. Loops make many instructions and few forms.
"""

from typing import NamedTuple

import numpy as np

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Record

# Fields of a form.
OP = 0
FLAGS = 1
BEATS = 2  # e - s; of DMA, which is executed without it, 0
STAGES = 3  # c - e
VALUES = 4
MASKS = VALUES + g.SLOTS  # 0 for addresses, else all ones
FORM_FIELDS = MASKS + g.SLOTS

# How many of each are kept.
FORMS = 0
NUMBERS = 1
ADDRESSES = 2
COUNTS = 3


class Kept(NamedTuple):
    """Instructions in order of issue: the int32 number of each one's form, uint32 addresses."""

    numbers: Array
    addresses: Array


NOTHING = Kept(np.zeros(0, np.int32), np.zeros(0, np.uint32))


@entry
def keep(rows: Record, chunk: Array, count: int, latest: Array, forms: Array, numbers: Array, addresses: Array, counts: Array) -> None:
    """Keep the first `count` records of a chunk. `latest` [words] is the form that each place of the program had last, -1 at first.
    There must be room for `count` forms and numbers, and ACCESSES times as many addresses."""
    for index in range(count):
        record = chunk[index]
        op = record.op
        number = latest[record.pc]
        if number < 0 or not _has_form(rows, record, forms[number]):
            number = counts[FORMS]
            counts[FORMS] += 1
            latest[record.pc] = number
            _make_form(rows, record, forms[number])
        numbers[counts[NUMBERS]] = number
        counts[NUMBERS] += 1
        for access in range(rows.accesses[op]):
            addresses[counts[ADDRESSES]] = record.values[rows.access[op, access, st.ACCESS_BASE]]
            counts[ADDRESSES] += 1


@njit
def _beats(rows: Record, record: Record) -> tuple[int, int]:
    unit = rows.unit[record.op]
    if unit == g.UNIT_LOAD or unit == g.UNIT_STORE:
        return 0, 0
    return record.e - record.s, record.c - record.e


@njit
def _has_form(rows: Record, record: Record, form: Array) -> bool:
    beats, stages = _beats(rows, record)
    different = (form[BEATS] ^ beats) | (form[STAGES] ^ stages)
    for slot in range(g.SLOTS):
        different |= (form[VALUES + slot] ^ record.values[slot]) & form[MASKS + slot]
    return bool(different == 0)


@njit
def _make_form(rows: Record, record: Record, form: Array) -> None:
    op = record.op
    beats, stages = _beats(rows, record)
    form[OP] = op
    form[FLAGS] = record.flag_bits
    form[BEATS] = beats
    form[STAGES] = stages
    for slot in range(g.SLOTS):
        form[VALUES + slot] = record.values[slot]
        form[MASKS + slot] = -1 if slot < rows.slots[op] else 0
    for access in range(rows.accesses[op]):
        form[MASKS + rows.access[op, access, st.ACCESS_BASE]] = 0


@njit
def renew(rows: Record, record: Record, kept: Kept, place: int) -> int:
    """Give a form's record the addresses of one of its instructions, which begin at `place`; the place after them."""
    for access in range(rows.accesses[record.op]):
        record.values[rows.access[record.op, access, st.ACCESS_BASE]] = kept.addresses[place]
        place += 1
    return place
