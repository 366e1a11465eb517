"""The core's state as NumPy records: Numba passes a record as one pointer, so that small functions stay cheap to call.

All fields are int64. Rings are indexed by a running number modulo their length, a power of two: a mask is ten times as fast as a division.
"""

from typing import Any, NamedTuple

import numpy as np

from accelkit.simulator.core import generated as g

Array = Any  # np.ndarray, or np.recarray whose elements have named fields; Numba infers the types
Record = Any  # an element of a np.recarray

UNITS = 4
PORTS = 5
FOREVER = 1 << 62
MAX_DEPTH = 256  # of queues and of DMA instructions in flight (isa/machine.py)
MAX_BANKS = 32


class Config(NamedTuple):
    """The machine's numbers that the core needs (isa/machine.py has their meaning)."""

    array_rows: int
    array_columns: int
    lanes: int
    parameter_rows: int
    table_rows: int
    scratchpad_rows: int
    scratchpad_bank_rows: int
    accumulator_rows: int
    accumulator_bank_rows: int
    dram_bytes: int
    read_latency: int
    write_latency: int
    bus_shift: int
    page_shift: int
    page_miss: int
    queue_depth: int
    outstanding: int


def record_type(**shapes: int | tuple[int, ...]) -> np.dtype[Any]:
    """A record of int64 fields; 1 stands for a plain number."""
    hidden = [name for name in shapes if hasattr(np.record, name) or hasattr(np.recarray, name)]
    assert not hidden, f"{hidden}: without the JIT, NumPy's attributes of these names would hide the fields"
    return np.dtype(
        [(name, np.int64) if shape == 1 else (name, np.int64, shape) for name, shape in shapes.items()]
    )


# Fields of an access descriptor. Counts and steps are slots, or one of the negative codes.
ACCESS_MEMORY = 0
ACCESS_WRITE = 1
ACCESS_BASE = 2
ACCESS_WHEN_MASK = 3  # the access takes place if flags & mask == value
ACCESS_WHEN_VALUE = 4
ACCESS_HOLD = 5
ACCESS_LEVELS = 6
ACCESS_COUNT = 7  # of four levels, innermost first
ACCESS_STEP = 11
ACCESS_FIELDS = 15
ACCESSES = 4  # of an instruction

CODE_ONE = -1
CODE_BLOCKS = -2
CODE_PARAMETERS = -3
CODE_TABLE = -4
CODE_TAPS = -5

HOLD_LAST = 0
HOLD_COMPLETE = 1
HOLD_PREFACE = 2
HOLD_ACCUMULATE = 3

# Fields of a limit: a count (a slot or CODE_TAPS), the number or code that it is at most, the slot that a fault names.
LIMIT_COUNT = 0
LIMIT_MOST = 1
LIMIT_SLOT = 2
LIMIT_FIELDS = 3
LIMITS = 2  # of an instruction
CODE_ROWS = -1
CODE_COLUMNS = -2

# The instruction table, by opcode.
ROWS = record_type(
    unit=256,  # -1 if no instruction has this opcode
    port=256,  # -1 for scalars
    slots=256,  # number of register slots
    kinds=(256, g.SLOTS),
    unsigned_mask=(256, g.SLOTS),  # flag that makes a zero point unsigned
    min_slot=256,  # of the clamp bounds, -1 if there are none
    max_slot=256,
    limits=256,  # number of limits
    limit=(256, LIMITS, LIMIT_FIELDS),
    accesses=256,  # number of accesses
    access=(256, ACCESSES, ACCESS_FIELDS),
    wait_channel=(UNITS, 8),  # channel of each wait bit, -1 for none
    post_channel=(PORTS, 6),  # channel of each post bit, -1 for none
    producer=g.CHANNELS,  # port of each channel
)

# A decoded word.
INSTRUCTION = record_type(
    op=1,  # opcode, 0 if the word is illegal
    rd=1,
    rs1=1,
    rs2=1,
    imm=1,  # unsigned 32 bits; branch targets signed
    wait=1,
    post=1,
    flag_bits=1,
    slots=g.SLOTS,  # register numbers
)

# A tensor instruction on its way through the passes.
RECORD = record_type(
    op=1,
    pc=1,
    flag_bits=1,
    wait=1,
    post=1,
    d=1,
    s=1,
    e=1,
    c=1,
    number=1,  # of its dispatch
    sequence=1,  # on its port, counted through the session
    misses=1,  # DMA: pages that it opens
    clock=PORTS,  # how far the work of each port is known to be complete when it issues
    values=g.SLOTS,  # captured operands
    low=ACCESSES,  # of each access: lowest and highest row (DRAM: byte); low > high where it does not take place
    high=ACCESSES,
    first_bank=ACCESSES,  # and the banks of these rows
    last_bank=ACCESSES,
    dense=1,  # bit n: access n touches every row from low to high
    amount=ACCESSES,  # rows (DRAM: bytes) that it moves
)

