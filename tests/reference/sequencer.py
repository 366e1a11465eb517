"""The reference machine's sequencer: what it waits for, and what a dispatch does."""

from collections.abc import Mapping, Sequence

import numpy as np

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.units import SequencerClass, Unit
from tests.reference.decoded import WORDS, arithmetic, decode, is_taken, operand_values, tensor_fault
from tests.reference.tensor import Tensor, make_tensor
from tests.reference.units import UnitState

QUEUE_CLASS = {
    Unit.LOAD: SequencerClass.QUEUE_LOAD,
    Unit.STORE: SequencerClass.QUEUE_STORE,
    Unit.ARRAY: SequencerClass.QUEUE_ARRAY,
    Unit.VECTOR: SequencerClass.QUEUE_VECTOR,
}
BRANCHES = ("beq", "bne", "blt", "bge", "bltu", "bgeu")


class Sequencer:
    """Registers, pc, and everything dispatched so far. `verdict` is empty while it runs, then "halted", "dispatch fault" or
    "cycle bound". `fences` are numbers of tensor instructions dispatched before each fence."""

    def __init__(self, words: Sequence[int], argument_words: Sequence[int], machine: Machine) -> None:
        self.decoded = [decode(word) for word in words]
        self.arguments, self.machine = argument_words, machine
        self.registers = [0] * 32
        self.pc = 0
        self.verdict = ""
        self.fault, self.fault_pc, self.fault_cycle = Fault.NONE, -1, -1
        self.has_bubble = False  # the cycle after a taken branch
        self.dispatched: list[tuple[int, int, Tensor | None]] = []  # pc, cycle, tensor instruction
        self.tensors: list[Tensor] = []
        self.fences: list[int] = []
        self.weights = np.zeros((machine.array_rows, machine.array_columns), np.int64)
        self.has_weights = False

    def waits_for(self, units: Mapping[Unit, UnitState], cycle: int) -> SequencerClass | None:
        """Why nothing dispatches in this cycle, None if something does. A bubble lasts one call."""
        if self.has_bubble:
            self.has_bubble = False
            return SequencerClass.BRANCH
        decoded = self.decoded[self.pc] if 0 <= self.pc < len(self.decoded) else None
        if decoded is None:
            return None
        if decoded.row.is_tensor and len(units[decoded.row.unit].queue) >= self.machine.queue_depth:
            return QUEUE_CLASS[decoded.row.unit]
        if decoded.row.mnemonic == "fence" and any(u.queue or u.in_flight for u in units.values()):
            return SequencerClass.FENCE
        return None

    def dispatch(self, units: Mapping[Unit, UnitState], cycle: int) -> None:
        """Dispatch the instruction at pc."""
        if not 0 <= self.pc < len(self.decoded):
            return self._stop("dispatch fault", Fault.FETCH, cycle)
        decoded = self.decoded[self.pc]
        if decoded is None:
            return self._stop("dispatch fault", Fault.ILLEGAL, cycle)
        if not decoded.row.is_tensor:
            return self._scalar(decoded.row.mnemonic, dict(decoded.values), cycle)
        values = operand_values(decoded, self.registers)
        fault = tensor_fault(decoded, values, self.has_weights, self.machine)
        if fault is not Fault.NONE:
            return self._stop("dispatch fault", fault, cycle)
        tensor = make_tensor(len(self.tensors), self.pc, decoded, values, self.machine, cycle, self.weights)
        if tensor.name == "preload":
            self.weights, self.has_weights = tensor.weights, True
        self.tensors.append(tensor)
        units[tensor.unit].queue.append(tensor)
        self.dispatched.append((self.pc, cycle, tensor))
        self.pc += 1
        return None

    def _stop(self, verdict: str, fault: Fault, cycle: int) -> None:
        self.verdict = verdict
        if fault is not Fault.NONE:
            self.fault, self.fault_pc, self.fault_cycle = fault, self.pc, cycle
        self.dispatched.append((self.pc, cycle, None))

    def _scalar(self, name: str, fields: dict[str, int], cycle: int) -> None:
        a, b = (self.registers[fields.get(field, 0)] for field in ("rs1", "rs2"))
        immediate = fields.get("imm", 0)
        result: int | None = None
        target = self.pc + 1
        if name == "halt":
            return self._stop("halted", Fault.NONE, cycle)
        if name == "trap":
            return self._stop("dispatch fault", Fault.TRAP, cycle)
        if name == "larg":
            index = (a + immediate) % WORDS
            if index >= len(self.arguments):
                return self._stop("dispatch fault", Fault.ARGUMENT, cycle)
            result = self.arguments[index] % WORDS
        elif name == "fence":
            self.fences.append(len(self.tensors))
        elif name == "li":
            result = immediate
        elif name == "rdcycle":
            result = cycle % WORDS
        elif name in ("jal", "jalr"):
            result = self.pc + 1
            target = self.pc + immediate if name == "jal" else (a + immediate) % WORDS
            self.has_bubble = True
        elif name in BRANCHES:
            self.has_bubble = is_taken(name, a, b)
            target = self.pc + immediate if self.has_bubble else target
        else:
            has_immediate = "imm" in fields
            operation = {"sltiu": "sltu"}.get(name, name.removesuffix("i") if has_immediate else name)
            result = arithmetic(operation, a, immediate if has_immediate else b)
        self.dispatched.append((self.pc, cycle, None))
        if result is not None and fields["rd"] != 0:
            self.registers[fields["rd"]] = result % WORDS
        self.pc = target % WORDS
        return None
