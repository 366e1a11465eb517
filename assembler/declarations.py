"""Declarations of arguments (`.arg`) and of token names (`.token`)."""

from __future__ import annotations

from collections.abc import Collection

from accelkit.assembler.diagnostics import Reject, did_you_mean
from accelkit.assembler.expressions import Scope, evaluate
from accelkit.assembler.syntax import AnySize, ArgumentStatement, Expression, Name, TokenStatement, Word
from accelkit.isa.program import ANY_SIZE, DTYPES, Argument, ArgumentKind
from accelkit.isa.units import CHANNELS, PORT_UNIT, QUEUED_UNITS, Channel, Port, Unit

_KINDS = {kind.value: kind for kind in ArgumentKind}
_FORM = "form: .arg name, value   or   .arg name, in | out | inout, dtype[size, ...]"
MAX_SIZE = (1 << 31) - 1


def argument_of(statement: ArgumentStatement, value_arguments: Collection[str], scope: Scope) -> Argument:
    """The argument that a statement declares; its shape's names are value arguments, or constants, which are replaced."""
    name, kind = statement.name.text, _KINDS.get(statement.kind.text)
    if kind is None:
        help = [*did_you_mean(statement.kind.text, _KINDS), _FORM]
        raise Reject("E0502", f"unknown kind of argument '{statement.kind.text}'", statement.kind.span, help)
    if kind is ArgumentKind.VALUE:
        if statement.dtype:
            raise Reject("E0502", "a value argument has no type or shape: it is one 32-bit word", statement.dtype.span, [_FORM])
        return Argument(name, kind)
    if statement.dtype is None:
        raise Reject("E0502", f"argument '{name}' lacks its type and shape", statement.kind.span, [_FORM])
    if statement.dtype.text not in DTYPES:
        help = [*did_you_mean(statement.dtype.text, DTYPES), f"types are {', '.join(DTYPES)}"]
        raise Reject("E0502", f"unknown type '{statement.dtype.text}'", statement.dtype.span, help)
    shape = tuple(_size(size, kind, value_arguments, scope) for size in statement.shape)
    return Argument(name, kind, statement.dtype.text, shape)


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


def channel_of(statement: TokenStatement) -> Channel:
    """The channel that a token name stands for."""
    ports = {port.name.lower(): port for port in Port}
    units = {unit.name.lower(): unit for unit in QUEUED_UNITS}
    port = ports.get(statement.producer.text)
    if port is None:
        help = [*did_you_mean(statement.producer.text, ports), f"producers are {', '.join(ports)}"]
        raise Reject("E0503", f"unknown producer '{statement.producer.text}'", statement.producer.span, help)
    unit_name, _, index = statement.consumer.text.partition(".")
    unit = units.get(unit_name)
    if unit is None:
        help = [*did_you_mean(unit_name, units), f"consumers are {', '.join(f'{name}.0' for name in units)}"]
        raise Reject("E0503", f"unknown consumer '{statement.consumer.text}'", statement.consumer.span, help)
    return _channel(port, unit, index, statement.consumer)


def _channel(port: Port, unit: Unit, index: str, consumer: Word) -> Channel:
    between = [channel for channel in CHANNELS if channel.producer is port and channel.consumer is unit]
    if not between and PORT_UNIT[port] is unit:
        help = ["a unit's own instructions are in order anyway"]
        raise Reject("E0503", f"no channel leads from {port.name.lower()} to its own unit", consumer.span, help)
    for channel in between:
        if str(channel.index) == index:
            return channel
    choices = " or ".join(f"{unit.name.lower()}.{channel.index}" for channel in between)
    raise Reject("E0503", f"unknown channel '{consumer.text}'; expected {choices}", consumer.span)
