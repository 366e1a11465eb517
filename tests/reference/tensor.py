"""Tensor instructions of the reference machine as lists of beats.

A beat reads memories when it takes place and may leave a write that takes place some cycles later. Running the beats of one instruction
at once, each with its write, gives the effect of the whole instruction.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from accelkit.isa.codec import Decoded
from accelkit.isa.machine import Machine
from accelkit.isa.units import Port, Unit, channels_posted, channels_waited
from tests.reference.decoded import (
    PAIR_NAMES,
    Walk,
    accumulator_walks,
    dram_walks,
    preface_beats,
    scratchpad_walks,
)
from tests.reference.vector_values import Values, byte_values, result_row, wrap

Write = Callable[[], None]
MOST_BEATS = 300_000
VECTOR_LATENCY = {"requantise": 6, "depthwise": 7, "average": 7, "maximum": 2, "lookup": 2}
VECTOR_LATENCY |= {"add.b": 8, "multiply.b": 8, "quantise": 30, "dequantise": 4}
STORE_COMMIT = 1  # a store's bytes reach DRAM one cycle after the beat that reads them on chip


class TooLong(Exception):
    """A program that would take this reference minutes: no verdict."""


@dataclass
class Memories:
    """Scratchpad uint8 [rows, lanes], accumulator int32 [rows, columns], DRAM uint8 [bytes], and the weights of the latest preload in
    program order, int64 [array rows, array columns]."""

    scratchpad: npt.NDArray[np.uint8]
    accumulator: npt.NDArray[np.int32]
    dram: npt.NDArray[np.uint8]


@dataclass
class Beat:
    """`act` reads and returns the write that takes place `delay` cycles later, if any. `word` is the bus word it transfers."""

    act: Callable[[Memories], Write | None]
    delay: int = 0
    word: int | None = None


@dataclass
class Touched:
    """Places in the order of the walk, with repeats: rows, and bytes of DRAM."""

    scratchpad_read: list[int] = field(default_factory=list)
    scratchpad_write: list[int] = field(default_factory=list)
    accumulator_read: list[int] = field(default_factory=list)
    accumulator_write: list[int] = field(default_factory=list)
    dram_read: list[int] = field(default_factory=list)
    dram_write: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Tensor:
    """One dispatched tensor instruction. Events are None until they take place; `weights` are those that a preload makes, or that a
    run uses; `has_overflow` is set by beats that wrapped; `extra` is what DRAM takes longer for it (docs/adr/0015)."""

    number: int
    pc: int
    name: str
    unit: Unit
    port: Port
    values: Values
    waits: list[int]
    posts: list[int]
    machine: Machine
    d: int
    weights: npt.NDArray[np.int64]
    s: int | None = None
    e: int | None = None
    c: int | None = None
    has_overflow: bool = False
    extra: int = 0

    def latency(self) -> int:
        """Cycles from the last beat to completion."""
        machine = self.machine
        if self.name.startswith(("load", "fill")):
            return machine.dram_read_latency_cycles + self.extra
        if self.name.startswith("store"):
            return machine.dram_write_latency_cycles + self.extra
        array = machine.array_rows + machine.array_columns + 1
        return {"preload": 1, "run": array, **VECTOR_LATENCY}.get(self.name, 0)

    def beats(self) -> list[Beat]:
        """All beats in order; a fresh list, whose beats share what a load keeps between them."""
        if self.name.startswith("load"):
            return _load_beats(self)
        if self.name.startswith("store"):
            return _store_beats(self)
        if self.name.startswith("sync"):
            return [Beat(lambda memories: None)]
        makers = {"fill.b": _fill_beats, "fill.w": _fill_beats, "preload": _preload_beats, "run": _run_beats}
        return makers.get(self.name, _vector_beats)(self)

    def touched(self) -> Touched:
        """Everything that the instruction reads and writes."""
        name, v, touched = self.name, self.values, Touched()
        scratchpad = [_places(walk) for walk in scratchpad_walks(name, v, self.machine)]
        accumulator = [place for walk in accumulator_walks(name, v, self.machine) for place in _places(walk)]
        dram = [place for walk in dram_walks(name, v) for place in _places(walk)]
        if name == "dequantise":
            touched.scratchpad_read, touched.accumulator_write = scratchpad[0], accumulator
        elif self.unit is Unit.VECTOR and scratchpad:
            touched.scratchpad_read = [row for walk in scratchpad[:-1] for row in walk]
            touched.scratchpad_write, touched.accumulator_read = scratchpad[-1], accumulator
        elif name.startswith("store"):
            touched.scratchpad_read = scratchpad[0] if scratchpad else []
            touched.accumulator_read, touched.dram_write = accumulator, dram
        elif self.unit is Unit.LOAD:
            touched.scratchpad_write = scratchpad[0] if scratchpad else []
            touched.accumulator_write, touched.dram_read = accumulator, dram
        elif self.unit is Unit.ARRAY and scratchpad:
            touched.scratchpad_read, touched.accumulator_write = scratchpad[0], accumulator
            touched.accumulator_read = accumulator if v.get("accumulate") else []
        return touched


def make_tensor(
    number: int,
    pc: int,
    decoded: Decoded,
    values: Values,
    machine: Machine,
    d: int,
    weights: npt.NDArray[np.int64],
) -> Tensor:
    """The instruction that the sequencer dispatches in cycle `d`."""
    row = decoded.row
    assert row.port is not None
    window = values.get("lines", 1) * values.get("columns", 1) if row.unit is Unit.VECTOR else 1
    if values.get("rows", 1) * values.get("planes", 1) * values.get("bytes", 1) * window > MOST_BEATS * 4:
        raise TooLong
    if row.mnemonic == "preload":
        weights = np.zeros((machine.array_rows, machine.array_columns), np.int64)
    waits = [c.number for c in channels_waited(row.unit) if decoded.values["wait"] >> c.wait_bit & 1]
    posts = [c.number for c in channels_posted(row.port) if decoded.values["post"] >> c.post_bit & 1]
    return Tensor(number, pc, row.mnemonic, row.unit, row.port, values, waits, posts, machine, d, weights)


def _places(walk: Walk) -> list[int]:
    base, levels, width = walk
    places = [base]
    for count, step in levels:
        places = [place + step * index for place in places for index in range(count)]
    return [place + byte for place in places for byte in range(width)]


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
