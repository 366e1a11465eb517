"""Runs a launch on the verilated RTL: words, arguments and memory images in; memories, registers, events, classes and verdict out."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.codec import WORD_BYTES
from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.units import QUEUED_UNITS, CycleClass, SequencerClass, Unit
from accelkit.simulator.result import Verdict
from accelkit.simulator.rtl.build import build

_CLASSES = 16
_TRACE_COLUMNS = 5


class RtlGaveUpError(Exception):
    """The launch did not end within the cycles that the caller allows the RTL."""


class _Launch(ctypes.Structure):
    _fields_ = [
        ("words", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("dram", ctypes.c_void_p),
        ("scratchpad", ctypes.c_void_p),
        ("accumulator", ctypes.c_void_p),
        ("word_count", ctypes.c_uint64),
        ("argument_count", ctypes.c_uint64),
        ("max_cycles", ctypes.c_uint64),
        ("give_up", ctypes.c_uint64),
        ("dram_bytes", ctypes.c_uint64),
        ("vcd_path", ctypes.c_char_p),
    ]


class _Outcome(ctypes.Structure):
    _fields_ = [
        ("cycles", ctypes.c_uint64),
        ("unit_class", ctypes.c_uint64 * _CLASSES * len(QUEUED_UNITS)),
        ("sequencer_class", ctypes.c_uint64 * _CLASSES),
        ("registers", ctypes.c_uint32 * 32),
        ("has_halted", ctypes.c_uint32),
        ("has_faulted", ctypes.c_uint32),
        ("is_waiting", ctypes.c_uint32),
        ("is_queued", ctypes.c_uint32),
        ("is_port_fault", ctypes.c_uint32),
        ("has_given_up", ctypes.c_uint32),
        ("fault", ctypes.c_uint32),
        ("fault_pc", ctypes.c_uint32),
        ("fault_cycle", ctypes.c_uint64),
        ("dispatches", ctypes.c_uint64),
        ("trace", ctypes.c_void_p),
    ]


@dataclass
class Memories:
    """What a launch reads and writes, changed in place. Shapes: dram [bytes] uint8, scratchpad [rows, lanes] uint8, accumulator
    [rows, columns] int32; all C-contiguous."""

    dram: NDArray[np.uint8]
    scratchpad: NDArray[np.uint8]
    accumulator: NDArray[np.int32]

    @staticmethod
    def zero(machine: Machine) -> Memories:
        """Memories that hold zeros."""
        return Memories(
            np.zeros(machine.dram_bytes, np.uint8),
            np.zeros((machine.scratchpad_rows, machine.lanes), np.uint8),
            np.zeros((machine.accumulator_rows, machine.array_columns), np.int32),
        )

    def copy(self) -> Memories:
        """Memories with the same contents."""
        return Memories(self.dram.copy(), self.scratchpad.copy(), self.accumulator.copy())


@dataclass(frozen=True)
class RtlResult:
    """What the RTL did: fields as in `LaunchResult`. `fault` is NONE unless the verdict is a fault. After a port fault only verdict,
    fault, fault_pc and fault_cycle mean anything."""

    verdict: Verdict
    cycles: int
    registers: tuple[int, ...]
    units: Mapping[Unit, Mapping[CycleClass, int]]
    sequencer: Mapping[SequencerClass, int]
    fault: Fault
    fault_pc: int
    fault_cycle: int
    trace: NDArray[np.int64]


class Rtl:
    """The verilated RTL of a machine."""

    def __init__(self, machine: Machine, library: Path | None = None, vcd: bool = False) -> None:
        self.machine = machine
        self._library = ctypes.CDLL(str(library or build(machine, vcd=vcd)))

    def run(
        self,
        words: Sequence[int],
        arguments: Sequence[int],
        memories: Memories,
        max_cycles: int,
        give_up: int = 1 << 62,
        vcd_path: Path | None = None,
    ) -> RtlResult:
        """One launch. `vcd_path` needs an Rtl with vcd=True. RtlGaveUpError if it goes on past cycle `give_up`; ValueError if program,
        arguments or memories do not fit the machine."""
        self._check(words, arguments, memories)
        text = b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)
        argument_array = (ctypes.c_uint32 * max(1, len(arguments)))(
            *(value & 0xFFFFFFFF for value in arguments)
        )
        launch = _Launch(
            ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p),
            ctypes.cast(argument_array, ctypes.c_void_p),
            memories.dram.ctypes.data,
            memories.scratchpad.ctypes.data,
            memories.accumulator.ctypes.data,
            len(words),
            len(arguments),
            max_cycles,
            give_up,
            self.machine.dram_bytes,
            str(vcd_path).encode() if vcd_path else None,
        )
        outcome = _Outcome()
        self._library.accel_run(ctypes.byref(launch), ctypes.byref(outcome))
        trace = np.ctypeslib.as_array(
            ctypes.cast(outcome.trace, ctypes.POINTER(ctypes.c_int64)),
            (outcome.dispatches + 1, _TRACE_COLUMNS),
        )
        copied: NDArray[np.int64] = trace[:-1].copy()
        self._library.accel_free(ctypes.c_void_p(outcome.trace))
        if outcome.has_given_up:
            raise RtlGaveUpError(f"the launch still runs after {give_up} cycles")
        return _result(outcome, max_cycles, copied)

    def _check(self, words: Sequence[int], arguments: Sequence[int], memories: Memories) -> None:
        machine = self.machine
        if len(words) > machine.instruction_words or len(arguments) > machine.argument_words:
            raise ValueError(
                f"{len(words)} words and {len(arguments)} arguments; {machine.name} has {machine.instruction_words} and"
                f" {machine.argument_words}"
            )
        for name, array, shape, dtype in (
            ("dram", memories.dram, (machine.dram_bytes,), np.uint8),
            ("scratchpad", memories.scratchpad, (machine.scratchpad_rows, machine.lanes), np.uint8),
            (
                "accumulator",
                memories.accumulator,
                (machine.accumulator_rows, machine.array_columns),
                np.int32,
            ),
        ):
            if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous:
                raise ValueError(
                    f"{name}: {array.dtype} {array.shape}, expected C-contiguous {np.dtype(dtype)} {shape}"
                )


def _result(outcome: _Outcome, max_cycles: int, trace: NDArray[np.int64]) -> RtlResult:
    verdict = _verdict(outcome, max_cycles)
    is_fault = verdict in (Verdict.PORT_FAULT, Verdict.DISPATCH_FAULT)
    return RtlResult(
        verdict=verdict,
        cycles=outcome.cycles,
        registers=tuple(outcome.registers),
        units={unit: {cls: outcome.unit_class[unit][cls] for cls in CycleClass} for unit in QUEUED_UNITS},
        sequencer={cls: outcome.sequencer_class[cls] for cls in SequencerClass},
        fault=Fault(outcome.fault) if is_fault else Fault.NONE,
        fault_pc=outcome.fault_pc if is_fault else -1,
        fault_cycle=outcome.fault_cycle if is_fault else -1,
        trace=trace,
    )


def _verdict(outcome: _Outcome, max_cycles: int) -> Verdict:
    """The verdict from the state in which nothing moves any more (docs/adr/0003)."""
    if outcome.is_port_fault:
        return Verdict.PORT_FAULT
    if outcome.has_faulted:
        return Verdict.DISPATCH_FAULT
    if outcome.has_halted:
        return Verdict.DEADLOCK if outcome.is_queued else Verdict.HALTED
    return Verdict.DEADLOCK if outcome.is_waiting and outcome.cycles <= max_cycles else Verdict.BOUND


@lru_cache(maxsize=8)
def rtl_of(machine: Machine) -> Rtl:
    """The RTL of a machine, built once and kept loaded."""
    return Rtl(machine)
