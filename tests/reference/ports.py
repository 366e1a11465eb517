"""Bank ports of scratchpad and accumulator: who holds which until when (docs/adr/0003, "Bank ports")."""

from dataclasses import dataclass

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.row import Memory
from tests.reference.decoded import (
    VECTOR_NAMES,
    Walk,
    accumulator_walks,
    highest,
    lowest,
    preface_beats,
    scratchpad_walks,
)
from tests.reference.tensor import Tensor


@dataclass(frozen=True)
class Need:
    """One access's need of the read or write port of banks. `until` names the event up to which they are held."""

    memory: Memory
    is_write: bool
    banks: frozenset[int]
    until: str


def banks(walk: Walk, bank_rows: int) -> range:
    """All banks from that of a walk's lowest row to that of its highest row."""
    base, levels, _ = walk
    return range((base + lowest(levels)) // bank_rows, (base + highest(levels)) // bank_rows + 1)


def needs(tensor: Tensor, machine: Machine) -> list[Need]:
    """All ports that an instruction needs."""
    name, values = tensor.name, tensor.values
    scratchpad = [
        frozenset(banks(w, machine.scratchpad_bank_rows)) for w in scratchpad_walks(name, values, machine)
    ]
    accumulator = [
        frozenset(banks(w, machine.accumulator_bank_rows)) for w in accumulator_walks(name, values, machine)
    ]
    if name in ("load.b", "fill.b"):
        return [Need(Memory.SCRATCHPAD, True, scratchpad[0], "completion")]
    if name in ("load.w", "fill.w"):
        return [Need(Memory.ACCUMULATOR, True, accumulator[0], "completion")]
    if name in ("store.b", "preload"):
        return [Need(Memory.SCRATCHPAD, False, scratchpad[0], "last beat")]
    if name == "store.w":
        return [Need(Memory.ACCUMULATOR, False, accumulator[0], "last beat")]
    if name == "run":
        update = (
            [Need(Memory.ACCUMULATOR, False, accumulator[0], "before completion")]
            if values["accumulate"]
            else []
        )
        write = Need(Memory.ACCUMULATOR, True, accumulator[0], "completion")
        return [Need(Memory.SCRATCHPAD, False, scratchpad[0], "last beat"), *update, write]
    if name == "dequantise":
        return [
            Need(Memory.SCRATCHPAD, False, scratchpad[0], "last beat"),
            Need(Memory.ACCUMULATOR, True, accumulator[0], "completion"),
        ]
    if name in VECTOR_NAMES:
        reads = len(scratchpad) - 1
        preface = {"requantise": 1, "depthwise": 2, "average": 1, "lookup": 1}.get(name, 0)
        return [
            *(Need(Memory.SCRATCHPAD, False, used, "preface") for used in scratchpad[:preface]),
            *(Need(Memory.SCRATCHPAD, False, used, "last beat") for used in scratchpad[preface:reads]),
            *(Need(Memory.ACCUMULATOR, False, used, "last beat") for used in accumulator),
            Need(Memory.SCRATCHPAD, True, scratchpad[-1], "completion"),
        ]
    return []


def is_held(need: Need, tensor: Tensor, cycle: int, machine: Machine) -> bool:
    """Whether an issued instruction still holds a port in this cycle."""
    if tensor.s is None:
        return False
    if need.until == "preface":
        return cycle <= tensor.s + preface_beats(tensor.name, tensor.values, machine) - 1
    if need.until == "last beat":
        return tensor.e is None or cycle <= tensor.e
    if need.until == "before completion":
        return tensor.e is None or cycle <= tensor.e + tensor.latency() - 1
    return tensor.c is None or cycle <= tensor.c


def port_fault(issuing: Tensor, issued: list[Tensor], cycle: int, machine: Machine) -> Fault:
    """The port fault of an instruction that issues in this cycle, NONE if no other unit holds what it needs."""
    found = [
        Fault.BANK_WRITE if need.is_write else Fault.BANK_READ
        for need in needs(issuing, machine)
        for other in issued
        if other.unit is not issuing.unit
        for held in needs(other, machine)
        if (need.memory, need.is_write) == (held.memory, held.is_write) and need.banks & held.banks
        if is_held(held, other, cycle, machine)
    ]
    return min(found, default=Fault.NONE)
