"""Instructions as text, generic over the table: the disassembler, and the operand form that documentation and messages show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelkit.isa.codec import CODEC, Codec, Decoded
from accelkit.isa.registers import ABI_NAMES
from accelkit.isa.row import MEMORY_KINDS, Alias, Kind, Operand
from accelkit.isa.table import TABLE, Table
from accelkit.isa.units import channels_posted, channels_waited

_HEXADECIMAL_FROM = 1 << 16  # larger literals read better as bits


def disassemble(
    word: int,
    at: int | None = None,
    labels: Mapping[int, str] | None = None,
    arguments: Sequence[str] = (),
    codec: Codec = CODEC,
) -> str:
    """The text one would write for a word, which assembles to that word.

    `at` is the word's instruction number and `labels` names instruction numbers: with both, branch targets are shown by name,
    else as `.+distance`. `arguments` names the words of the argument memory. IllegalWord if the word is no instruction.
    """
    decoded = codec.decode(word)
    if decoded.row.is_tensor:
        return _tensor_text(decoded)
    mnemonic, names = _alias_of(decoded, codec.table)
    operands = [_scalar_text(decoded, decoded.row.operand(name), at, labels or {}, arguments) for name in names]
    return f"{mnemonic} {', '.join(operands)}".rstrip()


def form_of(mnemonic: str, table: Table = TABLE) -> str:
    """The operands that an instruction or alias takes, as in `fill.b sp[reg] [, rows= fill=] [wait(...)] [post(...)]`."""
    alias = table.alias_by_mnemonic.get(mnemonic)
    row = table.by_mnemonic[alias.target if alias else mnemonic]
    if not row.is_tensor:
        shown = [row.operand(name) for name in alias.operands] if alias else row.operands
        return f"{mnemonic} {', '.join('args[index]' if op.kind is Kind.ARGUMENT else op.name for op in shown)}".rstrip()
    required = [f"{operand.kind.value}[reg]" for operand in row.positional]
    required += [_named_form(operand) for operand in row.named if not operand.is_optional]
    optional = [f"{operand.name}=" for operand in row.named if operand.is_optional]
    parts = [mnemonic, ", ".join(required), f"[, {' '.join(optional)}]" if optional else ""]
    parts += [f"[{flag.name}]" for flag in row.flags] + ["[wait(...)]", "[post(...)]"]
    return " ".join(part for part in parts if part)


def _named_form(operand: Operand) -> str:
    return f"{operand.name}={operand.kind.value}[reg]" if operand.kind in MEMORY_KINDS else f"{operand.name}=reg"


def _tensor_text(decoded: Decoded) -> str:
    row, values = decoded.row, decoded.values
    operands = [f"{operand.kind.value}[{ABI_NAMES[values[operand.name]]}]" for operand in row.positional]
    for operand in row.named:
        register = ABI_NAMES[values[operand.name]]
        if values[operand.name] or not operand.is_optional:
            operands.append(f"{operand.name}={f'{operand.kind.value}[{register}]' if operand.kind in MEMORY_KINDS else register}")
    assert row.port is not None
    waits = [channel.wait_text for channel in channels_waited(row.unit) if values["wait"] >> channel.wait_bit & 1]
    posts = [channel.post_text for channel in channels_posted(row.port) if values["post"] >> channel.post_bit & 1]
    parts = [row.mnemonic, ", ".join(operands), *(flag.name for flag in row.flags if values[flag.name])]
    parts += [f"wait({', '.join(waits)})" if waits else "", f"post({', '.join(posts)})" if posts else ""]
    return " ".join(part for part in parts if part)


def _alias_of(decoded: Decoded, table: Table) -> tuple[str, tuple[str, ...]]:
    """The spelling that leaves out most: its mnemonic and the operands still to write."""
    fits = [
        alias
        for alias in table.aliases
        if alias.target == decoded.row.mnemonic and all(decoded.values[name] == value for name, value in alias.fixed)
    ]
    if not fits:
        return decoded.row.mnemonic, tuple(operand.name for operand in decoded.row.operands)
    best: Alias = max(fits, key=lambda alias: len(alias.fixed))
    return best.mnemonic, best.operands


def _scalar_text(
    decoded: Decoded, operand: Operand, at: int | None, labels: Mapping[int, str], arguments: Sequence[str]
) -> str:
    values = decoded.values
    match operand.kind:
        case Kind.RD | Kind.RS1 | Kind.RS2:
            return ABI_NAMES[values[operand.kind.value]]
        case Kind.IMMEDIATE:
            return _literal(_signed(values["imm"]))
        case Kind.FIELD:
            return _literal(values[operand.name])
        case Kind.TARGET:
            distance = values["imm"]
            label = labels.get(at + distance) if at is not None else None
            return label or (f".{distance:+d}" if distance else ".")
        case Kind.ARGUMENT:
            return f"args[{_argument_index(values['rs1'], values['imm'], arguments)}]"
        case _:
            raise AssertionError(f"{operand.kind} is no operand of a scalar instruction")


def _argument_index(register: int, offset: int, arguments: Sequence[str]) -> str:
    if not register:
        return arguments[offset] if offset < len(arguments) else str(offset)
    signed = _signed(offset)
    return ABI_NAMES[register] + (f" {'-' if signed < 0 else '+'} {abs(signed)}" if signed else "")


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _literal(value: int) -> str:
    return str(value) if abs(value) < _HEXADECIMAL_FROM else f"{value:#x}"
