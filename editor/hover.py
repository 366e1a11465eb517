"""What is shown of the word under the cursor, as Markdown."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from accelkit.editor.definitions import SYMBOLS, Definition, Definitions, NameKind, label_name, list_before
from accelkit.editor.lexicon import Category, Lexeme, scan
from accelkit.isa.cycle_source import rule_sources
from accelkit.isa.docs import access_text, alias_expansion, markdown_table, operand_cells
from accelkit.isa.faults import FAULTS
from accelkit.isa.registers import ABI_NAMES, REGISTER_NUMBERS
from accelkit.isa.row import Instruction
from accelkit.isa.table import TABLE, Table
from accelkit.isa.text import form_of
from accelkit.isa.units import CHANNELS, channels_posted, channels_waited


def word_at(line: str, column: int, table: Table = TABLE) -> Lexeme | None:
    """The word that covers a column; between two words that touch, the one on the right."""
    touching = [word for word in scan(line, table) if word.start <= column <= word.end]
    return touching[-1] if touching else None


def hover(
    lines: Sequence[str], line: int, column: int, known: Definitions, values: Mapping[str, int] | None = None, table: Table = TABLE
) -> tuple[Lexeme, str] | None:
    """The word at a place (line and column from 0) and its documentation. `values` are the symbols' values, as far as they are known."""
    word = word_at(lines[line], column, table)
    if word is None:
        return None
    definition = definition_of(lines, line, word.start, known, table)
    text = _definition_text(definition, values or {}) if definition else _text(word, lines[line], table)
    return (word, text) if text else None


def definition_of(lines: Sequence[str], line: int, column: int, known: Definitions, table: Table = TABLE) -> Definition | None:
    """The definition of the name at a place (line and column from 0)."""
    word = word_at(lines[line], column, table)
    if word is None:
        return None
    words = scan(lines[line], table)
    directive = next((one.text for one in words if one.category is Category.DIRECTIVE), "")
    match word.category:
        case Category.CALL:
            return known.find(word.text, NameKind.MACRO)
        case Category.PARAMETER:
            return known.parameter(word.text.removeprefix("\\"), line)
        case Category.LABEL:
            return known.find(label_name(word), *SYMBOLS)
        case Category.DEFINITION if directive == ".macro":
            return known.find(word.text, NameKind.MACRO)
        case Category.NAME | Category.DEFINITION:
            is_token = bool(list_before(words, word.start)) or directive == ".token"
            return known.local_label(word.text, line) or known.find(word.text, *([NameKind.TOKEN] if is_token else SYMBOLS))
    return None


def instruction_text(mnemonic: str, table: Table = TABLE) -> str:
    """The documentation of an instruction or alias: form, meaning, operands, accesses, cycle rule, faults, example."""
    alias = table.alias_by_mnemonic.get(mnemonic)
    parts = [_fence("accelkit", form_of(mnemonic, table))]
    if alias:
        parts += [f"{_sentence(alias.meaning)} Stands for `{alias_expansion(alias, table)}`."]
    row = table.by_mnemonic[alias.target if alias else mnemonic]
    return "\n\n".join([*parts, *_row_parts(row)])


def _row_parts(row: Instruction) -> Iterator[str]:
    yield _sentence(row.meaning)
    if row.notes:
        yield row.notes
    if row.operands:
        yield markdown_table(("operand", "is", "if left out", "meaning"), [operand_cells(operand, row) for operand in row.operands])
    if row.accesses:
        yield "\n".join(f"- {access_text(access)}" for access in row.accesses)
    if row.is_tensor and row.port is not None:
        yield f"Waits for {_channels(one.wait_text for one in channels_waited(row.unit))}."
        yield f"Completes on port `{row.port.name.lower()}`, posts {_channels(one.post_text for one in channels_posted(row.port))}."
    yield _cycle_rule(row)
    if row.dispatch_faults:
        faults = [f"- `{fault.name}`: {FAULTS[fault].meaning}; {FAULTS[fault].fix}" for fault in row.dispatch_faults]
        yield "\n".join(["**Faults**", "", *faults])
    yield f"**Example**\n\n{_fence('accelkit', row.example)}"


def _cycle_rule(row: Instruction) -> str:
    if not row.is_tensor:
        return "**Cycles**: one dispatch cycle" + (", and one more if taken." if row.cycles == "branch" else ".")
    rule = "\n\n".join(text for _, text in rule_sources(_cycle_rules(), {row.cycles}))
    note = "`s` is the cycle of issue, `e` of the last beat, `c` of completion."
    return f"**Cycles**: {note}\n\n{_fence('python', rule)}" if rule else f"**Cycles**: rule `{row.cycles}`."


@cache
def _cycle_rules() -> str:
    """Source of the simulator's cycle rules, read as text: the editor imports no simulator, nor NumPy with it."""
    found = importlib.util.find_spec("accelkit.simulator")
    path = Path(found.origin).parent / "core" / "cycles.py" if found and found.origin else None
    return path.read_text(encoding="utf-8") if path and path.is_file() else ""


def _text(word: Lexeme, line: str, table: Table) -> str:
    words = scan(line, table)
    row = row_of(words, table)
    match word.category:
        case Category.MNEMONIC:
            return instruction_text(word.text, table)
        case Category.OPERAND | Category.FLAG if row:
            return _operand_text(word.text, row)
        case Category.REGISTER:
            number = REGISTER_NUMBERS[word.text]
            note = ": reads 0; as a count or step it means 1" if number == 0 else ""
            return f"register `x{number}` = `{ABI_NAMES[number]}`{note}"
        case Category.CHANNEL:
            return _channel_text(word.text, list_before(words, word.start), row)
    return ""


def row_of(words: Iterable[Lexeme], table: Table = TABLE) -> Instruction | None:
    """The row of the instruction on a line, an alias's target for an alias."""
    for word in words:
        if word.category is Category.MNEMONIC:
            alias = table.alias_by_mnemonic.get(word.text)
            return table.by_mnemonic[alias.target if alias else word.text]
    return None


def _operand_text(name: str, row: Instruction) -> str:
    for operand in row.operands:
        if operand.name == name:
            shown, kind, absent, meaning = operand_cells(operand, row)
            return f"{shown} of `{row.mnemonic}`: {meaning} ({kind}{f'; {absent} if left out' if absent else ''})"
    return ""


def _channel_text(text: str, keyword: str, row: Instruction | None) -> str:
    fits = [
        channel
        for channel in CHANNELS
        if (keyword != "post" and channel.wait_text == text and (row is None or channel.consumer is row.unit))
        or (keyword != "wait" and channel.post_text == text and (row is None or channel.producer is row.port))
    ]
    return "channel " + " or ".join(f"`{channel}`" for channel in fits) if fits else ""


def _definition_text(definition: Definition, values: Mapping[str, int]) -> str:
    value = values.get(definition.name) if definition.kind in SYMBOLS else None
    what = f"{definition.kind.value} `{definition.name}`" + (f" = {value}" if value is not None else "")
    place = f"{definition.path.name}, line" if definition.path else "line"
    return f"{what}, {place} {definition.line + 1}\n\n{_fence('accelkit', definition.text)}"


def _channels(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].rstrip(".") + "."


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"
