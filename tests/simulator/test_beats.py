"""Beats and page misses of DMA transfers, which the core counts by rows, against a walk of every bus word."""

import numpy as np
import pytest

from accelkit.isa.machine import load_machine
from accelkit.simulator import descriptors
from accelkit.simulator.core import beats
from accelkit.simulator.core.state import Config

BLOCK_SIZES, PAGE_SIZES = (4, 8, 12, 16, 24, 64, 128), (0, 1, 2, 5)
TRANSFERS = 3000


MACHINE = descriptors.config(load_machine("tiny-8"))


def word_by_word(sizes: Config, is_load: bool, width: int, starts: list[int], row_bytes: int, page: int) -> tuple[int, int, int]:
    """The rule of docs/adr/0003, for rows that start there: beats, page misses, open page."""
    bus, page_bytes = 1 << sizes.bus_shift, 1 << sizes.page_shift
    count, misses, latest = 0, 0, None
    for start in starts:
        for first in range(start, start + row_bytes, width):
            end = min(first + width, start + row_bytes)
            words = sorted({byte // bus for byte in range(first, end)})
            transferred = [word for word in words if not (is_load and word == words[0] == latest)]
            count += max(1, len(transferred))
            for word in transferred:
                misses += word * bus // page_bytes != page
                page = word * bus // page_bytes
            latest = words[-1]
    return count, misses, page


@pytest.mark.parametrize("is_load", [True, False], ids=["load", "store"])
def test_every_word(is_load: bool) -> None:
    """Random transfers: rows with gaps, side by side, overlapping, all at one place, descending; blocks wider and narrower than bus words
    and pages; planes anywhere; a page open that is or isn't the first one's."""
    rng = np.random.default_rng(20 + is_load)
    for _ in range(TRANSFERS):
        bus_shift = int(rng.integers(2, 7))
        sizes = MACHINE._replace(bus_shift=bus_shift, page_shift=bus_shift + int(rng.choice(PAGE_SIZES)))
        width, row_bytes = int(rng.choice(BLOCK_SIZES)), int(rng.integers(1, 200))
        rows, planes = (int(count) for count in rng.integers(1, 6, 2))
        some, aligned = int(rng.integers(-300, 300)), 16 * int(rng.integers(-20, 20))
        strides = row_bytes, -row_bytes, row_bytes - row_bytes % 16, 0, some, aligned, 256, 4
        stride, plane_stride = int(rng.choice(strides)), int(rng.choice((*strides, rows * row_bytes)))
        address = 6000 + int(rng.integers(256))
        page = int(rng.choice((-1, address >> sizes.page_shift)))
        starts = [address + plane * plane_stride + row * stride for plane in range(planes) for row in range(rows)]
        expected = word_by_word(sizes, is_load, width, starts, row_bytes, page)
        found = beats.walk(sizes, is_load, width, address, row_bytes, rows, stride, planes, plane_stride, page)
        assert found == expected, (sizes, width, address, row_bytes, rows, stride, planes, plane_stride, page)
