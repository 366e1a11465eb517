"""What to say of a line that does not parse, and what can be kept of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from accelkit.assembler.builder import label_word
from accelkit.assembler.diagnostics import Reject, did_you_mean
from accelkit.assembler.lalr import LalrParser, SyntaxFault
from accelkit.assembler.syntax import BrokenStatement, CallStatement, Span, Word
from accelkit.isa.grammar import default_grammar, directives
from accelkit.isa.registers import REGISTER_NUMBERS
from accelkit.isa.table import Table
from accelkit.isa.text import form_of

DIRECTIVES = directives(default_grammar())
# Directives that users of GNU as reach for, and what does their work here.
FROM_GNU = {
    ".set": ".equ NAME, value (a name has one value), or the counter of .rept",
    ".section": ".text or .data",
    ".globl": ".global NAME",
    ".long": ".word",
    ".int": ".word",
    ".short": ".half",
    ".hword": ".half",
    ".2byte": ".half",
    ".4byte": ".word",
    ".string": ".asciz",
    ".quad": ".dword",
    ".8byte": ".dword",
    ".zero": ".space bytes",
    ".skip": ".space bytes",
    ".fill": ".space bytes, fill",
    ".balign": ".align bytes",
    ".p2align": ".align bytes (not a power of two's exponent)",
}

_VALUE_STARTS = {"NUMBER", "FLOAT", "CHARACTER", "REGISTER", "HERE", "LOCAL_LABEL", "LPAR", "PLUS", "MINUS", "TILDE", "BANG"}
_OPERATORS = {"OR", "AND", "BIT_OR", "BIT_XOR", "BIT_AND", "EQUALITY", "COMPARISON", "SHIFT"}
_OPERATORS |= {"PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "QUESTION"}
_SPOKEN = {
    "NAME": "a name",
    "STRING": "a string",
    "PATH": "the name of a machine",
    "WAIT": "wait(...)",
    "POST": "post(...)",
    "FLAG": "a flag",
    "MEMORY": "a memory operand",
    "PORT": "a port",
    "WAIT_CHANNEL": "a channel",
    "POST_CHANNEL": "a channel",
    "MACHINE": "machine=...",
    "COMMA": "','",
    "EQUAL": "'='",
    "LSQB": "'['",
    "RSQB": "']'",
    "LPAR": "'('",
    "RPAR": "')'",
    "_IN": "'in'",
    "ARROW": "'->'",
    "DOTS": "'..'",
    "COLON": "':'",
    "PIECE": "text",
    "STAR": "'*'",
    "$END": "the end of the line",
}
_NAMES = "names consist of the letters a to z and A to Z, digits, _ and ."
_WORD = re.compile(r"[\w.]+|\S")
_SPACE = re.compile(r"[ \t]*")
_PARAMETER = re.compile(r"\\\w+")


def explain(fault: SyntaxFault, text: str, parser: LalrParser, table: Table) -> tuple[Reject, tuple[Word, ...], BrokenStatement]:
    """The error, the line's labels, and what stands for its statement."""
    labels, begin = _labels(text, parser)
    where = fault.where
    word = fault.word if fault.word is not None else _word_at(text, where)
    mnemonic = _word_at(text, begin)
    span = Span(where, where + max(1, len(word)))
    if where == begin:
        message = f"unexpected {mnemonic!r}; expected a label, an instruction or a directive"
        reject = Reject("E0101", message, Span(begin, begin + len(mnemonic)), [_NAMES] if _is_foreign(mnemonic[:1]) else [])
    elif word in ('"', "'"):
        kind = "string" if word == '"' else "character"
        reject = Reject("E0102", f"{kind} without its closing quote", Span(where, len(text)))
    else:
        reject = _syntax_error(word, span, text, set(fault.expected), mnemonic, table)
    return reject, labels, _remains(text, begin, mnemonic, parser)


