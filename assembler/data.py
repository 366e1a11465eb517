"""Bytes of data directives."""

from __future__ import annotations

import math
import struct

from accelkit.assembler.diagnostics import Reject, Report
from accelkit.assembler.expressions import Scope, evaluate, string_bytes
from accelkit.assembler.layout import PlacedData
from accelkit.assembler.syntax import DataStatement, Expression, Name, Real, Span, Text, Unary

MAX_DATA_BYTES = 1 << 24  # a slip in an expression must not fill memory or disk
MAX_ALIGNMENT = 64  # what the loader guarantees for the section's beginning

_INTEGER_BYTES = {".byte": 1, ".half": 2, ".word": 4, ".dword": 8}
_STRING_ENDS = {".ascii": b"", ".asciz": b"\0"}


def size_of(statement: DataStatement, offset: int, scope: Scope) -> int:
    """Bytes that a directive takes when it begins at `offset` of the section."""
    directive = statement.directive.text
    if directive in _INTEGER_BYTES:
        return _INTEGER_BYTES[directive] * len(statement.values)
    if directive == ".float":
        return 4 * len(statement.values)
    if directive in _STRING_ENDS:
        return sum(len(string_bytes(_string(value)) + _STRING_ENDS[directive]) for value in statement.values)
    if directive == ".space":
        _take_values(statement, 2, "bytes [, fill]")
        size = _evaluate(statement.values[0], scope)
        if not 0 <= size <= MAX_DATA_BYTES - offset:
            message = f"{size} bytes; expected 0..{MAX_DATA_BYTES - offset} (the section holds at most {MAX_DATA_BYTES})"
            raise Reject("E0504", message, statement.values[0].span)
        return size
    _take_values(statement, 1, "bytes")
    alignment = _evaluate(statement.values[0], scope)
    if not 1 <= alignment <= MAX_ALIGNMENT or alignment & alignment - 1:
        message = f"alignment {alignment}; expected a power of two, 1..{MAX_ALIGNMENT}"
        raise Reject("E0504", message, statement.values[0].span)
    return -offset % alignment


def bytes_of(placed: PlacedData, report: Report) -> bytes:
    """The bytes of a directive whose size is known; warnings go to the report."""
    statement, size, scope = placed.statement, placed.size, placed.position
    directive = statement.directive.text
    if directive in _INTEGER_BYTES:
        return b"".join(_integer(value, _INTEGER_BYTES[directive], directive, scope) for value in statement.values)
    if directive == ".float":
        return b"".join(struct.pack("<f", _real(value, placed, report)) for value in statement.values)
    if directive in _STRING_ENDS:
        return b"".join(string_bytes(_string(value)) + _STRING_ENDS[directive] for value in statement.values)
    fill = _integer(statement.values[1], 1, "fill", scope) if len(statement.values) > 1 else b"\0"
    return fill * size


def _take_values(statement: DataStatement, most: int, form: str) -> None:
    if len(statement.values) > most:
        help = [f"form: {statement.directive.text} {form}"]
        raise Reject("E0203", f"{statement.directive.text} takes no further value", statement.values[most].span, help)


def _string(value: Expression | Text) -> Text:
    if not isinstance(value, Text):
        raise Reject("E0206", "expected a string in double quotes", value.span)
    return value


def _evaluate(value: Expression | Text, scope: Scope) -> int:
    if isinstance(value, Text):
        raise Reject("E0404", "expected a number, found a string", value.span, ["strings go into .ascii"])
    return evaluate(value, scope)


def _integer(value: Expression | Text, size: int, what: str, scope: Scope) -> bytes:
    number = _evaluate(value, scope)
    low, high = -(1 << 8 * size - 1), (1 << 8 * size) - 1
    if not low <= number <= high:
        raise Reject("E0401", f"{what} value {number} is outside {low}..{high}", value.span)
    return (number & high).to_bytes(size, "little")


def _real(value: Expression | Text, placed: PlacedData, report: Report) -> float:
    """A value for `.float`: a literal with an optional sign, `inf` or `nan`, or an integer expression."""
    sign, inner = 1.0, value
    while isinstance(inner, Unary) and inner.operator.text in "+-":
        sign, inner = (-sign if inner.operator.text == "-" else sign), inner.operand
    if isinstance(inner, Name) and inner.text in ("inf", "nan"):
        return math.copysign(float(inner.text), sign)
    if isinstance(inner, Real):
        return _checked(sign * float(inner.text), value.span)
    integer = _evaluate(value, placed.position)
    number = _checked(float(integer), value.span)
    if struct.unpack("<f", struct.pack("<f", number))[0] != integer:
        help = ["write it with a decimal point if that is meant"]
        report.warn("W0102", f"binary32 can't hold {integer} exactly", placed.line, value.span, help)
    return number


def _checked(number: float, span: Span) -> float:
    try:
        struct.pack("<f", number)
    except OverflowError:
        raise Reject("E0401", f"{number} is outside the range of binary32", span) from None
    if math.isinf(number):
        raise Reject("E0401", "value is outside the range of binary32", span, ["write inf if you mean it"])
    return number
