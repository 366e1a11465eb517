"""Operands of sequencer instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelkit.assembler.diagnostics import Reject
from accelkit.assembler.expressions import evaluate
from accelkit.assembler.operands import Site, register_number
from accelkit.assembler.syntax import Binary, Expression, LocalLabel, Memory, Name, Positional, Register
from accelkit.isa.row import Kind, Operand

MODULUS = 1 << 32


def fields_of(site: Site, operands: Sequence[Operand]) -> dict[str, int]:
    """The fields of a scalar instruction that takes `operands` in this order."""
    fields: dict[str, int] = {}
    given = []
    for item in site.placed.statement.items:
        if isinstance(item, Positional):
            given.append(item.value)
        else:
            with site.report.on(site.placed.line):
                message = f"{site.mnemonic} is a sequencer instruction: it takes no named operands, flags, wait or post"
                raise Reject("E0203", message, item.span, [site.form])
    for operand, value in zip(operands, given, strict=False):
        with site.report.on(site.placed.line):
            fields.update(_fields(operand, value, site))
    with site.report.on(site.placed.line):
        if len(given) < len(operands):
            raise site.missing(", ".join(operand.name for operand in operands[len(given) :]))
        if len(given) > len(operands):
            count = f"{len(operands)} operand{'s' if len(operands) != 1 else ''}"
            raise Reject("E0203", f"{site.mnemonic} takes {count}, found {len(given)}", given[len(operands)].span, [site.form])
    return fields


def _fields(operand: Operand, value: Expression | Memory, site: Site) -> Mapping[str, int]:
    match operand.kind:
        case Kind.RD | Kind.RS1 | Kind.RS2:
            return {operand.kind.value: register_number(value, site)}
        case Kind.IMMEDIATE:
            return {"imm": _immediate(_expression(value, "a constant", site), site)}
        case Kind.FIELD:
            return {operand.name: _field(operand, _expression(value, "a constant", site), site)}
        case Kind.TARGET:
            return {"imm": _distance(_expression(value, "a label", site), site)}
        case Kind.ARGUMENT:
            return _argument(value, site)
        case _:
            raise AssertionError(f"{operand.kind} is no operand of a scalar instruction")


def _expression(value: Expression | Memory, expected: str, site: Site) -> Expression:
    if isinstance(value, Memory):
        raise Reject("E0206", f"expected {expected}, found {value.memory.text}[...]", value.span, [site.form])
    if isinstance(value, Register):
        raise Reject("E0206", f"expected {expected}, found register {value.text}", value.span, [site.form])
    return value


def _immediate(node: Expression, site: Site) -> int:
    """A constant in its signed or unsigned spelling."""
    value = evaluate(node, site.scope)
    if not -MODULUS // 2 <= value < MODULUS:
        raise Reject("E0401", f"immediate {value} is outside {-MODULUS // 2}..{MODULUS - 1}", node.span)
    return value % MODULUS


def _field(operand: Operand, node: Expression, site: Site) -> int:
    """A constant for a field of the operand's own."""
    value = evaluate(node, site.scope)
    low, high = site.codec.range_of(site.row, operand.name)
    if not low <= value <= high:
        raise Reject("E0401", f"{operand.name} {value} is outside {low}..{high}", node.span)
    return value


def _distance(node: Expression, site: Site) -> int:
    """The distance from this instruction to a target."""
    if isinstance(node, Name | LocalLabel) and site.scope.section_of(node) == "data":
        raise Reject("E0206", f"'{node.text}' is in the section .data: no target of a branch", node.span)
    distance = evaluate(node, site.scope) - site.placed.number
    if not -MODULUS // 2 <= distance < MODULUS // 2:
        raise Reject("E0401", f"distance {distance} is outside {-MODULUS // 2}..{MODULUS // 2 - 1}", node.span)
    return distance


def _argument(value: Expression | Memory, site: Site) -> Mapping[str, int]:
    """`args[constant]`, `args[register]`, `args[register + constant]`."""
    if not isinstance(value, Memory) or value.memory.text != Kind.ARGUMENT.value:
        raise Reject("E0206", "expected args[index]", value.span, [site.form])
    register, offset = _linear(value.place, site)
    if not -MODULUS // 2 <= offset < MODULUS:
        raise Reject("E0401", f"index {offset} is outside {-MODULUS // 2}..{MODULUS - 1}", value.place.span)
    return {"rs1": register_number(register, site) if register else 0, "imm": offset % MODULUS}


def _linear(node: Expression, site: Site) -> tuple[Register | None, int]:
    """A sum as its register and its constant part."""
    if isinstance(node, Register):
        return node, 0
    if not isinstance(node, Binary) or node.operator.text not in ("+", "-"):
        return None, evaluate(node, site.scope)
    # Sums nest to the left, as deep as they are long: a loop, and one level of evaluation for each constant.
    register, offset = None, 0
    terms: list[tuple[int, Expression]] = []
    rest: Expression = node
    while isinstance(rest, Binary) and rest.operator.text in ("+", "-"):
        terms.append((1 if rest.operator.text == "+" else -1, rest.right))
        rest = rest.left
    for sign, term in ((1, rest), *reversed(terms)):
        if not isinstance(term, Register):
            offset += sign * evaluate(term, site.scope)
        elif register is None and sign > 0:
            register = term
        else:
            raise Reject("E0206", "an index is one register plus a constant", term.span, [site.form])
    return register, offset
