"""Cycles of DMA instructions, as ADR 0003 counts their beats, without the latency."""

from functools import cache
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
    beats = planes * _beats(row_bytes, rows, pitch, machine.bus_bytes, machine.lanes)
    page = machine.page_bytes
    of_rows, span = _pages(row_bytes, rows, pitch, page), (rows - 1) * abs(pitch) + row_bytes
    if abs(plane_pitch) >= span or planes == 1:  # a walk that goes on where the plane before has ended
        pages = min(planes * of_rows, _pages(span, planes, plane_pitch, page))
    elif span >= page:
        pages = planes * of_rows
    else:  # a plane may cross one border, there and back
        pages = 1 + 2 * planes * (of_rows - 1)
    return int(beats + (pages - continues) * machine.page_miss_cycles)


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
