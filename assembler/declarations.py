"""Declarations of arguments (`.arg`)."""

from __future__ import annotations

from collections.abc import Collection

from accelkit.assembler.diagnostics import Reject, did_you_mean
from accelkit.assembler.expressions import Scope, evaluate
from accelkit.assembler.syntax import AnySize, ArgumentStatement, Expression, Name
from accelkit.isa.program import ANY_SIZE, DTYPES, Argument, ArgumentKind

_KINDS = {kind.value: kind for kind in ArgumentKind}
_FORM = "form: .arg name, value [in low .. high]   or   .arg name, in | out | inout, dtype[size, ...]"
MAX_SIZE = (1 << 31) - 1
VALUE_RANGE = (-(1 << 31), (1 << 32) - 1)  # what 32 bits can mean


def argument_of(statement: ArgumentStatement, value_arguments: Collection[str], scope: Scope) -> Argument:
    """The argument that a statement declares; its shape's names are value arguments, or constants, which are replaced."""
    name, kind = statement.name.text, _KINDS.get(statement.kind.text)
    if kind is None:
        help = [*did_you_mean(statement.kind.text, _KINDS), _FORM]
        raise Reject("E0502", f"unknown kind of argument '{statement.kind.text}'", statement.kind.span, help)
    if kind is ArgumentKind.VALUE:
        if statement.dtype:
            raise Reject("E0502", "a value argument has no type or shape: it is one 32-bit word", statement.dtype.span, [_FORM])
        return Argument(name, kind, range=_range(statement.range, scope) if statement.range else None)
    if statement.range:
        raise Reject("E0502", "only a value argument has a range", statement.range[0].span, [_FORM])
    if statement.dtype is None:
        raise Reject("E0502", f"argument '{name}' lacks its type and shape", statement.kind.span, [_FORM])
    if statement.dtype.text not in DTYPES:
        help = [*did_you_mean(statement.dtype.text, DTYPES), f"types are {', '.join(DTYPES)}"]
        raise Reject("E0502", f"unknown type '{statement.dtype.text}'", statement.dtype.span, help)
    shape = tuple(_size(size, kind, value_arguments, scope) for size in statement.shape)
    return Argument(name, kind, statement.dtype.text, shape)


def _range(bounds: tuple[Expression, Expression], scope: Scope) -> tuple[int, int]:
    values = []
    for bound in bounds:
        value = evaluate(bound, scope)
        if not VALUE_RANGE[0] <= value <= VALUE_RANGE[1]:
            raise Reject("E0401", f"value {value} is outside {VALUE_RANGE[0]}..{VALUE_RANGE[1]}", bound.span)
        values.append(value)
    if values[0] > values[1]:
        raise Reject("E0502", f"the range {values[0]} .. {values[1]} is empty", bounds[0].span)
    return values[0], values[1]


def _size(size: Expression | AnySize, kind: ArgumentKind, value_arguments: Collection[str], scope: Scope) -> int | str:
    if isinstance(size, AnySize):
        if kind is not ArgumentKind.IN:
            help = ["only an input's size can be left to the caller"]
            raise Reject("E0502", f"an argument of kind '{kind.value}' needs every size", size.span, help)
        return ANY_SIZE
    if isinstance(size, Name) and size.text in value_arguments:
        return size.text
    value = evaluate(size, scope)
    if not 0 <= value <= MAX_SIZE:
        raise Reject("E0401", f"size {value} is outside 0..{MAX_SIZE}", size.span)
    return value
