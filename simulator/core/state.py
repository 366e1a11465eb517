"""The core's state: named tuples of arrays and integers. Shapes are given in comments; all integers are int64 unless said."""

from typing import Any, NamedTuple

Array = Any  # np.ndarray; Numba infers element types


class Config(NamedTuple):
    """The machine's numbers that the core needs (isa/machine.py has their meaning)."""

    array_rows: int
    array_columns: int
    lanes: int
    parameter_rows: int
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


class Rows(NamedTuple):
    """The instruction table as arrays, by opcode (256 entries)."""

    unit: Array  # [256] unit, -1 if no instruction has this opcode
    port: Array  # [256] port, -1 for scalars
    slots: Array  # [256] number of register slots
    kinds: Array  # [256, SLOTS] kind of each slot
    accesses: Array  # [256] number of accesses
    access: Array  # [256, 3, ACCESS_FIELDS], see the ACCESS_ names below
    wait_channel: Array  # [units, 8] channel of each wait bit
    post_channel: Array  # [ports, 6] channel of each post bit
    channel_producer: Array  # [CHANNELS] port


# Fields of an access descriptor. Counts and steps are slots, or one of the negative codes.
ACCESS_MEMORY = 0
ACCESS_WRITE = 1
ACCESS_BASE = 2
ACCESS_WHEN_MASK = 3  # access takes place if flags & mask == value
ACCESS_WHEN_VALUE = 4
ACCESS_HOLD = 5
ACCESS_LEVELS = 6  # then (count, step) of three levels, innermost first
ACCESS_COUNT = 7
ACCESS_STEP = 10
ACCESS_FIELDS = 13

CODE_ONE = -1
CODE_BLOCKS = -2
CODE_PARAMETERS = -3

HOLD_LAST = 0
HOLD_COMPLETE = 1
HOLD_PARAMETERS = 2
HOLD_ACCUMULATE = 3


class Code(NamedTuple):
    """A decoded program of n words."""

    op: Array  # [n] opcode, 0 if the word is illegal
    rd: Array
    rs1: Array
    rs2: Array
    imm: Array  # unsigned 32-bit; branch targets signed
    wait: Array
    post: Array
    flags: Array
    slots: Array  # [n, SLOTS] register numbers
    arguments: Array  # [argument count] unsigned 32-bit words


class Timing(NamedTuple):
    """State of the timing pass. Rings are indexed by a running number modulo their length."""

    registers: Array  # [32] unsigned 32-bit values
    scalar: Array  # [S_COUNT], see the S_ names
    dispatched: Array  # [units] instructions that entered the queue
    resolved: Array  # [units] of them, with known events
    committed: Array  # [units] of them, handed to the execution pass
    ring: Array  # [units, depth + 1, RECORD] queued and resolved instructions
    issue_ring: Array  # [units, depth] issue times
    complete_ring: Array  # [units, outstanding] completion times
    unit: Array  # [units, U_COUNT], see the U_ names
    clock: (
        Array  # [units, ports] instructions of each port known to be complete when the unit's next one issues
    )
    sequence: Array  # [ports] instructions resolved so far in the session
    post_time: Array  # [CHANNELS, capacity] completion that posted
    post_clock: Array  # [CHANNELS, capacity, ports]
    posted: Array  # [CHANNELS]
    waited: Array  # [CHANNELS]
    bank_unit: Array  # [memory, read or write, banks] unit that holds or held the port last
    bank_end: Array  # [memory, read or write, banks] last cycle of that hold
    unit_class: Array  # [units, cycle classes] cycles
    sequencer_class: Array  # [sequencer classes] cycles
    trace: Array  # [capacity, 5] pc, d, s, e, c by dispatch number; -1 where there is no such event
    chunk: Array  # [capacity, RECORD] instructions in order of issue, for the execution pass


S_PC = 0
S_NEXT = 1  # earliest dispatch of the next instruction
S_LAST = 2  # dispatch of the latest instruction, -1 at first
S_STATUS = 3
S_FAULT = 4
S_FAULT_PC = 5
S_FAULT_CYCLE = 6
S_FAULT_VALUE = 7  # the value seen
S_FAULT_LIMIT = 8  # and the limit it broke
S_FAULT_PLACE = 9  # operand slot, access number, bank ...
S_HAS_WEIGHTS = 10
S_LAST_EVENT = 11  # largest completion or dispatch
S_OPEN_READ_PAGE = 12
S_OPEN_WRITE_PAGE = 13
S_MAX_CYCLES = 14
S_DISPATCHES = 15  # number of dispatches
S_CHUNK = 16  # records in the chunk
S_TRACING = 17
S_WAITING = 18  # sequencer class of a sequencer that waits for ever, else -1
S_FAULT_OTHER = 19  # for port faults: the unit that holds the port
S_COUNT = 20

U_BUSY_UNTIL = 0  # last cycle of the latest beat
U_LAST_BEAT = 1  # e of the latest instruction (array: of the latest run)
U_COMPLETE = 2  # largest completion
U_PRELOAD_BEAT = 3  # array: e of the latest preload
U_RUN_LOW = 4  # array: first and last scratchpad bank of the latest run, and of the latest preload
U_RUN_HIGH = 5
U_PRELOAD_LOW = 6
U_PRELOAD_HIGH = 7
U_ISSUE = 8  # s of the latest instruction
U_COUNT = 9

# Fields of a record: one tensor instruction on its way through the passes.
R_OP = 0
R_PC = 1
R_FLAGS = 2
R_WAIT = 3
R_POST = 4
R_D = 5
R_S = 6
R_E = 7
R_C = 8
R_NUMBER = 9  # dispatch number
R_SEQUENCE = 10  # number on its port
R_CLOCK = 11  # [5] known complete at issue, by port
R_VALUES = 16  # [SLOTS] captured operands
RECORD = 28

# Status of the timing pass
RUNNING = 0
HALTED = 1
FAULTED = 2
DEADLOCK = 3
BOUND = 4
PORT_FAULTED = 5
CHUNK_FULL = 6  # the shell executes the chunk and calls again
POSTS_FULL = 7  # the shell doubles post_time and post_clock
TRACE_FULL = 8  # the shell doubles the trace
