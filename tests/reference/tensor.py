"""Tensor instructions of the reference machine: events, and the places that they touch. Their beats: beats.py."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from accelkit.isa.codec import Decoded
from accelkit.isa.machine import Machine
from accelkit.isa.units import Port, Unit, channels_posted, channels_waited
from tests.reference.decoded import (
    Walk,
    accumulator_walks,
    dram_walks,
    scratchpad_walks,
)
from tests.reference.vector_values import Values

MOST_BEATS = 300_000
VECTOR_LATENCY = {"requantise": 6, "depthwise": 7, "average": 7, "maximum": 2, "lookup": 2}
VECTOR_LATENCY |= {"add.b": 8, "multiply.b": 8, "quantise": 30, "dequantise": 4}


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
