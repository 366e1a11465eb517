"""Token names (`.token`): which channel each stands for."""

from __future__ import annotations

from collections.abc import Sequence

from accelkit.assembler.diagnostics import Note, Reject, Report, did_you_mean
from accelkit.assembler.layout import TokenName
from accelkit.assembler.syntax import Line, TokenStatement, Word
from accelkit.isa.units import CHANNELS, PORT_UNIT, QUEUED_UNITS, Channel, Port, Unit

_CHANNEL_TEXTS = {text for channel in CHANNELS for text in (channel.wait_text, channel.post_text)}
_PORTS = {port.name.lower(): port for port in Port}
_UNITS = {unit.name.lower(): unit for unit in QUEUED_UNITS}


def declare_token(line: Line, statement: TokenStatement, tokens: dict[str, TokenName]) -> TokenName:
    """Add a name to those of its source. Reject if it is taken."""
    name = statement.name
    if name.text in _CHANNEL_TEXTS:
        raise Reject("E0303", f"'{name.text}' is a channel and can't be a token's name", name.span)
    if first := tokens.get(name.text):
        note = Note(f"token '{name.text}' is first declared here", first.line, first.word.span)
        raise Reject("E0302", f"token '{name.text}' is declared twice", name.span, notes=[note])
    token = TokenName(name, line, statement)
    tokens[name.text] = token
    return token


def number_tokens(tokens: Sequence[TokenName], channels_of_table: Sequence[Channel], report: Report) -> None:
    """Give each name its channel: first those that say which, then the others what is left, in order."""
    choices = []
    for token in tokens:
        with report.on(token.line):
            choices.append((token, _choices(token, channels_of_table)))
    for token, channels in choices:
        if len(channels) == 1:
            token.channel = channels[0]
    owners = {token.channel: token for token, _ in reversed(choices) if token.channel is not None}
    for token, channels in choices:
        with report.on(token.line):
            if token.channel is None:
                token.channel = _first_free(token, channels, owners)
                owners[token.channel] = token


def _choices(token: TokenName, channels: Sequence[Channel]) -> list[Channel]:
    """The channels that a declaration leaves open: one if it has a number."""
    statement = token.statement
    assert statement is not None
    if not channels:
        raise Reject("E0503", "this instruction set has no channels", statement.span)
    port = _PORTS.get(statement.producer.text)
    if port is None:
        help = [*did_you_mean(statement.producer.text, _PORTS), f"producers are {', '.join(_PORTS)}"]
        raise Reject("E0503", f"unknown producer '{statement.producer.text}'", statement.producer.span, help)
    unit_name, dot, index = statement.consumer.text.partition(".")
    unit = _UNITS.get(unit_name)
    if unit is None:
        help = [*did_you_mean(unit_name, _UNITS), f"consumers are {', '.join(_UNITS)}, with .0 or .1 behind them or without"]
        raise Reject("E0503", f"unknown consumer '{statement.consumer.text}'", statement.consumer.span, help)
    between = _between(port, unit, statement.consumer, channels)
    return [channel for channel in between if str(channel.index) == index] or _unnumbered(between, dot, statement.consumer)


def _between(port: Port, unit: Unit, consumer: Word, channels: Sequence[Channel]) -> list[Channel]:
    between = [channel for channel in channels if channel.producer is port and channel.consumer is unit]
    if not between:
        assert PORT_UNIT[port] is unit
        help = ["a unit's own instructions are in order anyway"]
        raise Reject("E0503", f"no channel leads from {port.name.lower()} to its own unit", consumer.span, help)
    return between


def _unnumbered(between: list[Channel], dot: str, consumer: Word) -> list[Channel]:
    if dot:
        choices = " or ".join(channel.post_text for channel in between)
        raise Reject("E0503", f"unknown channel '{consumer.text}'; expected {choices}", consumer.span)
    return between


def _first_free(token: TokenName, channels: Sequence[Channel], owners: dict[Channel, TokenName]) -> Channel:
    for channel in channels:
        if channel not in owners:
            return channel
    notes = [Note(f"{channel} is '{owners[channel].word.text}'", owners[channel].line, owners[channel].word.span) for channel in channels]
    first = channels[0]
    message = f"all {len(channels)} channels from {first.producer.name.lower()} to {first.consumer.name.lower()} have names"
    raise Reject("E0503", message, token.word.span, notes=notes)
