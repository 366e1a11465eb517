"""Values of literals and constant expressions: integers of 64 bits with C's operators."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from accelkit.assembler.diagnostics import Reject
from accelkit.assembler.syntax import (
    Binary,
    Expression,
    Here,
    Index,
    LocalLabel,
    Name,
    Number,
    Real,
    Register,
    Span,
    Ternary,
    Text,
    Unary,
)

MAX_DEPTH = 100  # nesting that the recursive evaluation can follow well within Python's stack
_LOW, _HIGH = -(1 << 63), (1 << 63) - 1


class Scope(Protocol):
    """Where an expression stands: what its names and `.` mean there."""

    def value_of(self, name: Name, depth: int) -> int:
        """A symbol's value; Reject or Unknown if it has none."""
        ...

    def here(self, span: Span) -> int:
        """The value of `.`."""
        ...

    def local_label(self, label: LocalLabel) -> int:
        """The place of the nearest label of a number."""
        ...

    def row_of(self, node: Index, indices: Sequence[int]) -> int:
        """A row of a region."""
        ...


def evaluate(node: Expression, scope: Scope, depth: int = 0) -> int:
    """The value of a constant expression. Reject says what is wrong with it."""
    if depth > MAX_DEPTH:
        raise Reject("E0105", f"expression nested more than {MAX_DEPTH} levels deep", node.span, ["split it with .equ"])
    match node:
        case Number():
            return _checked(integer_of(node), node.span)
        case Name():
            return scope.value_of(node, depth)
        case Here():
            return scope.here(node.span)
        case Unary():
            return _checked(_UNARY[node.operator.text](evaluate(node.operand, scope, depth + 1)), node.span)
        case Binary():
            left = evaluate(node.left, scope, depth + 1)
            if _SHORTCUT.get(node.operator.text) == bool(left):  # as in C, the right side then isn't evaluated
                return int(bool(left))
            return _checked(_binary(node, left, evaluate(node.right, scope, depth + 1)), node.span)
        case Ternary():
            chosen = node.first if evaluate(node.condition, scope, depth + 1) else node.second
            return evaluate(chosen, scope, depth + 1)
        case LocalLabel():
            return scope.local_label(node)
        case Index():
            return scope.row_of(node, [evaluate(index, scope, depth + 1) for index in node.indices])
        case Register():
            raise Reject("E0404", f"register {node.text} in a constant expression; its value is known at run time only", node.span)
        case Real():
            raise Reject("E0404", f"{node.text} is no integer", node.span, ["only .float takes numbers with a fraction"])


def integer_of(node: Number) -> int:
    """The value of an integer literal or a character."""
    if node.text.startswith("'"):
        encoded = character_bytes(node.text[1:-1], node.span)
        if len(encoded) > 1:
            raise Reject("E0104", f"{node.text} takes {len(encoded)} bytes, not one", node.span, ["write its number, or a string"])
        return encoded[0]
    digits = node.text.replace("_", "")
    if digits[0] == "0" and digits.isdigit() and len(digits) > 1:  # C would read it as octal
        raise Reject("E0103", f"number '{node.text}' begins with 0", node.span, [f"write {int(digits)}, or 0o17 for octal"])
    base = {"0x": 16, "0b": 2, "0o": 8}.get(digits[:2].lower(), 10)
    try:
        return int(digits if base == 10 else digits[2:], base)
    except ValueError:
        help = ["numbers are 12, 0x1f, 0b101 or 0o17, with _ between digits"]
        raise Reject("E0103", f"malformed number '{node.text}'", node.span, help) from None


def string_bytes(node: Text) -> bytes:
    """The bytes of a string literal (UTF-8, escapes replaced)."""
    return character_bytes(node.text[1:-1], node.span)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}


def character_bytes(text: str, span: Span) -> bytes:
    """UTF-8 of the inside of a literal; escapes are \\n \\t \\r \\0 \\\\ \\" \\' and \\xHH (one byte)."""
    parts = bytearray()
    position = 0
    for match in re.finditer(r"\\(?:x([0-9a-fA-F]{2})|(.))", text):
        parts += text[position : match.start()].encode()
        position = match.end()
        if match[1]:
            parts.append(int(match[1], 16))
        elif match[2] in _ESCAPES:
            parts += _ESCAPES[match[2]].encode()
        else:
            start = span.start + 1 + match.start()
            help = ["escapes are \\n \\t \\r \\0 \\\\ \\\" \\' and \\xHH"]
            raise Reject("E0104", f"unknown escape '{match[0]}'", Span(start, start + len(match[0])), help)
    return bytes(parts + text[position:].encode())


def _checked(value: int, span: Span) -> int:
    if not _LOW <= value <= _HIGH:
        raise Reject("E0403", "value does not fit 64 bits", span)
    return value


_UNARY: dict[str, Callable[[int], int]] = {
    "+": lambda value: value,
    "-": lambda value: -value,
    "~": lambda value: ~value,
    "!": lambda value: int(not value),
}

_BINARY: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a or b)),
    "&&": lambda a, b: int(bool(a and b)),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),  # C truncates towards zero
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}


_SHORTCUT = {"||": True, "&&": False}


def _binary(node: Binary, left: int, right: int) -> int:
    operator = node.operator.text
    if operator in ("/", "%") and right == 0:
        raise Reject("E0402", "division by zero", node.right.span)
    if operator in ("<<", ">>") and not 0 <= right < 64:
        raise Reject("E0403", f"shift by {right}; expected 0..63", node.right.span)
    return _BINARY[operator](left, right)
