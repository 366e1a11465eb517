"""Capture of a tensor instruction at its dispatch: operands, dispatch faults, and what its accesses touch.

Most of it follows from counts, steps and flags, which a loop rarely changes: it is worked out once per place in the program (SHAPE in
state.py) and used again while these registers hold the same values. Addresses are tested each time.
"""

from accelkit.simulator.core import footprint, sequencer
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Record


@njit
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


@njit
def _capture_again(rows: Record, timing: Record, word: Record, shape: Record, record: Record) -> bool:
    """Capture an instruction whose shape is known; False if it has another one, or is perhaps at fault."""
    op = word.op
    registers = timing.registers
    different = 1 - shape.is_known
    for place in range(shape.registers):
        different |= registers[shape.register[place]] ^ shape.raw[place]
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
        if shape.bank_rows[number]:
            record.first_bank[number] = _bank(shape, number, low)
            record.last_bank[number] = _bank(shape, number, high)
    return True


@njit
def _bank(shape: Record, number: int, row: int) -> int:
    """The bank of a row. A division takes as long as all else that an access needs."""
    if shape.bank_shift[number] >= 0:
        return int(row >> shape.bank_shift[number])
    return int(row // shape.bank_rows[number])


@njit
def _learn(config: Config, rows: Record, timing: Record, word: Record, shape: Record, values: Array) -> None:
    """Keep the shape of an instruction that is not at fault."""
    op = word.op
    are_addresses = 0
    shape.dense = 0
    for number in range(rows.accesses[op]):
        access = rows.access[op, number]
        memory = access[st.ACCESS_MEMORY]
        base = access[st.ACCESS_BASE]
        shape.address_slot[number] = base
        are_addresses |= 1 << base
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
        shape.bank_shift[number] = -1
        shape.amount[number] = footprint.amount(config, op, access, values)
        if memory != g.MEMORY_DRAM:
            per_bank = footprint.bank_rows(config, memory)
            shape.bank_rows[number] = per_bank
            for shift in range(32):
                if 1 << shift == per_bank:
                    shape.bank_shift[number] = shift
            shape.dense |= int(footprint.is_dense(config, op, access, values)) << number
    shape.registers = 0
    for slot in range(rows.slots[op]):
        shape.values[slot] = values[slot]
        register = word.slots[slot]
        if register and not are_addresses >> slot & 1:  # register 0 never changes
            shape.register[shape.registers] = register
            shape.raw[shape.registers] = timing.registers[register]
            shape.registers += 1
    shape.is_known = 1
