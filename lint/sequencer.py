"""The sequencer alone: scalar instructions on one case's arguments, and the tensor instructions that they dispatch.

Tensor data never reaches a scalar register, so this trace is that of every run. Only `rdcycle` knows the time: a register that depends
on it is *timed*, and where control flow or an operand does, the trace ends, for other timings go elsewhere.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.row import Kind
from accelkit.lint.capture import Captured, Capturer
from accelkit.lint.effort import TENSOR_STEPS
from accelkit.lint.words import Word

MASK = 0xFFFFFFFF
MOST_DISPATCHES = 2_000_000  # a case that runs longer counts as endless; 100,000 tensor instructions take less than half of that
MOST_TENSORS = 250_000  # likewise; they take some 300 MB


class End(Enum):
    """Why a trace ends."""

    HALT = "halt"
    FAULT = "dispatch fault"
    TIMED = "depends on rdcycle"
    ENDLESS = "the program does not end"
    CUT = "takes more steps than it may"


@dataclass
class Trace:
    """Tensor instructions in order of dispatch; `fences` has the number of them before each fence, in order.

    `steps` says how long it took. `last_pc` is the instruction at which it ends, `fault` and `detail` say which dispatch fault it met.
    `unwritten` has the (pc, register) of reads of registers that nothing had written.
    """

    tensors: list[Captured] = field(default_factory=list)
    fences: list[int] = field(default_factory=list)
    dispatched: set[int] = field(default_factory=set)
    unwritten: set[tuple[int, int]] = field(default_factory=set)
    end: End = End.HALT
    steps: int = 0
    last_pc: int = 0
    fault: Fault = Fault.NONE
    detail: str = ""


def signed(value: int) -> int:
    """An unsigned 32-bit value as a signed one."""
    return value - (1 << 32) if value & 0x80000000 else value


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "sll": lambda a, b: a << (b & 31),
    "srl": lambda a, b: a >> (b & 31),
    "sra": lambda a, b: signed(a) >> (b & 31),
    "slt": lambda a, b: signed(a) < signed(b),
    "sltu": lambda a, b: a < b,
    "min": lambda a, b: min(signed(a), signed(b)),
    "max": lambda a, b: max(signed(a), signed(b)),
}
_IMMEDIATE_NAMES = {"sltiu": "sltu"} | {f"{name}i": name for name in _ARITHMETIC}
_BRANCHES: dict[str, Callable[[int, int], bool]] = {
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "blt": lambda a, b: signed(a) < signed(b),
    "bge": lambda a, b: signed(a) >= signed(b),
    "bltu": lambda a, b: a < b,
    "bgeu": lambda a, b: a >= b,
}


class Sequencer:
    """Runs one case; `run` gives its trace."""

    def __init__(self, code: Sequence[Word | None], arguments: Sequence[int], machine: Machine) -> None:
        self.code = code
        self.arguments = [word & MASK for word in arguments]
        self.registers = [0] * 32
        self.written = 1  # bit sets of registers
        self.timed = 0
        self.pc = 0
        self.trace = Trace()
        self._mark = (-1, list(self.registers))  # a state after a branch back; the program that comes to it again never ends
        self._until_mark = 1
        self._since_mark = 0
        self._rounds_left = machine.queue_depth + 2  # so many times round fill every queue that an endless loop feeds
        self.capturer = Capturer(machine)

    def run(self, most_steps: int = 1 << 60) -> Trace:
        """Execute until the program ends, faults, or goes on for ever; or until `most_steps`, of which tensor instructions take more
        (effort.py)."""
        trace, code = self.trace, self.code
        step = {
            "arithmetic": self._arithmetic,
            "load_immediate": self._load_immediate,
            "read_argument": self._read_argument,
            "read_cycle": self._read_cycle,
            "branch": self._branch,
            "jump": self._jump,
            "fence": self._fence,
            "halt": self._halt,
            "trap": self._trap,
        }
        steps = [None if w is None else self._tensor if w.row.is_tensor else step[w.row.execute] for w in code]
        tensors = trace.tensors
        for count in range(MOST_DISPATCHES):
            pc = self.pc
            trace.last_pc = pc
            trace.steps = count + TENSOR_STEPS * len(tensors)
            if trace.steps >= most_steps:
                trace.end = End.CUT
                return trace
            if len(tensors) >= MOST_TENSORS:
                break
            if not 0 <= pc < len(code):
                return self._fault(Fault.FETCH, f"instruction {pc} of a program of {len(code)}")
            trace.dispatched.add(pc)
            word, act = code[pc], steps[pc]
            if word is None or act is None:
                return self._fault(Fault.ILLEGAL, "the word is no instruction")
            if word.reads & (self.timed | ~self.written):
                self._note_reads(word, pc)
            if not act(word) or (self.pc <= pc and self._has_been_here()):
                return trace
        trace.end = End.ENDLESS
        return trace

    def _has_been_here(self) -> bool:
        """Whether the program is in a state in which it has been before (Brent: the mark moves at powers of two)."""
        if self._mark == (self.pc, self.registers):
            self._rounds_left -= 1
            if not self._rounds_left:
                self.trace.end = End.ENDLESS
                return True
            return False
        self._since_mark += 1
        if self._since_mark == self._until_mark:
            self._mark = (self.pc, list(self.registers))
            self._until_mark *= 2
            self._since_mark = 0
        return False

    def _fault(self, fault: Fault, detail: str) -> Trace:
        self.trace.end, self.trace.fault, self.trace.detail = End.FAULT, fault, detail
        return self.trace

    def _note_reads(self, word: Word, pc: int) -> None:
        for register in range(1, 32):
            if word.reads & ~self.written & 1 << register:
                self.trace.unwritten.add((pc, register))

    def _set(self, word: Word, value: int) -> bool:
        if word.rd:
            self.registers[word.rd] = value & MASK
            self.written |= word.writes
            if word.reads & self.timed:
                self.timed |= word.writes
            else:
                self.timed &= ~word.writes
        self.pc += 1
        return True

    def _is_timed(self, word: Word) -> bool:
        if word.reads & self.timed:
            self.trace.end = End.TIMED
            return True
        return False

    def _arithmetic(self, word: Word) -> bool:
        name = word.row.mnemonic
        a = self.registers[word.rs1]
        if name in _ARITHMETIC:
            return self._set(word, _ARITHMETIC[name](a, self.registers[word.rs2]))
        return self._set(word, _ARITHMETIC[_IMMEDIATE_NAMES[name]](a, word.imm))

    def _load_immediate(self, word: Word) -> bool:
        return self._set(word, word.imm)

    def _read_argument(self, word: Word) -> bool:
        if self._is_timed(word):
            return False
        index = (self.registers[word.rs1] + word.imm) & MASK
        if index >= len(self.arguments):
            self._fault(Fault.ARGUMENT, f"argument word {index}, the case passes {len(self.arguments)}")
            return False
        return self._set(word, self.arguments[index])

    def _read_cycle(self, word: Word) -> bool:
        self._set(word, 0)
        self.timed |= word.writes
        return True

    def _branch(self, word: Word) -> bool:
        if self._is_timed(word):
            return False
        is_taken = _BRANCHES[word.row.mnemonic](self.registers[word.rs1], self.registers[word.rs2])
        self.pc = (self.pc + word.imm) & MASK if is_taken else self.pc + 1
        return True

    def _jump(self, word: Word) -> bool:
        if self._is_timed(word):
            return False
        is_relative = any(operand.kind is Kind.TARGET for operand in word.row.operands)
        target = (self.pc if is_relative else self.registers[word.rs1]) + word.imm
        self._set(word, self.pc + 1)
        self.pc = target & MASK
        return True

    def _fence(self, _: Word) -> bool:
        self.trace.fences.append(len(self.trace.tensors))
        self.pc += 1
        return True

    def _halt(self, _: Word) -> bool:
        return False

    def _trap(self, word: Word) -> bool:
        self._fault(Fault.TRAP, f"code {word.imm}")
        return False

    def _tensor(self, word: Word) -> bool:
        if self._is_timed(word):
            return False
        found = self.capturer.capture(self.pc, word, self.registers)
        if not isinstance(found, Captured):
            self._fault(*found)
            return False
        self.trace.tensors.append(found)
        self.pc += 1
        return True
