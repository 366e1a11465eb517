"""Runs one vector instruction on rows that lie in the scratchpad or accumulator."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from accelkit.assembler import assemble
from accelkit.isa.machine import Machine
from accelkit.isa.row import Kind
from accelkit.isa.table import TABLE
from accelkit.simulator import Session


def run_vector(
    machine: Machine,
    mnemonic: str,
    operands: Mapping[str, int],
    flags: Mapping[str, bool],
    scratchpad: npt.NDArray[np.uint8],
    accumulator: npt.NDArray[np.int32] | None = None,
) -> Session:
    """The session after the instruction. The memories begin with the rows given (uint8 [rows, lanes], int32 [rows, columns]), which
    count as written; operands that are left out are x0."""
    session = Session(machine)
    session.memories.scratchpad[: len(scratchpad)] = scratchpad
    session.shadow.scratchpad_written[: len(scratchpad)] = True
    if accumulator is not None:
        session.memories.accumulator[: len(accumulator)] = accumulator
        session.shadow.accumulator_written[: len(accumulator)] = True
    session.launch(assemble(source_of(mnemonic, operands, flags)), trace=True)
    return session


def source_of(mnemonic: str, operands: Mapping[str, int], flags: Mapping[str, bool]) -> str:
    """A program that loads a register for each operand and ends after the instruction."""
    row = TABLE.by_mnemonic[mnemonic]
    lines, texts = [], []
    for place, operand in enumerate(row.slots):
        name = f"x{place + 1}" if operand.name in operands else "zero"
        if name != "zero":
            lines.append(f"li {name}, {operands[operand.name] & 0xFFFFFFFF}")
        in_memory = operand.kind in (Kind.SCRATCHPAD, Kind.ACCUMULATOR)
        register = f"{operand.kind.value}[{name}]" if in_memory else name
        texts.append(register if operand in row.positional else f"{operand.name}={register}")
    lines.append(f"{mnemonic} {', '.join(texts)} {' '.join(name for name, is_set in flags.items() if is_set)}")
    return "\n".join([*lines, "halt", ""])