def _is_foreign(character: str) -> bool:
    """Whether that is a letter or digit that no name may hold."""
    return character.isalnum() and not character.isascii()


def _word_at(text: str, position: int) -> str:
    match = _WORD.match(text, position)
    return match[0] if match else text[position : position + 1]


def _labels(text: str, parser: LalrParser) -> tuple[tuple[Word, ...], int]:
    """The labels at the beginning of a line and the column where its statement begins."""
    pattern = re.compile(parser.pattern("LABEL"))
    labels = []
    position = _after_space(text, 0)
    while match := pattern.match(text, position):
        labels.append(label_word(match[0], match.start()))
        position = _after_space(text, match.end())
    return tuple(labels), position


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _remains(text: str, begin: int, mnemonic: str, parser: LalrParser) -> BrokenStatement:
    """A broken instruction still takes its place in the program, a broken definition still defines its name."""
    span = Span(begin, max(begin, len(text.rstrip())))
    if not mnemonic.startswith("."):
        return BrokenStatement(bool(mnemonic), (), span)
    name = re.compile(r"\s*(" + parser.pattern("NAME") + ")").match(text, begin + len(mnemonic))
    return BrokenStatement(False, (name[1],) if name else (), span)


def unknown_statement(call: CallStatement, text: str, macros: Iterable[str], table: Table) -> Reject:
    """The error for a line that could call a macro, if there is no macro of that name."""
    word, span = call.name.text, call.name.span
    if _is_foreign(behind := text[span.end : span.end + 1]):
        return Reject("E0101", f"unexpected '{behind}' in a name", Span(span.end, span.end + 1), [_NAMES])
    if word.startswith("."):
        ours = FROM_GNU.get(word)
        help = (f"here that is {ours}",) if ours else did_you_mean(word, [*DIRECTIVES, *macros])
        return Reject("E0106", f"unknown directive '{word}'", span, help)
    if re.match(r"\s*=", text[span.end :]):
        return Reject("E0107", f"unknown instruction '{word}'", span, [f"constants are defined by: .equ {word}, value"])
    known = (*table.by_mnemonic, *table.alias_by_mnemonic, *macros)
    help = did_you_mean(word, known)
    if _word_at(text, len(text) - len(text[span.end :].lstrip())) in known:
        help = (f"a label ends in a colon: {word}:",)
    return Reject("E0107", f"unknown instruction '{word}'", span, help)


def _syntax_error(word: str, span: Span, text: str, expected: set[str], mnemonic: str, table: Table) -> Reject:
    is_instruction = mnemonic in table.by_mnemonic or mnemonic in table.alias_by_mnemonic
    help = [f"form: {form_of(mnemonic, table)}"] if is_instruction else []
    row = table.by_mnemonic.get(mnemonic)
    if row is None or not row.is_tensor:
        expected = expected - {"FLAG", "WAIT", "POST"}
    elif "FLAG" in expected and "NUMBER" not in expected and re.fullmatch(r"[A-Za-z_]\w*", word):
        if re.match(r"\s*[\[=]", text[span.end :]) or word in REGISTER_NUMBERS:
            return Reject("E0101", f"expected ',' before '{word}'", span, help)
        return Reject("E0204", f"{mnemonic} has no flag '{word}'", span, [*did_you_mean(word, [flag.name for flag in row.flags]), *help])
    if parameter := _PARAMETER.match(text, span.start):
        shown = parameter[0]
        message = f"'{shown}' is no parameter of a macro and no counter of a repetition here"
        return Reject("E0702", message, Span(span.start, span.start + len(shown)))
    if _is_foreign(word[:1]):
        help = [_NAMES, *help]
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
    elif "PIECE" in names and names & {"RPAR", "RSQB"}:
        names &= {"RPAR", "RSQB"}
    elif names - _OPERATORS:
        names -= _OPERATORS
    words += [_SPOKEN[name] for name in _SPOKEN if name in names]
    words = list(dict.fromkeys(words)) or ["an operator"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
