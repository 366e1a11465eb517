"""Cycle rules: pure functions of shapes and machine (docs/adr/0003). Each gives (e, c) of an instruction that issues at cycle s,
and for DMA the page that is open afterwards and the page misses."""

from accelkit.simulator.core import beats
from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Config

# Stages of the vector unit's pipelines: from the last read for a result to its write.
REQUANTISE_STAGES = 6  # read, add bias, to binary32, multiply, round, write
WINDOW_STAGES = 7  # the same after a multiply-add
SELECT_STAGES = 2  # read, compare or look up
PAIR_STAGES = 8  # read, multiply, align and add, round, the same again, to an integer, write
QUANTISE_STAGES = 30  # read, normalise, 26 bits of the quotient, round, to an integer
DEQUANTISE_STAGES = 4  # read, subtract, multiply, round
MOST_STAGES = 30


@njit
def run(config: Config, s: int, rows: int, planes: int) -> tuple[int, int]:
    """A row a cycle; the last row's sums leave the array and are written rows + columns + 1 cycles after it is read."""
    e = s + rows * planes - 1
    return e, e + config.array_rows + config.array_columns + 1


@njit
def preload(config: Config, s: int, is_transposed: bool) -> tuple[int, int]:
    """All rows (columns, when transposed) of the array, one a cycle; complete when the last has left the scratchpad."""
    e = s + (config.array_columns if is_transposed else config.array_rows) - 1
    return e, e + 1


@njit
def requantise(config: Config, s: int, rows: int, planes: int) -> tuple[int, int]:
    """Parameter rows, then a row a cycle through the pipeline."""
    e = s + config.parameter_rows + rows * planes - 1
    return e, e + REQUANTISE_STAGES


@njit
def depthwise(config: Config, s: int, results: int, taps: int) -> tuple[int, int]:
    """Parameter rows, weight rows, then a tap a cycle."""
    e = s + config.parameter_rows + taps + results * taps - 1
    return e, e + WINDOW_STAGES


@njit
def average(config: Config, s: int, results: int, taps: int) -> tuple[int, int]:
    """Parameter rows, then a tap a cycle."""
    e = s + config.parameter_rows + results * taps - 1
    return e, e + WINDOW_STAGES


@njit
def maximum(s: int, results: int, taps: int) -> tuple[int, int]:
    """A tap a cycle."""
    e = s + results * taps - 1
    return e, e + SELECT_STAGES


@njit
def lookup(config: Config, s: int, results: int) -> tuple[int, int]:
    """Rows of the table, then a row a cycle."""
    e = s + config.table_rows + results - 1
    return e, e + SELECT_STAGES


@njit
def add(s: int, results: int) -> tuple[int, int]:
    """A row of the left and one of the right operand for each result."""
    e = s + 2 * results - 1
    return e, e + PAIR_STAGES


@njit
def multiply(s: int, results: int) -> tuple[int, int]:
    """A row of the left and one of the right operand for each result."""
    e = s + 2 * results - 1
    return e, e + PAIR_STAGES


@njit
def quantise(s: int, results: int) -> tuple[int, int]:
    """A row a cycle."""
    e = s + results - 1
    return e, e + QUANTISE_STAGES


@njit
def dequantise(s: int, results: int) -> tuple[int, int]:
    """A row a cycle."""
    e = s + results - 1
    return e, e + DEQUANTISE_STAGES


@njit
def vector(config: Config, s: int, op: int, values) -> tuple[int, int]:  # type: ignore[no-untyped-def]
    """The rule of a vector instruction other than `requantise`; all have their counts in the same slots."""
    results = values[g.SLOT_DEPTHWISE_ROWS] * values[g.SLOT_DEPTHWISE_PLANES]
    taps = values[g.SLOT_DEPTHWISE_LINES] * values[g.SLOT_DEPTHWISE_COLUMNS]
    if op == g.OP_DEPTHWISE:
        return depthwise(config, s, results, taps)
    if op == g.OP_AVERAGE:
        return average(config, s, results, taps)
    if op == g.OP_MAXIMUM:
        return maximum(s, results, taps)
    if op == g.OP_LOOKUP:
        return lookup(config, s, results)
    if op == g.OP_ADD_B:
        return add(s, results)
    if op == g.OP_MULTIPLY_B:
        return multiply(s, results)
    if op == g.OP_QUANTISE:
        return quantise(s, results)
    return dequantise(s, results)


@njit
def fill(config: Config, s: int, rows: int, planes: int) -> tuple[int, int]:
    """A row a cycle through the load pipeline."""
    e = s + rows * planes - 1
    return e, e + config.read_latency


@njit
def is_sync(op: int) -> bool:
    """Whether an instruction only waits and posts."""
    return op == g.OP_SYNC_LOAD or op == g.OP_SYNC_STORE or op == g.OP_SYNC_ARRAY or op == g.OP_SYNC_VECTOR


@njit
def sync(s: int) -> tuple[int, int]:
    """One cycle; it issued when all before it had completed."""
    return s, s


@njit
def dma(
    config: Config,
    s: int,
    is_load: bool,
    width: int,
    address: int,
    row_bytes: int,
    rows: int,
    stride: int,
    planes: int,
    plane_stride: int,
    open_page: int,
) -> tuple[int, int, int, int]:
    """(e, c, open page, page misses) of a load or store whose on-chip rows are `width` bytes wide.

    One beat per bus word of each column block; a load does not fetch the word again that the beat before fetched, but takes at least
    one beat per block. A word outside the open page costs a page miss.
    """
    count, misses, page = beats.walk(config, is_load, width, address, row_bytes, rows, stride, planes, plane_stride, open_page)
    e = s - 1 + count + misses * config.page_miss
    return e, e + (config.read_latency if is_load else config.write_latency), page, misses


@njit
def load_bytes(config: Config, s: int, values, open_page: int):  # type: ignore[no-untyped-def]
    """A load into the scratchpad: see `dma`."""
    return _dma_of(config, s, True, config.lanes, values, open_page)


@njit
def load_words(config: Config, s: int, values, open_page: int):  # type: ignore[no-untyped-def]
    """A load into the accumulator: see `dma`."""
    return _dma_of(config, s, True, 4 * config.array_columns, values, open_page)


@njit
def store_bytes(config: Config, s: int, values, open_page: int):  # type: ignore[no-untyped-def]
    """A store from the scratchpad: see `dma`."""
    return _dma_of(config, s, False, config.lanes, values, open_page)


@njit
def store_words(config: Config, s: int, values, open_page: int):  # type: ignore[no-untyped-def]
    """A store from the accumulator: see `dma`."""
    return _dma_of(config, s, False, 4 * config.array_columns, values, open_page)


@njit
def _dma_of(config: Config, s: int, is_load: bool, width: int, values, open_page: int):  # type: ignore[no-untyped-def]
    return dma(
        config,
        s,
        is_load,
        width,
        values[g.SLOT_LOAD_B_DRAM if is_load else g.SLOT_STORE_B_DRAM],
        values[g.SLOT_LOAD_B_BYTES],
        values[g.SLOT_LOAD_B_ROWS],
        values[g.SLOT_LOAD_B_STRIDE],
        values[g.SLOT_LOAD_B_PLANES],
        values[g.SLOT_LOAD_B_PLANE_STRIDE],
        open_page,
    )
