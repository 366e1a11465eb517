"""The sequencer: scalar instructions, capture of operands, dispatch faults (docs/adr/0003)."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit, njit_inline
from accelkit.simulator.core.state import Array, Config, Record

MASK = 0xFFFFFFFF


@njit_inline
def signed(value: int) -> int:
    """An unsigned 32-bit value as a signed one."""
    return value - (1 << 32) if value & 0x80000000 else value


@njit_inline
def arithmetic(op: int, a: int, b: int) -> int:
    """Result of an arithmetic instruction in its register form; operands and result are unsigned 32-bit values."""
    if op == g.OP_ADD:
        return (a + b) & MASK
    if op == g.OP_SUB:
        return (a - b) & MASK
    if op == g.OP_MUL:
        return (signed(a) * signed(b)) & MASK
    if op == g.OP_AND:
        return a & b
    if op == g.OP_OR:
        return a | b
    if op == g.OP_XOR:
        return a ^ b
    if op == g.OP_SLL:
        return (a << (b & 31)) & MASK
    if op == g.OP_SRL:
        return a >> (b & 31)
    if op == g.OP_SRA:
        return (signed(a) >> (b & 31)) & MASK
    if op == g.OP_SLT:
        return 1 if signed(a) < signed(b) else 0
    if op == g.OP_SLTU:
        return 1 if a < b else 0
    if op == g.OP_MIN:
        return a if signed(a) < signed(b) else b
    return a if signed(a) > signed(b) else b


@njit_inline
def branches(op: int, a: int, b: int) -> bool:
    """Whether a conditional branch is taken; operands are unsigned 32-bit values."""
    if op == g.OP_BEQ:
        return a == b
    if op == g.OP_BNE:
        return a != b
    if op == g.OP_BLT:
        return signed(a) < signed(b)
    if op == g.OP_BGE:
        return signed(a) >= signed(b)
    if op == g.OP_BLTU:
        return a < b
    return a >= b


@njit
def fault(timing: Record, cls: int, pc: int, cycle: int, value: int, limit: int, place: int) -> None:
    """Note a dispatch fault: class, place, the value seen and the limit it broke."""
    timing.status = st.FAULTED
    timing.fault = cls
    timing.fault_pc = pc
    timing.fault_cycle = cycle
    timing.fault_value = value
    timing.fault_limit = limit
    timing.fault_place = place


@njit_inline
def execute_scalar(timing: Record, word: Record, arguments: Array, pc: int, d: int) -> tuple[int, bool]:
    """Execute a scalar instruction that dispatches at cycle d; the next pc and whether it is that of a taken branch or a jump."""
    op = word.op
    registers = timing.registers
    rd = word.rd
    a = registers[word.rs1]
    imm = word.imm
    result = 0
    following = pc + 1
    is_taken = False
    if op == g.OP_LI:
        result = imm
    elif op <= g.OP_MAXI:  # register forms, and 16 above them those with an immediate
        result = arithmetic(op & 15, a, imm if op & 16 else registers[word.rs2])
    elif op <= g.OP_BGEU and op >= g.OP_BEQ:
        if branches(op, a, registers[word.rs2]):
            following = (pc + imm) & MASK
            is_taken = True
    elif op == g.OP_JAL:
        result = pc + 1
        following = (pc + imm) & MASK
        is_taken = True
    elif op == g.OP_JALR:
        result = pc + 1
        is_taken = True
        following = (a + imm) & MASK
    elif op == g.OP_LARG:
        index = (a + imm) & MASK
        if index >= len(arguments):
            fault(timing, g.FAULT_ARGUMENT, pc, d, index, len(arguments), 0)
            return pc, False
        result = arguments[index]
    elif op == g.OP_RDCYCLE:
        result = d & MASK
    elif op == g.OP_HALT:
        timing.status = st.HALTED
        return pc, False
    elif op == g.OP_TRAP:
        fault(timing, g.FAULT_TRAP, pc, d, imm, 0, 0)
        return pc, False
    if rd != 0:
        registers[rd] = result
    return following, is_taken


@njit
def run_scalars(timing: Record, code: Array, arguments: Array, end: int) -> None:
    """Dispatch scalar instructions until there is something else to do: another kind of instruction, a fault, the cycle bound, an
    instruction to hand over. What `timing._dispatch` does, for those that only ever wait for the one before; they are most of a program."""
    pc, d, last = timing.pc, timing.earliest, timing.last
    next_issue, max_cycles = timing.next_issue, timing.max_cycles
    most = end - timing.dispatches
    count = 0
    while count < most and d < max_cycles and 0 <= pc < len(code):
        word = code[pc]
        if not 0 < word.op < g.OP_FENCE:
            break
        following, is_taken = execute_scalar(timing, word, arguments, pc, d)
        is_stopped = following == pc and not is_taken  # a fault
        last = d
        count += 1
        pc = following
        d += 2 if is_taken else 1
        if next_issue <= last or is_stopped:
            break
    if count:
        timing.sequencer_class[g.SEQ_DISPATCH] += count
        timing.sequencer_class[g.SEQ_BRANCH] += last - timing.last - count
        timing.last = last
        timing.last_event = max(timing.last_event, last)
        timing.dispatches += count
        timing.pc = pc
        timing.earliest = d


@njit
def capture(rows: Record, timing: Record, word: Record, values: Array) -> None:
    """Read the operand registers of a tensor instruction, as its kinds say: x0 as a count or a step means 1."""
    for slot in range(rows.slots[word.op]):
        kind = rows.kinds[word.op, slot]
        register = word.slots[slot]
        value = timing.registers[register]
        if kind == g.KIND_COUNT or kind == g.KIND_STEP:
            if register == 0:
                value = 1
            elif kind == g.KIND_STEP:
                value = signed(value)
        elif kind >= g.KIND_STRIDE:
            value = signed(value)
        values[slot] = value


@njit
def dispatch_fault(
    config: Config, rows: Record, timing: Record, pc: int, op: int, flags: int, values: Array, d: int
) -> bool:
    """Test a captured tensor instruction for every dispatch fault in the order of docs/adr/0003; True (and noted) at the first."""
    kinds = rows.kinds[op]
    for slot in range(rows.slots[op]):
        if kinds[slot] == g.KIND_COUNT and not 1 <= values[slot] <= g.MAX_COUNT:
            fault(timing, g.FAULT_COUNT, pc, d, values[slot], g.MAX_COUNT, slot)
            return True
    for slot in range(rows.slots[op]):
        low, high = -128, 255
        if kinds[slot] == g.KIND_ZERO_POINT:
            low, high = (0, 255) if flags & rows.unsigned_mask[op, slot] else (-128, 127)
        elif kinds[slot] != g.KIND_BYTE:
            continue
        if not low <= values[slot] <= high:
            fault(timing, g.FAULT_VALUE, pc, d, values[slot], high if values[slot] > high else low, slot)
            return True
    low_slot, high_slot = rows.min_slot[op], rows.max_slot[op]
    if low_slot >= 0 and values[low_slot] > values[high_slot]:
        fault(timing, g.FAULT_VALUE, pc, d, values[low_slot], values[high_slot], low_slot)
        return True
    for number in range(rows.limits[op]):
        limit = rows.limit[op, number]
        shape, most = _shape(config, limit, values)
        if shape > most:
            fault(timing, g.FAULT_SHAPE, pc, d, shape, most, limit[st.LIMIT_SLOT])
            return True
    if op == g.OP_RUN and not timing.has_weights:
        fault(timing, g.FAULT_NO_WEIGHTS, pc, d, 0, 0, 0)
        return True
    if op == g.OP_LOAD_W or op == g.OP_STORE_W:
        for slot in range(rows.slots[op]):
            is_bytes = (
                kinds[slot] == g.KIND_DRAM or kinds[slot] == g.KIND_STRIDE or slot == g.SLOT_LOAD_W_BYTES
            )
            if is_bytes and values[slot] & 3:
                fault(timing, g.FAULT_ALIGNMENT, pc, d, values[slot], 4, slot)
                return True
    return _range_fault(config, rows, timing, pc, op, flags, values, d)


@njit
def _shape(config: Config, limit: Array, values: Array) -> tuple[int, int]:
    """The count that a limit bounds, and its bound."""
    count = limit[st.LIMIT_COUNT]
    shape = footprint.taps(values) if count == st.CODE_TAPS else values[count]
    most = limit[st.LIMIT_MOST]
    if most == st.CODE_ROWS:
        most = config.array_rows
    elif most == st.CODE_COLUMNS:
        most = config.array_columns
    return shape, most


@njit
def _range_fault(
    config: Config, rows: Record, timing: Record, pc: int, op: int, flags: int, values: Array, d: int
) -> bool:
    for memory in range(3):
        for number in range(rows.accesses[op]):
            access = rows.access[op, number]
            if access[st.ACCESS_MEMORY] == memory and footprint.takes_place(access, flags):
                low, high = footprint.extent(config, op, access, values)
                limit = footprint.size(config, memory) - 1
                if low < 0 or high > limit:
                    seen = low if low < 0 else high
                    fault(
                        timing, g.FAULT_SCRATCHPAD_RANGE + memory, pc, d, seen, limit, access[st.ACCESS_BASE]
                    )
                    return True
    return False
