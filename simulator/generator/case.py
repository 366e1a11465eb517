"""What the generator returns: instructions whose branch targets are step numbers, so that steps can be dropped, and what they run on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from accelkit.isa.codec import CODEC, Codec
from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.row import Kind

MASK_32 = (1 << 32) - 1


@dataclass(frozen=True)
class Step:
    """One instruction.

    `values` are its fields as the codec names them. `target` is the number of the step that a branch or jump leads to (for `jalr` from
    `x0` the absolute number in `imm`). A step with `word` is that word, whatever it means.
    """

    mnemonic: str = ""
    values: Mapping[str, int] = field(default_factory=dict)
    target: int | None = None
    word: int | None = None

    def encode(self, place: int, codec: Codec = CODEC) -> int:
        """The word of this step as instruction number `place`."""
        if self.word is not None:
            return self.word
        row = codec.table.by_mnemonic[self.mnemonic]
        values = dict(self.values)
        is_distance = any(operand.kind is Kind.TARGET for operand in row.operands)
        if self.target is not None:
            values["imm"] = self.target - place if is_distance else self.target
        if "imm" in values and not is_distance:
            values["imm"] &= MASK_32
        return codec.encode(row, values)


@dataclass(frozen=True)
class Buffer:
    """A declared DRAM buffer: bytes `address` to `address + nbytes - 1`."""

    address: int
    nbytes: int
    is_writable: bool


@dataclass(frozen=True)
class Case:
    """A program with all that a run of it needs.

    `dram` are (address, bytes) pieces that the host has written; the rest of DRAM is 0 and not initialised. `scratchpad` is uint8
    [rows, lanes] and `accumulator` int32 [rows, columns]; the marks say which of their rows earlier launches have written.
    """

    kind: str
    seed: int
    machine: Machine
    steps: tuple[Step, ...]
    argument_words: tuple[int, ...]
    dram: tuple[tuple[int, bytes], ...]
    scratchpad: npt.NDArray[np.uint8]
    accumulator: npt.NDArray[np.int32]
    scratchpad_marks: npt.NDArray[np.bool_]
    accumulator_marks: npt.NDArray[np.bool_]
    buffers: tuple[Buffer, ...]
    max_cycles: int

    @cached_property
    def program(self) -> Program:
        """The words, without source lines."""
        words = tuple(step.encode(place) for place, step in enumerate(self.steps))
        return Program(name=f"{self.kind}-{self.seed}", words=words, lines=(None,) * len(words))

    def with_steps(self, steps: tuple[Step, ...]) -> "Case":
        """The same case with other instructions."""
        return replace(self, steps=steps)
