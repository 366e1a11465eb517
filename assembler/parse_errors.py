"""What to say of a line that does not parse, and what can be kept of it (Lark's own messages blame the wrong token)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from accelkit.assembler.diagnostics import Reject, did_you_mean
from accelkit.assembler.syntax import BrokenStatement, Span, Word
from accelkit.isa.table import Table
from accelkit.isa.text import form_of

if TYPE_CHECKING:
    from lark import Lark, UnexpectedInput

DIRECTIVES = (
    *(".text", ".data", ".equ", ".arg", ".token", ".global"),
    *(".byte", ".half", ".word", ".float", ".space", ".align", ".ascii"),
)

_VALUE_STARTS = {"NUMBER", "FLOAT", "CHARACTER", "REGISTER", "HERE", "LPAR", "PLUS", "MINUS", "TILDE", "BANG"}
_OPERATORS = {"OR", "AND", "BIT_OR", "BIT_XOR", "BIT_AND", "EQUALITY", "COMPARISON", "SHIFT", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT"}
_SPOKEN = {
    "NAME": "a name",
    "STRING": "a string",
    "WAIT": "wait(...)",
    "POST": "post(...)",
    "FLAG": "a flag",
    "MEMORY": "a memory operand",
    "PORT": "a port",
    "WAIT_CHANNEL": "a channel",
    "POST_CHANNEL": "a channel",
    "COMMA": "','",
    "EQUAL": "'='",
    "LSQB": "'['",
    "RSQB": "']'",
    "LPAR": "'('",
    "RPAR": "')'",
    "STAR": "'*'",
    "$END": "the end of the line",
}
_WORD = re.compile(r"[\w.]+|\S")


def label_word(token: str, start: int) -> Word:
    """The name in a label token, whose text includes the colon."""
    name = token.rstrip(": \t")
    return Word(name, Span(start, start + len(name)))


def explain(error: UnexpectedInput, text: str, parser: Lark, table: Table) -> tuple[Reject, tuple[Word, ...], BrokenStatement]:
    """The error, the line's labels, and what stands for its statement."""
    labels, begin = _labels(text, parser)
    where = error.pos_in_stream if error.pos_in_stream is not None and error.pos_in_stream >= 0 else len(text)
    if type(error).__name__ == "UnexpectedToken" and error.token.type == "$END":  # type: ignore[attr-defined]
        where = len(text.rstrip())
    found = _WORD.match(text, where)
    first = _WORD.match(text, begin)
    word = found[0] if found else ""
    mnemonic = first[0] if first else ""
    if where == begin:
        reject = _statement_error(word, Span(where, where + len(word)), text, table)
    elif word in ('"', "'"):
        kind = "string" if word == '"' else "character"
        reject = Reject("E0102", f"{kind} without its closing quote", Span(where, len(text)))
    else:
        reject = _syntax_error(error, word, where, mnemonic, table)
    return reject, labels, _remains(text, begin, mnemonic, parser)


def _labels(text: str, parser: Lark) -> tuple[tuple[Word, ...], int]:
    """The labels at the beginning of a line and the column where its statement begins."""
    pattern = re.compile(parser.get_terminal("LABEL").pattern.to_regexp())
    labels = []
    position = len(text) - len(text.lstrip(" \t"))
    while match := pattern.match(text, position):
        labels.append(label_word(match[0], match.start()))
        position = match.end() + len(text[match.end() :]) - len(text[match.end() :].lstrip(" \t"))
    return tuple(labels), position


def _remains(text: str, begin: int, mnemonic: str, parser: Lark) -> BrokenStatement:
    """A broken instruction still takes its place in the program, a broken definition still defines its name."""
    span = Span(begin, max(begin, len(text.rstrip())))
    if not mnemonic.startswith("."):
        return BrokenStatement(bool(mnemonic), (), span)
    name = re.compile(r"\s*(" + parser.get_terminal("NAME").pattern.to_regexp() + ")").match(text, begin + len(mnemonic))
    return BrokenStatement(False, (name[1],) if name else (), span)


def _statement_error(word: str, span: Span, text: str, table: Table) -> Reject:
    if word.startswith(".") and len(word) > 1:
        return Reject("E0106", f"unknown directive '{word}'", span, did_you_mean(word, DIRECTIVES))
    if word[:1].isalpha() or word[:1] == "_":
        if re.match(r"\s*=", text[span.end :]):
            return Reject("E0107", f"unknown instruction '{word}'", span, [f"constants are defined by: .equ {word}, value"])
        return Reject("E0107", f"unknown instruction '{word}'", span, did_you_mean(word, (*table.by_mnemonic, *table.alias_by_mnemonic)))
    return Reject("E0101", f"unexpected '{word}'; expected a label, an instruction or a directive", span)


def _syntax_error(error: UnexpectedInput, word: str, where: int, mnemonic: str, table: Table) -> Reject:
    expected = set(getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", None) or ())
    help = [f"form: {form_of(mnemonic, table)}"] if mnemonic in table.by_mnemonic or mnemonic in table.alias_by_mnemonic else []
    span = Span(where, where + max(1, len(word)))
    row = table.by_mnemonic.get(mnemonic)
    if row is not None and "FLAG" in expected and "NUMBER" not in expected and re.match(r"[A-Za-z_]", word):
        flags = [flag.name for flag in row.flags]
        return Reject("E0204", f"{mnemonic} has no flag '{word}'", span, [*did_you_mean(word, flags), *help])
    seen = f"unexpected '{word}'" if word else "the line ends too early"
    return Reject("E0101", f"{seen}; expected {_spoken(expected)}", span, help)


def _spoken(expected: set[str]) -> str:
    """The expected terminals in words, the most telling ones only."""
    names = set(expected)
    words = []
    if "NUMBER" in names:
        words.append("a value")
        names -= _VALUE_STARTS | {"NAME", "MEMORY", "WAIT_CHANNEL", "POST_CHANNEL"}
        names -= {"FLAG", "WAIT", "POST"}  # allowed there, but seldom what was meant
    elif names - _OPERATORS:
        names -= _OPERATORS
    words += [_SPOKEN[name] for name in _SPOKEN if name in names]
    words += ["'->'"] if any(name.startswith("__ANON") for name in names) else []
    words = list(dict.fromkeys(words)) or ["an operator"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
