"""DMA transfers beat by beat: the walk that `cycles.dma` only counts, for replay.py."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Record

W_ACTIVE = 0
W_PLANE = 1
W_ROW = 2
W_OFFSET = 3  # of the column block in its DRAM row, in bytes
W_ADDRESS = 4  # first byte of the piece
W_BYTES = 5  # and how many it has
W_PLACE = 6  # its on-chip row
W_WORD = 7  # bus word that the next beat transfers, -1 if it transfers none
W_LAST = 8  # last bus word of the piece
W_REUSED = 9  # 1 if the next beat also takes bytes of the word before
W_DELAY = 10  # cycles until the next beat
W_PREVIOUS = 11  # last word of the piece before, -1 at first
W_OPEN = 12  # page
WALK = 13


@njit
def begin(config: Config, walk: Array, record: Record) -> None:
    """The instruction issues; the first beat is due after W_DELAY cycles."""
    walk[W_ACTIVE] = 1
    walk[W_PLANE] = 0
    walk[W_ROW] = 0
    walk[W_OFFSET] = 0
    walk[W_PREVIOUS] = -1
    _enter_piece(config, walk, record)


@njit
def _enter_piece(config: Config, walk: Array, record: Record) -> None:
    values = record.values
    is_load = record.op == g.OP_LOAD_B or record.op == g.OP_LOAD_W
    width = footprint.row_width(config, record.op)
    base = values[g.SLOT_LOAD_B_SP if is_load else g.SLOT_STORE_B_SP]
    dram = values[g.SLOT_LOAD_B_DRAM if is_load else g.SLOT_STORE_B_DRAM]
    walk[W_ADDRESS] = (
        dram
        + walk[W_PLANE] * values[g.SLOT_LOAD_B_PLANE_STRIDE]
        + walk[W_ROW] * values[g.SLOT_LOAD_B_STRIDE]
        + walk[W_OFFSET]
    )
    walk[W_BYTES] = min(width, values[g.SLOT_LOAD_B_BYTES] - walk[W_OFFSET])
    walk[W_PLACE] = (
        base
        + walk[W_PLANE] * values[g.SLOT_LOAD_B_PLANE_STEP]
        + walk[W_ROW] * values[g.SLOT_LOAD_B_STEP]
        + walk[W_OFFSET] // width * values[g.SLOT_LOAD_B_BLOCK_STEP]
    )
    first = walk[W_ADDRESS] >> config.bus_shift
    walk[W_LAST] = (walk[W_ADDRESS] + walk[W_BYTES] - 1) >> config.bus_shift
    walk[W_REUSED] = 1 if is_load and first == walk[W_PREVIOUS] else 0
    walk[W_PREVIOUS] = walk[W_LAST]
    word = first + walk[W_REUSED]
    walk[W_WORD] = word if word <= walk[W_LAST] else -1
    _open_page(config, walk)


@njit
def _open_page(config: Config, walk: Array) -> None:
    walk[W_DELAY] = 0
    if walk[W_WORD] >= 0:
        page = walk[W_WORD] >> (config.page_shift - config.bus_shift)
        if page != walk[W_OPEN]:
            walk[W_DELAY] = config.page_miss
            walk[W_OPEN] = page


@njit
def covered(config: Config, walk: Array) -> tuple[int, int]:
    """First byte and end, in DRAM, of what the beat that is due moves."""
    first_word = walk[W_WORD] - walk[W_REUSED] if walk[W_WORD] >= 0 else walk[W_LAST]
    last_word = walk[W_WORD] if walk[W_WORD] >= 0 else walk[W_LAST]
    low = max(walk[W_ADDRESS], first_word << config.bus_shift)
    return low, min(walk[W_ADDRESS] + walk[W_BYTES], (last_word + 1) << config.bus_shift)


@njit
def is_last_of_piece(walk: Array) -> bool:
    """Whether the beat that is due is the last of its column block."""
    return bool(walk[W_WORD] < 0 or walk[W_WORD] == walk[W_LAST])


@njit
def advance(config: Config, walk: Array, record: Record) -> None:
    """The beat is done: go to the next, or become inactive after the last."""
    values = record.values
    if not is_last_of_piece(walk):
        walk[W_WORD] += 1
        walk[W_REUSED] = 0
        _open_page(config, walk)
        return
    walk[W_OFFSET] += footprint.row_width(config, record.op)
    if walk[W_OFFSET] >= values[g.SLOT_LOAD_B_BYTES]:
        walk[W_OFFSET] = 0
        walk[W_ROW] += 1
        if walk[W_ROW] == values[g.SLOT_LOAD_B_ROWS]:
            walk[W_ROW] = 0
            walk[W_PLANE] += 1
            if walk[W_PLANE] == values[g.SLOT_LOAD_B_PLANES]:
                walk[W_ACTIVE] = 0
                return
    _enter_piece(config, walk, record)