# What follows from the operands of an instruction except its addresses, kept by place in the program: it seldom changes from one
# dispatch to the next.
SHAPE = record_type(
    is_known=1,
    registers=1,  # it depends on so many, all but those with addresses
    register=g.SLOTS,
    raw=g.SLOTS,  # what was in them
    values=g.SLOTS,  # operands captured from them
    address_slot=ACCESSES,  # of each access: the operand that holds its address
    low=ACCESSES,  # as in RECORD, but relative to the address
    high=ACCESSES,
    limit=ACCESSES,  # last row or byte of the memory
    alignment=ACCESSES,  # bits of the address that must be 0
    bank_rows=ACCESSES,  # 0: no banks
    bank_shift=ACCESSES,  # its logarithm, -1 if there is none
    dense=1,
    amount=ACCESSES,
)

# A post that no wait has taken yet.
POST = record_type(time=1, clock=PORTS)

# The timing pass.
TIMING = record_type(
    registers=32,  # unsigned 32-bit values
    pc=1,
    earliest=1,  # dispatch of the next instruction
    last=1,  # dispatch of the latest instruction, -1 at first
    last_event=1,  # largest dispatch or completion
    max_cycles=1,
    jitter=1,  # seed of the delays (jitter.py), 0 for none
    dispatches=1,
    status=1,
    waiting=1,  # sequencer class of a sequencer that waits for ever, else -1
    fault=1,
    fault_pc=1,
    fault_cycle=1,
    fault_value=1,  # the value seen
    fault_limit=1,  # and the limit it broke
    fault_place=1,  # operand slot or memory
    fault_other=1,  # port faults: the unit that holds the port
    has_weights=1,
    open_read_page=1,
    open_write_page=1,
    is_tracing=1,
    logs_scalars=1,  # the log has every dispatch, else those that waited
    chunk_count=1,  # instructions in the chunk
    log_count=1,  # dispatches in the log
    next_issue=1,  # earliest issue among resolved instructions that are not handed over
    head=UNITS,  # issue of the oldest such instruction of each unit, FOREVER if there is none
    dispatched=UNITS,  # instructions that entered the queue
    resolved=UNITS,  # of them, with known events
    committed=UNITS,  # of them, handed to the execution pass
    issue_ring=(UNITS, MAX_DEPTH),  # the latest issues
    complete_ring=(UNITS, MAX_DEPTH),  # and completions
    busy_until=UNITS,  # last cycle of the latest beat
    last_beat=UNITS,  # e of the latest instruction; array: of the latest run or sync
    issue=UNITS,  # s of the latest instruction
    complete=UNITS,  # largest c
    complete_pc=UNITS,  # and whose it is
    preload_beat=1,  # e of the latest preload
    preload_low=1,  # its first and last scratchpad bank
    preload_high=1,
    run_low=1,  # and those of the latest run
    run_high=1,
    clock=(UNITS, PORTS),  # what the unit's next instruction knows to be complete
    sequence=PORTS,  # instructions of each port so far
    posted=g.CHANNELS,
    waited=g.CHANNELS,
    bank_unit=(2, 2, MAX_BANKS),  # by memory and write: the unit that holds or held the port last
    bank_end=(2, 2, MAX_BANKS),  # last cycle of that hold
    moved=(3, 2),  # by memory and write: rows (DRAM: bytes) moved by what was handed over
    unit_class=(UNITS, 11),  # cycles
    sequencer_class=8,
)

# Fields of a dispatch in the log.
LOG_PC = 0
LOG_CYCLE = 1
LOG_BUBBLE = 2  # cycles before it that a taken branch costs
LOG_CLASS = 3  # sequencer class of its wait, -1 if it did not wait
LOG_WAITED = 4  # cycles of that wait
LOG_BLAME = 5  # pc of the instruction waited for
LOG_FIELDS = 6

# Status of the timing pass
RUNNING = 0
HALTED = 1
FAULTED = 2
DEADLOCK = 3
BOUND = 4
PORT_FAULTED = 5
CHUNK_FULL = 6  # the shell executes the chunk and calls again
POSTS_FULL = 7  # the shell doubles the posts
TRACE_FULL = 8  # the shell doubles the trace


class Launch(NamedTuple):
    """A launch's arrays, for the shell; the core gets what it needs of them."""

    timing: Record  # TIMING
    code: Array  # INSTRUCTION [words]
    arguments: Array  # [argument words]
    shapes: Array  # SHAPE [words]
    ring: Array  # RECORD [units, n]: queued and resolved instructions; n is a power of two above the queue depth
    posts: Array  # POST [CHANNELS, capacity], a power of two
    trace: Array  # [capacity, 5]: pc, d, s, e, c by number of dispatch; -1 where there is no such event
    chunk: Array  # RECORD [capacity]: instructions in order of issue, for the execution pass; capacity 0 if nothing is executed
    log: Array  # [capacity, LOG_FIELDS]: dispatches in order, for observers (see logs_scalars); capacity 0 if there are none
