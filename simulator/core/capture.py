"""Capture of a tensor instruction at its dispatch: operands, dispatch faults, and what its accesses touch.

Most of it follows from counts, steps and flags, which a loop rarely changes: it is worked out once per place in the program (SHAPE in
state.py) and used again while these registers hold the same values. Addresses are tested each time.
"""

from accelkit.simulator.core import footprint, sequencer
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit_bare
from accelkit.simulator.core.state import Array, Config, Record


@njit_bare
def capture(
    config: Config, rows: Record, timing: Record, word: Record, shape: Record, record: Record, pc: int, d: int
) -> bool:
    """Capture the instruction's operands and footprints into a record; False, and the fault noted, at a dispatch fault."""
    if _capture_again(rows, timing, word, shape, record):
        return True
    sequencer.capture(rows, timing, word, record.values)
    if sequencer.dispatch_fault(config, rows, timing, pc, word.op, word.flag_bits, record.values, d):
        return False
    _learn(config, rows, timing, word, shape, record.values)
    return _capture_again(rows, timing, word, shape, record)


@njit_bare
def _capture_again(rows: Record, timing: Record, word: Record, shape: Record, record: Record) -> bool:
    """Capture an instruction whose shape is known; False if it has another one, or is perhaps at fault."""
    op = word.op
    registers = timing.registers
    different = 1 - shape.is_known
    for slot in range(rows.slots[op]):
        different |= (registers[word.slots[slot]] ^ shape.raw[slot]) & shape.mask[slot]
    if different or (op == g.OP_RUN and not timing.has_weights):
        return False
    for slot in range(g.SLOTS):
        record.values[slot] = shape.values[slot]
    record.dense = shape.dense
    for number in range(rows.accesses[op]):
        slot = shape.address_slot[number]
        address = registers[word.slots[slot]]
        record.values[slot] = address
        low = address + shape.low[number]
        high = address + shape.high[number]
        if shape.limit[number] < 0:  # does not take place
            record.low[number], record.high[number] = 1, 0
            continue
        if low < 0 or high > shape.limit[number] or address & shape.alignment[number]:
            return False
        record.low[number], record.high[number] = low, high
        record.amount[number] = shape.amount[number]
        per_bank = shape.bank_rows[number]
        if per_bank:
            first = low // per_bank
            record.first_bank[number] = first
            record.last_bank[number] = first if high < (first + 1) * per_bank else high // per_bank
    return True


@njit_bare
def _learn(config: Config, rows: Record, timing: Record, word: Record, shape: Record, values: Array) -> None:
    """Keep the shape of an instruction that is not at fault."""
    op = word.op
    for slot in range(rows.slots[op]):
        shape.raw[slot] = timing.registers[word.slots[slot]]
        shape.values[slot] = values[slot]
        shape.mask[slot] = -1
    shape.dense = 0
    for number in range(rows.accesses[op]):
        access = rows.access[op, number]
        memory = access[st.ACCESS_MEMORY]
        base = access[st.ACCESS_BASE]
        shape.address_slot[number] = base
        shape.mask[base] = 0
        shape.limit[number] = -1
        if not footprint.takes_place(access, word.flag_bits):
            continue
        low, high = footprint.extent(config, op, access, values)
        shape.low[number] = low - values[base]
        shape.high[number] = high - values[base]
        shape.limit[number] = footprint.size(config, memory) - 1
        is_of_words = op == g.OP_LOAD_W or op == g.OP_STORE_W
        shape.alignment[number] = 3 if memory == g.MEMORY_DRAM and is_of_words else 0
        shape.bank_rows[number] = 0
        shape.amount[number] = footprint.amount(config, op, access, values)
        if memory != g.MEMORY_DRAM:
            shape.bank_rows[number] = footprint.bank_rows(config, memory)
            shape.dense |= int(footprint.is_dense(config, op, access, values)) << number
    shape.is_known = 1
