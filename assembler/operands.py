"""What scalar and tensor instructions share when their operands are encoded."""

from __future__ import annotations

from typing import NamedTuple

from accelkit.assembler.diagnostics import Reject, Report, did_you_mean
from accelkit.assembler.layout import PlacedInstruction
from accelkit.assembler.symbols import Position
from accelkit.assembler.syntax import Expression, Index, Memory, Name, Register, Span
from accelkit.isa.codec import Codec
from accelkit.isa.row import Instruction
from accelkit.isa.table import Table


class Site(NamedTuple):
    """An instruction that is being encoded: its row, where it stands, and where errors go."""

    row: Instruction
    placed: PlacedInstruction
    codec: Codec
    report: Report

    @property
    def table(self) -> Table:
        """The instruction set."""
        return self.codec.table

    @property
    def mnemonic(self) -> str:
        """The mnemonic as written: an alias keeps its name."""
        return self.placed.statement.mnemonic.text

    @property
    def form(self) -> str:
        """Help that shows which operands the instruction takes."""
        return f"form: {self.form_of(self.mnemonic)}"

    def form_of(self, mnemonic: str) -> str:
        """The operands of an instruction as text."""
        from accelkit.isa.text import form_of  # only who has an error needs it

        return form_of(mnemonic, self.table)

    @property
    def scope(self) -> Position:
        """Scope of the instruction's expressions."""
        return self.placed.position

    def missing(self, what: str) -> Reject:
        """The error for an operand that is not there, shown where the instruction ends."""
        end = self.placed.statement.span.end
        return Reject("E0202", f"{self.mnemonic} lacks {what}", Span(end, end + 1), [self.form])


def register_number(value: Expression | Memory, site: Site) -> int:
    """The number of the register that stands where one is expected."""
    if isinstance(value, Register):
        return site.table.registers[value.text]
    if isinstance(value, Name) and site.scope.find(value.text) is None:
        raise Reject("E0201", f"unknown register '{value.text}'", value.span, did_you_mean(value.text, site.table.registers))
    if isinstance(value, Memory):
        raise Reject("E0206", f"expected a register, found {value.memory.text}[...]", value.span, [site.form])
    if isinstance(value, Index):
        raise Reject("E0206", f"expected a register, found {value.name.text}[...]", value.span, [site.form])
    immediate = f"{site.mnemonic}i"
    if site.row.is_tensor:
        help = ["load the value into a register first: li t0, value"]
    elif immediate in site.table.by_mnemonic:
        help = [f"{immediate} takes a constant: {site.form_of(immediate)}"]
    else:
        help = [site.form]
    raise Reject("E0206", "expected a register, found a constant", value.span, help)
