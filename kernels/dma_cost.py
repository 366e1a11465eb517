"""Cycles of DMA instructions, as ADR 0003 counts their beats, without the latency."""

from functools import cache, lru_cache
from math import gcd

from accelkit.isa.machine import Machine


def dma_cycles(
    machine: Machine,
    row_bytes: int,
    rows: int,
    pitch: int,
    planes: int = 1,
    plane_pitch: int = 0,
    continues: bool = False,
) -> int:
    """Cycles of a load or store of `planes` x `rows` DRAM rows of `row_bytes` bytes, pages included. It opens its first page, unless it
    `continues` where the instruction before it on the same side has stopped."""
    if row_bytes * rows * planes == 0:
        return 0
    beats, pages = _cost((row_bytes, rows, pitch), (planes, plane_pitch), machine.bus_bytes, machine.lanes, machine.page_bytes)
    return int(beats + (pages - continues) * machine.page_miss_cycles)


@lru_cache(maxsize=1 << 16)  # tilings of a layer have tile sizes in common
def _cost(walk: tuple[int, int, int], planes: tuple[int, int], bus: int, lanes: int, page: int) -> tuple[float, float]:
    """Beats and pages; walk and planes as for `dma_cycles`."""
    row_bytes, rows, pitch = walk
    count, plane_pitch = planes
    beats = count * _beats(row_bytes, rows, pitch, bus, lanes)
    of_rows, span = _pages(row_bytes, rows, pitch, page), (rows - 1) * abs(pitch) + row_bytes
    if abs(plane_pitch) >= span or count == 1:  # a walk that goes on where the plane before has ended
        return beats, min(count * of_rows, _pages(span, count, plane_pitch, page))
    if span >= page:
        return beats, count * of_rows
    return beats, 1 + 2 * count * (of_rows - 1)  # a plane may cross one border, there and back


def _pages(nbytes: int, count: int, pitch: int, page: int) -> float:
    """Pages opened by `count` runs of `nbytes` bytes, which begin anywhere in a page."""
    if abs(pitch) >= page:
        return count * (1 + (nbytes - 1) / page)
    return 1 + ((count - 1) * abs(pitch) + nbytes - 1) / page


@cache
def _beats(row_bytes: int, rows: int, pitch: int, bus: int, lanes: int) -> float:
    """Beats of a plane that begins at a word: a word that the piece before has fetched is not fetched again."""
    period = bus // gcd(pitch, bus) if pitch else 1
    simulated = min(rows, period)
    beats, word = 0, -1
    for row in range(simulated):
        for first in range(0, row_bytes, lanes):
            begin = row * pitch + first
            low, high = begin // bus, (begin + min(lanes, row_bytes - first) - 1) // bus
            beats += max(1, high - low + (low != word))
            word = high
    return beats * rows / simulated
