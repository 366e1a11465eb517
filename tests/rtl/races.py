"""Races at the level of beats: a reader that meets a writer on the same rows, at every distance between the two.

Random programs seldom read a row in the very cycles in which it is half written; here every cycle gets its turn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from accelkit.assembler import assemble
from accelkit.isa.machine import Machine
from accelkit.simulator.generator import Case, Step

_SETTINGS = """
        li a0, 4            # DRAM, misaligned to the bus
        li a1, 1024
        li t0, {bytes}      # part of a row, so that lanes are filled
        li t1, 7            # rows
        li t2, {stride}
        li t3, 77           # fill
        li t4, -128
        li t5, 127
        li t6, {columns}
        li t7, {parameters}
        li s0, {width}
        li s1, {other}
"""
_WRITERS = {
    "load.w": "load.w acc[zero], dram[a0], bytes=t0, rows=t1, stride=t2, fill=t3",
    "load.b": "load.b sp[zero], dram[a0], bytes=t0, rows=t1, stride=t2, fill=t3",
    "fill.w": "fill.w acc[zero], rows=t1, fill=t3",
    "run": "run acc[zero], sp[t7], rows=t1",
    "accumulate": "run acc[zero], sp[t7], rows=t1 accumulate",
    "requantise": "requantise sp[zero], acc[t1], params=sp[t7], rows=t1, min=t4, max=t5",
    "store.w": "store.w dram[a0], acc[zero], bytes=t0, rows=t1, stride=t2",
}
_WRITERS["load.w, requantise"] = (
    f"{_WRITERS['load.w']}\n{_WRITERS['requantise'].replace('acc[t1]', 'acc[zero]')}"
)
_STORE_W = "store.w dram[a1], acc[zero], bytes=s0, rows=t1, stride=s0"
_STORE_B = "store.b dram[a1], sp[zero], bytes=t6, rows=t1, stride=t6"
_RUN = "run acc[zero], sp[zero], rows=t1"
_REQUANTISE = "requantise sp[t7], acc[zero], params=sp[t7], rows=t1, min=t4, max=t5"
_READERS = {
    "load.w": (_STORE_W, _REQUANTISE),
    "load.b": (_STORE_B, _RUN, "preload sp[zero]"),
    "fill.w": (_STORE_W,),
    "run": (_STORE_W,),
    "accumulate": (_STORE_W,),
    "requantise": (_STORE_B, _RUN),
    "load.w, requantise": ("run acc[zero], sp[s1], rows=t1 accumulate",),  # meets a reader and a writer
    "store.w": ("load.w acc[t1], dram[a0], bytes=t0, rows=t1, stride=t2",),
}


def races(machine: Machine) -> Iterator[Case]:
    """Each writer with each of its readers, the reader 0, 1, 2, ... cycles after the writer until long after it is done."""
    columns = machine.array_columns
    settings = _SETTINGS.format(
        bytes=4 * (columns - 1),
        stride=4 * columns,
        columns=machine.lanes,
        width=4 * columns,
        parameters=machine.scratchpad_bank_rows,
        other=2 * machine.scratchpad_bank_rows,
    )
    longest = (
        machine.dram_read_latency_cycles
        + 7 * (4 * columns // machine.bus_bytes + 2)
        + 4 * machine.page_miss_cycles
    )
    for writer, text in _WRITERS.items():
        for reader in _READERS[writer]:
            for distance in range(longest + 4 * columns):
                nops = "nop\n" * distance
                source = f"{settings}preload sp[t7], rows=t6, columns=t6\nfence\n{text}\n{nops}{reader}\nsync.array\nhalt\n"
                yield _case(machine, f"{writer} against {reader.split()[0]}", distance, source)


def _case(machine: Machine, kind: str, seed: int, source: str) -> Case:
    rng = np.random.default_rng(0)
    scratchpad = rng.integers(0, 256, (machine.scratchpad_rows, machine.lanes)).astype(np.uint8)
    accumulator = rng.integers(-1000, 1000, (machine.accumulator_rows, machine.array_columns)).astype(
        np.int32
    )
    return Case(
        kind=kind,
        seed=seed,
        machine=machine,
        steps=tuple(Step(word=word) for word in assemble(source).words),
        argument_words=(),
        dram=((0, rng.bytes(2048)),),
        scratchpad=scratchpad,
        accumulator=accumulator,
        scratchpad_marks=np.ones(len(scratchpad), np.bool_),
        accumulator_marks=np.ones(len(accumulator), np.bool_),
        buffers=(),
        max_cycles=10_000,
    )
