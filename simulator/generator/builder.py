"""Writes a case step by step: registers get the values that operands need, conflicts get their tokens."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.registers import REGISTER_COUNT
from accelkit.isa.row import Instruction, Kind, Memory
from accelkit.isa.table import TABLE
from accelkit.isa.units import Unit
from accelkit.simulator.generator.case import MASK_32, Step
from accelkit.simulator.generator.footprint import Footprint, footprints
from accelkit.simulator.generator.memory import Image
from accelkit.simulator.generator.operands import Places, Values, choose, fits
from accelkit.simulator.generator.order import Order

# How often a row is drawn; rows that are not named (those of a plug-in, say) get 1.
WEIGHTS: Mapping[str, float] = {
    "load.b": 4,
    "load.w": 2,
    "fill.b": 1.5,
    "fill.w": 1,
    "store.b": 3,
    "store.w": 2,
    "preload": 3,
    "run": 5,
    "requantise": 3,
    "depthwise": 1.5,
    "average": 1,
    "maximum": 1,
    "lookup": 1,
    "add.b": 1,
    "multiply.b": 1,
    "quantise": 1,
    "dequantise": 1,
    "sync.load": 0.5,
    "sync.store": 0.5,
    "sync.array": 0.5,
    "sync.vector": 0.5,
}
MAX_CYCLES = 200_000  # more than any case takes that ends
DEFAULTS = {Kind.COUNT: 1, Kind.STEP: 1}
TENSOR_ROWS = tuple(row for row in TABLE.rows if row.is_tensor)


@dataclass(frozen=True)
class Policy:
    """Probabilities of a kind of case: that conflicts are ordered, reads meet written rows, DRAM accesses stay in buffers,
    a scalar instruction of no use stands before a tensor instruction."""

    order_rows: float = 1.0
    order_banks: float = 1.0
    spare_tokens: float = 0.2
    read_written: float = 1.0
    stay_in_buffers: float = 1.0
    scalar_noise: float = 0.15


class Builder:
    """Steps so far, what registers surely hold, and the order of the tensor instructions since the last `restart`."""

    def __init__(self, machine: Machine, random: Random, policy: Policy, image: Image) -> None:
        self.machine, self.random, self.policy, self.image = machine, random, policy, image
        self.rows = [row for row in TENSOR_ROWS if fits(row, machine)]
        self.steps: list[Step] = []
        self.arguments: list[int] = []
        self.takes_arguments = True
        self.max_cycles = MAX_CYCLES
        self.held: dict[int, int] = {0: 0}
        self.reserved: set[int] = {0}
        self.has_weights = False
        self.places = Places(image.buffers, image.parameter_blocks, policy.stay_in_buffers)
        self.written = {
            Memory.SCRATCHPAD: image.scratchpad_marks.copy(),
            Memory.ACCUMULATOR: image.accumulator_marks.copy(),
            Memory.DRAM: image.dram_written.copy(),
        }
        self.restart()

    def restart(self) -> None:
        """Forget order and registers: at the start and the end of a loop's body."""
        policy = self.policy
        self.order = Order(self.random, policy.order_rows, policy.order_banks, policy.spare_tokens)
        self.held = {0: 0}

    def emit(self, mnemonic: str, target: int | None = None, **values: int) -> int:
        """Append an instruction as it stands; its number."""
        self.steps.append(Step(mnemonic, values, target))
        if values.get("rd"):
            self.held.pop(values["rd"], None)
        return len(self.steps) - 1

    def retarget(self, number: int, target: int) -> None:
        """Let the branch or jump with that number lead to `target`."""
        self.steps[number] = replace(self.steps[number], target=target)

    def free_register(self, exclude: Iterable[int] = ()) -> int:
        """A register that is neither reserved nor excluded."""
        return self.random.choice(
            [r for r in range(1, REGISTER_COUNT) if r not in self.reserved and r not in set(exclude)]
        )

    def register(self, value: int, exclude: Iterable[int] = ()) -> int:
        """A register that holds `value` (modulo 2^32) from here on; `exclude` are registers that must keep theirs."""
        value &= MASK_32
        holding = [number for number, held in self.held.items() if held == value and number]
        if holding and self.random.random() < 0.9:
            return self.random.choice(holding)
        rd = self.free_register(exclude)
        others = [number for number in self.held if number != rd]
        style = self.random.random()
        if style < 0.1 and self.takes_arguments and len(self.arguments) < self.machine.argument_words:
            self.emit("larg", rd=rd, rs1=0, imm=len(self.arguments))
            self.arguments.append(value)
        elif style < 0.3:
            rs1 = self.random.choice(others)
            self.emit("addi", rd=rd, rs1=rs1, imm=value - self.held[rs1])
        else:
            self.emit("li", rd=rd, imm=value)
        self.held[rd] = value
        return rd

    def operand_registers(
        self, row: Instruction, values: Mapping[str, int], keep: Iterable[int] = ()
    ) -> dict[str, int]:
        """Registers for all register operands, loaded; `x0` where it gives the value (mostly). Registers in `keep` keep theirs."""
        registers: dict[str, int] = {}
        for operand in row.slots:
            value = values[operand.name]
            if value == DEFAULTS.get(operand.kind, 0) and self.random.random() < 0.8:
                registers[operand.name] = 0
            else:
                registers[operand.name] = self.register(value, {*registers.values(), *keep})
        return registers

    def tensor(self, row: Instruction | None = None, values: Values | None = None) -> int:
        """Append a tensor instruction (random unless given) with its tokens; its step number."""
        for _ in range(40):
            chosen = (
                row or self.random.choices(self.rows, [WEIGHTS.get(r.mnemonic, 1) for r in self.rows])[0]
            )
            if chosen.mnemonic == "run" and not self.has_weights:
                continue
            operands = values or choose(chosen, self.machine, self.random, self.places)
            touched = footprints(chosen, operands, self.machine)
            if self._reads_written(touched) or self.random.random() >= self.policy.read_written:
                break
        else:
            chosen = TABLE.by_mnemonic["fill.b"]
            operands = choose(chosen, self.machine, self.random, self.places)
            touched = footprints(chosen, operands, self.machine)
        return self._append(chosen, operands, touched)

    def _append(self, row: Instruction, operands: Values, touched: list[Footprint]) -> int:
        registers = self.operand_registers(row, operands)
        if self.random.random() < self.policy.scalar_noise:
            self.noise(registers.values())
        flags = {flag.name: operands[flag.name] for flag in row.flags}
        entry = self.order.add(len(self.steps), row, touched)
        number = self.emit(row.mnemonic, **registers, **flags, wait=entry.wait)
        for poster in self.order.entries:
            if poster.post != self.steps[poster.step].values.get("post", 0):
                step = self.steps[poster.step]
                self.steps[poster.step] = replace(step, values={**step.values, "post": poster.post})
        self.has_weights |= row.mnemonic == "preload"
        self.mark_written(touched)
        return number

    def mark_written(self, touched: Iterable[Footprint]) -> None:
        """Note what an instruction writes."""
        for access in touched:
            written = self.written[access.memory]
            if access.is_write:
                written[access.places[access.places < len(written)]] = True

    def _reads_written(self, touched: list[Footprint]) -> bool:
        for access in touched:
            written = self.written[access.memory]
            if not access.is_write and not (
                access.places[-1] < len(written) and np.all(written[access.places])
            ):
                return False
        return True

    def fence(self) -> None:
        """Append a fence."""
        self.emit("fence")
        self.order.fence()

    def noise(self, exclude: Iterable[int] = ()) -> None:
        """A scalar instruction with a random result in a register that nothing needs, or a branch to the next instruction."""
        rows = [
            row
            for row in TABLE.rows
            if row.unit is Unit.SEQUENCER and any(o.kind is Kind.RD for o in row.operands)
        ]
        row = self.random.choice(
            [
                r
                for r in rows
                if not {"target", "args"} & {o.name for o in r.operands} and r.mnemonic != "jalr"
            ]
        )
        if self.random.random() < 0.15:
            row = TABLE.by_mnemonic[self.random.choice(("beq", "bne", "blt", "bge", "bltu", "bgeu", "jal"))]
        values: dict[str, int] = {}
        for operand in row.operands:
            if operand.kind is Kind.RD:
                values["rd"] = self.free_register(exclude) if self.random.random() < 0.95 else 0
            elif operand.kind in (Kind.RS1, Kind.RS2):
                values[operand.name] = self.random.randrange(REGISTER_COUNT)
            elif operand.kind is Kind.IMMEDIATE:
                values["imm"] = self.random.choice(
                    (0, 1, -1, 31, 32, 1 << 31, (1 << 31) - 1, self.random.getrandbits(32))
                )
        target = len(self.steps) + 1 if any(o.kind is Kind.TARGET for o in row.operands) else None
        self.emit(row.mnemonic, target, **values)
