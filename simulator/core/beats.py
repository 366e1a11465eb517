"""Beats and page misses of DMA transfers (docs/adr/0003) without walking them beat by beat, as dma.py does."""

from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Config


@njit
def walk(
    config: Config,
    is_load: bool,
    width: int,
    address: int,
    row_bytes: int,
    rows: int,
    stride: int,
    planes: int,
    plane_stride: int,
    open_page: int,
) -> tuple[int, int, int]:
    """(beats, page misses, open page) of a transfer in blocks of `width` bytes of each row.

    Words of a row ascend without a gap, so it opens each page between its first and its last word once. Rows that ascend, less than a
    page apart, and lie in their bus words all in the same way are one to the other as blocks are: beats of the second one count for all.
    """
    beats = 0
    misses = 0
    previous = -1  # word
    page_words = config.page_shift - config.bus_shift
    blocks = (row_bytes + width - 1) // width
    is_regular = stride & ((1 << config.bus_shift) - 1) == 0 and 0 <= stride - row_bytes < 1 << config.page_shift
    for plane in range(planes):
        for row in range(min(rows, 2) if is_regular else rows):
            times = rows - 1 if is_regular and row else 1
            start = address + plane * plane_stride + row * stride
            first = start >> config.bus_shift
            last = (start + row_bytes - 1) >> config.bus_shift
            is_reused = is_load and first == previous
            beats += times * (last - first + 1 + _others(config, is_load, width, start, row_bytes, blocks, is_reused))
            previous = last + (times - 1) * (stride >> config.bus_shift)
            fetched = first + 1 if is_reused else first
            if fetched <= last:  # else nothing is transferred
                first_page = fetched >> page_words
                if first_page != open_page:
                    misses += 1
                open_page = previous >> page_words
                misses += open_page - first_page
    return beats, misses, open_page


@njit
def _others(config: Config, is_load: bool, width: int, start: int, row_bytes: int, blocks: int, is_reused: bool) -> int:
    """What the beats of a row are more than its words: blocks for which a load fetches nothing, words that a store transfers twice; less
    the word of a load that is there already."""
    shift = config.bus_shift
    in_word = (1 << shift) - 1
    last = (start + row_bytes - 1) >> shift
    tail = start + (blocks - 1) * width  # the last block
    others = 0
    if is_reused:
        has_more = (start + min(width, row_bytes) - 1) >> shift > start >> shift
        others -= 1 if has_more else 0
    if blocks == 1:
        return others
    if is_load and width > in_word:  # only the last block may be so short that no word begins in it
        return others + (1 if (tail - 1) >> shift == last else 0)
    if is_load:  # in each block at most one word begins
        return others + blocks - 1 - (last - ((start + width - 1) >> shift))
    if width & in_word == 0:
        return blocks - 1 if start & in_word else 0
    for block in range(1, blocks):
        others += 1 if (start + block * width) & in_word else 0
    return others
