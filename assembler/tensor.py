"""Operands of tensor instructions: memory operands in their places, named registers, flags, waits and posts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from accelkit.assembler.diagnostics import Reject, did_you_mean
from accelkit.assembler.operands import Site, register_number
from accelkit.assembler.syntax import Expression, Flag, Memory, Name, Named, Positional, Tokens, Word
from accelkit.isa.row import MEMORY_KINDS, Operand
from accelkit.isa.units import CHANNELS, Channel, channels_posted, channels_waited


def fields_of(site: Site) -> dict[str, int]:
    """The fields of a tensor instruction. Operands that are left out are x0, which is no field at all."""
    fields: dict[str, int] = {}
    places = site.row.positional
    taken = 0
    for item in site.placed.statement.items:
        with site.report.on(site.placed.line):
            match item:
                case Positional():
                    place = places[taken] if taken < len(places) else None
                    taken += place is not None and isinstance(item.value, Memory)
                    _positional(place, item, site, fields)
                case Named():
                    _named(item, site, fields)
                case Flag():
                    _flag(item, site, fields)
                case Tokens():
                    _tokens(item, site, fields)
    with site.report.on(site.placed.line):
        given = {item.name.text for item in site.placed.statement.items if isinstance(item, Named)}
        required = {operand.name for operand in site.row.named if not operand.is_optional}
        missing = [f"{operand.kind.value}[...]" for operand in places[taken:]]
        missing += [f"{name}=..." for name in sorted(required - given)]
        if missing and given <= {operand.name for operand in site.row.slots}:  # else one of them is probably just misspelt
            raise site.missing(" and ".join(missing))
    return fields


def _positional(place: Operand | None, item: Positional, site: Site, fields: dict[str, int]) -> None:
    value = item.value
    if isinstance(value, Name) and site.scope.find(value.text) is None:  # a word: a misspelt flag, rather than anything else
        help = [*did_you_mean(value.text, [flag.name for flag in site.row.flags]), site.form]
        raise Reject("E0204", f"{site.mnemonic} has no flag '{value.text}'", item.span, help)
    if not isinstance(value, Memory):
        if not site.row.slots:
            raise Reject("E0203", f"{site.mnemonic} takes no operands", item.span, [site.form])
        help = [f"write name=register, as in {site.row.named[0].name}=t0", site.form]
        raise Reject("E0203", f"{site.mnemonic} takes no operand without a name, but for memory", item.span, help)
    if place is None:
        named = [f"write {op.name}={value.memory.text}[...]" for op in site.row.named if op.kind.value == value.memory.text]
        message = f"{site.mnemonic} takes no further operand {value.memory.text}[...] without a name"
        raise Reject("E0203", message, item.span, [*named, site.form])
    fields[place.name] = _memory_register(place, value, site)


def _named(item: Named, site: Site, fields: dict[str, int]) -> None:
    operands = {operand.name: operand for operand in site.row.named}
    operand = operands.get(item.name.text)
    if operand is None:
        help = [*did_you_mean(item.name.text, operands), site.form]
        raise Reject("E0204", f"{site.mnemonic} has no operand '{item.name.text}'", item.name.span, help)
    if operand.name in fields:
        raise Reject("E0205", f"'{operand.name}' is given twice", item.span)
    fields[operand.name] = 0  # given, even if what follows is wrong
    if operand.kind in MEMORY_KINDS:
        fields[operand.name] = _memory_register(operand, item.value, site)
    else:
        fields[operand.name] = register_number(item.value, site)


def _memory_register(operand: Operand, value: Expression | Memory, site: Site) -> int:
    if not isinstance(value, Memory):
        raise Reject("E0206", f"expected {operand.kind.value}[register]", value.span, [site.form])
    if value.memory.text != operand.kind.value:
        raise Reject("E0206", f"expected {operand.kind.value}[...] here, found {value.memory.text}[...]", value.memory.span, [site.form])
    return register_number(value.place, site)


def _flag(item: Flag, site: Site, fields: dict[str, int]) -> None:
    name = item.name.text
    if name not in [flag.name for flag in site.row.flags]:
        raise Reject("E0204", f"{site.mnemonic} has no flag '{name}'", item.span, [site.form])
    if name in fields:
        raise Reject("E0205", f"'{name}' is given twice", item.span)
    fields[name] = 1


def _tokens(item: Tokens, site: Site, fields: dict[str, int]) -> None:
    keyword = "wait" if item.is_wait else "post"
    if keyword in fields:
        raise Reject("E0205", f"{keyword}(...) is given twice", item.span, [f"one list holds all: {keyword}(first, second)"])
    fields[keyword] = 0
    for word in item.channels:
        with site.report.on(site.placed.line):
            channel = _channel(word, item.is_wait, site)
            if channel is None:
                continue
            bit = 1 << (channel.wait_bit if item.is_wait else channel.post_bit)
            if fields[keyword] & bit:
                raise Reject("E0205", f"channel '{word.text}' is given twice", word.span)
            fields[keyword] |= bit


def _channel(word: Word, is_wait: bool, site: Site) -> Channel | None:
    """The channel that a word names; None if it is a token name whose declaration was reported as wrong."""
    unit, port = site.row.unit, site.row.port
    assert port is not None
    choices: Sequence[Channel] = channels_waited(unit) if is_wait else channels_posted(port)
    texts = [channel.wait_text if is_wait else channel.post_text for channel in choices]
    if word.text in texts:
        return choices[texts.index(word.text)]
    verb = "wait for" if is_wait else "post"
    help = [f"{site.mnemonic} can {verb} {', '.join(texts)}"]
    token = site.placed.tokens.get(word.text)
    if token is None:
        near = did_you_mean(word.text, chain(texts, site.placed.tokens))
        if word.text in {channel.wait_text if is_wait else channel.post_text for channel in CHANNELS}:
            raise Reject("E0208", f"{site.mnemonic} can't {verb} '{word.text}'", word.span, help)
        raise Reject("E0207", f"unknown channel or token '{word.text}'", word.span, [*near, *help])
    if token.channel is not None and token.channel not in choices:
        raise Reject("E0208", f"{site.mnemonic} can't {verb} '{word.text}', which is {token.channel}", word.span, help)
    return token.channel

