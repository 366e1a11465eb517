"""What can stand at the cursor, from the words before it on the line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from accelkit.assembler.parse_errors import DIRECTIVES
from accelkit.editor.definitions import SYMBOLS, Definitions, NameKind, list_before
from accelkit.editor.hover import row_of
from accelkit.editor.lexicon import Category, Lexeme, scan
from accelkit.isa.grammar import table_terminals
from accelkit.isa.program import DTYPES, ArgumentKind
from accelkit.isa.registers import ABI_NAMES, REGISTER_NUMBERS
from accelkit.isa.row import MEMORY_KINDS, Instruction, Kind
from accelkit.isa.table import TABLE, Table
from accelkit.isa.text import form_of
from accelkit.isa.units import CHANNELS, channels_posted, channels_waited

_PARTIAL_WORD = re.compile(r"[\w.]*$")


@dataclass(frozen=True)
class Proposal:
    """A text that can be inserted, what it is (`Category`, or the kind of a defined name), and a short explanation."""

    text: str
    kind: Category | NameKind
    detail: str = ""


def complete(line: str, column: int, known: Definitions, table: Table = TABLE) -> tuple[int, list[Proposal]]:
    """The column where the word at the cursor begins, and the proposals for it. The client filters by what is typed already."""
    before = line[:column]
    start = _PARTIAL_WORD.search(before)
    begin = start.start() if start else column
    words = scan(before[:begin], table)
    if _is_in_text(before, words):
        return begin, []
    statement = [word for word in words if word.category is not Category.LABEL]
    if not statement:
        directives = [Proposal(name, Category.DIRECTIVE) for name in DIRECTIVES]
        return begin, [*_instructions(table), *_names(known, NameKind.MACRO), *directives]
    if statement[0].category is Category.DIRECTIVE:
        return begin, list(_of_directive(statement, known))
    row = row_of(statement, table)
    if row is None:
        return begin, []
    if row.is_tensor:
        return begin, list(_of_tensor(statement, row, known, table))
    alias = table.alias_by_mnemonic.get(statement[0].text)
    names = alias.operands if alias else tuple(operand.name for operand in row.operands)
    return begin, list(_of_scalar(statement, row, names, known))


def _is_in_text(before: str, words: Sequence[Lexeme]) -> bool:
    """Whether the cursor is inside a comment, a string or a character."""
    if words and words[-1].category is Category.COMMENT:
        return True
    covered = {place for word in words for place in range(word.start, word.end)}
    return any(character in "\"'" and place not in covered for place, character in enumerate(before))


def _instructions(table: Table) -> Iterator[Proposal]:
    for mnemonic in (*table.by_mnemonic, *table.alias_by_mnemonic):
        yield Proposal(mnemonic, Category.MNEMONIC, form_of(mnemonic, table))


def _of_tensor(words: Sequence[Lexeme], row: Instruction, known: Definitions, table: Table) -> Iterator[Proposal]:
    if keyword := list_before(words, words[-1].end):
        yield from _channels(row, keyword, known)
    elif _is_in_brackets(words):
        yield from _registers()
    elif words[-1].text == "=":
        operand = next((one for one in row.named if len(words) > 1 and one.name == words[-2].text), None)
        if operand and operand.kind in MEMORY_KINDS:
            yield Proposal(f"{operand.kind.value}[", Category.MEMORY, operand.doc)
        else:
            yield from _registers()
    else:
        yield from _operands(words, row)


def _operands(words: Sequence[Lexeme], row: Instruction) -> Iterator[Proposal]:
    given = {word.text for word in words}
    for operand in row.positional:
        if operand.kind.value not in given:
            yield Proposal(f"{operand.kind.value}[", Category.MEMORY, operand.doc)
    for operand in row.named:
        if operand.name not in given:
            yield Proposal(f"{operand.name}=", Category.OPERAND, operand.doc)
    for flag in row.flags:
        if flag.name not in given:
            yield Proposal(flag.name, Category.FLAG, flag.doc)
    for keyword in ("wait", "post"):
        if keyword not in given:
            yield Proposal(f"{keyword}(", Category.KEYWORD)


def _channels(row: Instruction, keyword: str, known: Definitions) -> Iterator[Proposal]:
    """Channels of the instruction, and the names of tokens that stand for one of them."""
    assert row.port is not None
    channels = channels_waited(row.unit) if keyword == "wait" else channels_posted(row.port)
    for token in known.of(NameKind.TOKEN):
        declared = token.text.partition("=")[2].replace(" ", "").replace("\t", "")
        if any(declared == str(channel) for channel in channels):
            yield Proposal(token.name, NameKind.TOKEN, token.text)
    for channel in channels:
        yield Proposal(channel.wait_text if keyword == "wait" else channel.post_text, Category.CHANNEL, str(channel))


def _of_scalar(words: Sequence[Lexeme], row: Instruction, names: Sequence[str], known: Definitions) -> Iterator[Proposal]:
    if _is_in_brackets(words):
        yield from _names(known, NameKind.ARGUMENT, NameKind.CONSTANT, NameKind.REGION)
        yield from _registers()
        return
    place = sum(word.text == "," for word in words)
    if place >= len(names):
        return
    match row.operand(names[place]).kind:
        case Kind.RD | Kind.RS1 | Kind.RS2:
            yield from _registers()
        case Kind.ARGUMENT:
            yield Proposal("args[", Category.MEMORY, row.operand(names[place]).doc)
        case Kind.TARGET:
            yield from _names(known, NameKind.LABEL)
        case _:
            yield from _names(known, *SYMBOLS)


def _of_directive(words: Sequence[Lexeme], known: Definitions) -> Iterator[Proposal]:
    commas = sum(word.text == "," for word in words)
    match words[0].text:
        case ".token":
            yield from _of_token(words)
        case ".arg" if _is_in_brackets(words):
            yield from _names(known, NameKind.ARGUMENT, NameKind.CONSTANT)
        case ".arg" if commas in (1, 2):
            texts: Iterable[str] = [kind.value for kind in ArgumentKind] if commas == 1 else DTYPES
            yield from (Proposal(text, Category.TYPE) for text in texts)
        case ".arg":
            return
        case ".equ" if not commas:
            return
        case _:
            yield from _names(known, *SYMBOLS)


def _of_token(words: Sequence[Lexeme]) -> Iterator[Proposal]:
    if words[-1].text == "=":
        yield from (Proposal(port, Category.PORT) for port in table_terminals()["PORT"])
    elif words[-1].text == "->" and len(words) > 1:
        producer = words[-2].text
        for channel in CHANNELS:
            if channel.producer.name.lower() == producer:
                yield Proposal(channel.post_text, Category.CHANNEL, str(channel))


def _names(known: Definitions, *kinds: NameKind) -> Iterator[Proposal]:
    seen: set[str] = set()
    for one in known.of(*kinds):
        if one.name not in seen:
            yield Proposal(one.name, one.kind, one.text)
        seen.add(one.name)


def _registers() -> Iterator[Proposal]:
    for name, number in REGISTER_NUMBERS.items():
        yield Proposal(name, Category.REGISTER, f"x{number} = {ABI_NAMES[number]}")


def _is_in_brackets(words: Sequence[Lexeme]) -> bool:
    texts = [word.text for word in words]
    return texts.count("[") > texts.count("]")
