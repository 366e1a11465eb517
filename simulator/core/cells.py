"""Cells of an account: cycles by unit, instruction, class and the instruction to blame, in an open hash table."""

from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Record

MOST_CELLS = 16  # that one instruction or dispatch can need anew
CLASSES = 16  # room for the classes of a unit in a key


@njit
def _slot(keys: Array, key: int) -> int:
    """Where a key stands in the open hash table, or the free place that it gets; keys are above 0."""
    mask = len(keys) - 1
    place = (key * 40503 >> 9) & mask
    while keys[place] != key and keys[place] != 0:
        place = (place + 1) & mask
    return place


@entry
def add(
    account: Record, keys: Array, cycles: Array, unit: int, pc: int, cls: int, blame: int, amount: int
) -> None:
    """Add cycles to a cell, if cells are kept at all; pc and blame are -1 for no instruction of the program."""
    if not len(keys):
        return
    if not 0 <= pc < account.words:
        pc = -1
    key = (((pc + 1) * (account.words + 1) + blame + 1) * (st.UNITS + 1) + unit) * CLASSES + cls + 1
    place = _slot(keys, key)
    if keys[place] == 0:
        keys[place] = key
        account.cells += 1
    cycles[place] += amount


@njit
def has_room(account: Record, keys: Array) -> bool:
    """Whether the table has room for what comes next, or keeps nothing."""
    return 2 * (account.cells + MOST_CELLS) <= len(keys) or not len(keys)


@entry
def copy(old_keys: Array, old_cycles: Array, keys: Array, cycles: Array) -> None:
    """Put all cells into a larger table."""
    for old in range(len(old_keys)):
        if old_keys[old]:
            place = _slot(keys, old_keys[old])
            keys[place] = old_keys[old]
            cycles[place] = old_cycles[old]
