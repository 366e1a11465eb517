"""Tensor instructions of the reference machine as lists of beats.

A beat reads memories when it takes place and may leave a write that takes place some cycles later. Running the beats of one instruction
at once, each with its write, gives the effect of the whole instruction.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.reference.decoded import PAIR_NAMES, preface_beats
from tests.reference.tensor import Memories, Tensor
from tests.reference.vector_values import byte_values, result_row, wrap

Write = Callable[[], None]
STORE_COMMIT = 1  # a store's bytes reach DRAM one cycle after the beat that reads them on chip


@dataclass
class Beat:
    """`act` reads and returns the write that takes place `delay` cycles later, if any. `word` is the bus word it transfers."""

    act: Callable[[Memories], Write | None]
    delay: int = 0
    word: int | None = None


def beats_of(t: Tensor) -> list[Beat]:
    """All beats in order; a fresh list, whose beats share what a load keeps between them."""
    if t.name.startswith("load"):
        return _load_beats(t)
    if t.name.startswith("store"):
        return _store_beats(t)
    if t.name.startswith("sync"):
        return [Beat(lambda memories: None)]
    makers = {"fill.b": _fill_beats, "fill.w": _fill_beats, "preload": _preload_beats, "run": _run_beats}
    return makers.get(t.name, _vector_beats)(t)


def _pieces(t: Tensor) -> Iterator[tuple[int, int, int]]:
    """(first byte in DRAM, bytes, on-chip row) of every column block of every row, in order."""
    v = t.values
    width = t.machine.lanes if t.name.endswith(".b") else 4 * t.machine.array_columns
    base = v["sp"] if t.name.endswith(".b") else v["acc"]
    for plane in range(v["planes"]):
        for row in range(v["rows"]):
            for block in range((v["bytes"] + width - 1) // width):
                address = v["dram"] + plane * v["plane_stride"] + row * v["stride"] + block * width
                place = base + plane * v["plane_step"] + row * v["step"] + block * v["block_step"]
                yield address, min(width, v["bytes"] - block * width), place


def _load_beats(t: Tensor) -> list[Beat]:
    """Each beat writes the bytes of its own word; the first of a piece also those of the word that it need not fetch again, as they were
    when it was fetched; the last of a piece also the lanes past its end."""
    bus, latency = t.machine.bus_bytes, t.latency()
    fetched: dict[int, npt.NDArray[np.uint8]] = {}
    fill = np.array([t.values["fill"]] * t.machine.lanes, "<i4").view(np.uint8)
    fill = fill[::4] if t.name == "load.b" else fill
    beats: list[Beat] = []
    previous: int | None = None

    def beat(word: int | None, covered: list[int], piece: tuple[int, int, int], is_last: bool) -> Beat:
        address, nbytes, place = piece

        def act(memories: Memories) -> Write:
            if word is not None:
                fetched[word] = memories.dram[word * bus : (word + 1) * bus].copy()
            new = {byte - address: fetched[byte // bus][byte % bus] for byte in covered}
            if is_last:
                new |= {lane: fill[lane] for lane in range(nbytes, len(fill))}
            memory = memories.scratchpad if t.name == "load.b" else memories.accumulator
            row = memory[place].view(np.uint8)
            return lambda: row.__setitem__(list(new), list(new.values()))

        return Beat(act, latency, word)

    for piece in _pieces(t):
        address, nbytes, _ = piece
        words = list(range(address // bus, (address + nbytes - 1) // bus + 1))
        is_reused = words[0] == previous
        todo: list[int | None] = list(words[is_reused:]) or [None]
        for place, word in enumerate(todo):
            mine = {word, words[0]} if is_reused and place == 0 else {word}
            covered = [byte for byte in range(address, address + nbytes) if byte // bus in mine]
            beats.append(beat(word, covered, piece, place == len(todo) - 1))
        previous = words[-1]
    return beats


def _store_beats(t: Tensor) -> list[Beat]:
    bus = t.machine.bus_bytes

    def beat(word: int, address: int, nbytes: int, place: int) -> Beat:
        first, end = max(address, word * bus), min(address + nbytes, (word + 1) * bus)

        def act(memories: Memories) -> Write:
            row = (
                memories.scratchpad[place]
                if t.name == "store.b"
                else memories.accumulator[place].astype("<i4").view(np.uint8)
            )
            data = row[first - address : end - address].copy()
            return lambda: memories.dram.__setitem__(slice(first, end), data)

        return Beat(act, STORE_COMMIT + t.extra, word)

    return [
        beat(word, *piece)
        for piece in _pieces(t)
        for word in range(piece[0] // bus, (piece[0] + piece[1] - 1) // bus + 1)
    ]


def _fill_beats(t: Tensor) -> list[Beat]:
    latency, value = t.latency(), t.values["fill"]

    def beat(place: int) -> Beat:
        def act(memories: Memories) -> Write:
            if t.name == "fill.b":
                return lambda: memories.scratchpad[place].fill(value % 256)
            return lambda: memories.accumulator[place].fill(value)

        return Beat(act, latency)

    touched = t.touched()
    return [beat(place) for place in touched.scratchpad_write + touched.accumulator_write]


# ---- array


def _preload_beats(t: Tensor) -> list[Beat]:
    v = t.values

    def beat(index: int) -> Beat:
        def act(memories: Memories) -> None:
            if index >= (v["columns"] if v["transposed"] else v["rows"]):
                return
            row = byte_values(memories.scratchpad[v["sp"] + index * v["step"]], v["u8"]) - v["zp"]
            if v["transposed"]:
                t.weights[: v["rows"], index] = row[: v["rows"]]
            else:
                t.weights[index, : v["columns"]] = row[: v["columns"]]

        return Beat(act)

    return [
        beat(index) for index in range(t.machine.array_columns if v["transposed"] else t.machine.array_rows)
    ]


def _run_beats(t: Tensor) -> list[Beat]:
    v, rows = t.values, t.touched()

    def beat(source: int, target: int) -> Beat:
        def act(memories: Memories) -> Write:
            row = byte_values(memories.scratchpad[source][: t.machine.array_rows].copy(), v["u8"]) - v["zp"]

            # The sum is added to what the row holds when it is written: the read one cycle before sees the write of that cycle by
            # the row before (forwarding), and no other unit can write to the bank, as this one holds its port.
            def write() -> None:
                exact = row @ t.weights + (
                    memories.accumulator[target].astype(np.int64) if v["accumulate"] else 0
                )
                t.has_overflow |= bool(np.any(exact != wrap(exact)))
                memories.accumulator[target] = wrap(exact)

            return write

        return Beat(act, t.latency())

    return [
        beat(source, target)
        for source, target in zip(rows.scratchpad_read, rows.accumulator_write, strict=True)
    ]


# ---- vector unit


def _vector_beats(t: Tensor) -> list[Beat]:
    """Beats that keep the rows that come first, then for each result a beat per source row, the last of which leaves the write."""
    v, touched = t.values, t.touched()
    kept: list[npt.NDArray[np.uint8]] = []
    preface = preface_beats(t.name, v, t.machine)
    sources = touched.accumulator_read or touched.scratchpad_read[preface:]
    targets = touched.scratchpad_write or touched.accumulator_write
    count = len(sources) // len(targets)
    groups = [sources[first : first + count] for first in range(0, len(sources), count)]
    if t.name in PAIR_NAMES:  # first all rows of the left operand, then all of the right one
        groups = [list(pair) for pair in zip(sources[: len(targets)], sources[len(targets) :], strict=True)]

    def keep(place: int) -> Beat:
        return Beat(lambda memories: kept.append(memories.scratchpad[place].copy()))

    def result_beats(places: list[int], target: int) -> list[Beat]:
        rows: list[npt.NDArray[np.int64]] = []

        def beat(place: int) -> Beat:
            def act(memories: Memories) -> Write | None:
                if touched.accumulator_read:
                    rows.append(memories.accumulator[place].astype(np.int64))
                else:
                    rows.append(byte_values(memories.scratchpad[place].copy(), v.get("u8", 0)))
                if len(rows) < len(places):
                    return None
                result = result_row(t, kept, rows)
                memory = memories.scratchpad if touched.scratchpad_write else memories.accumulator
                return lambda: memory.__setitem__(target, result)

            return Beat(act, t.latency())

        return [beat(place) for place in places]

    results = [result_beats(*pair) for pair in zip(groups, targets, strict=True)]
    return [*map(keep, touched.scratchpad_read[:preface]), *(beat for beats in results for beat in beats)]
