"""What Lark makes of a grammar, as plain data: the tables of its LALR parser and the order in which its lexers try terminals.

Lark reads the grammar and settles everything; whoever parses (accelkit.assembler.lalr) needs its tables only. They are kept on disk, so
that a run of the assembler loads them in a millisecond, where importing Lark and compiling its regular expressions takes forty.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from accelkit.isa.files import cache_folder, read_kept
from accelkit.isa.unused import mark_used

if TYPE_CHECKING:
    from lark import Lark

LITERAL, WORDS, PATTERN = range(3)  # kinds of terminals
Terminal: TypeAlias = "tuple[int, str, tuple[str, ...]]"  # kind, text or regular expression, and the words that it stands for
Lexer: TypeAlias = "tuple[tuple[str, dict[str, str]], ...]"  # terminals in order of trial, each with the texts that are other terminals
State: TypeAlias = "tuple[int, dict[str, int], dict[str, int]]"  # lexer, actions by terminal (r for shift to r, ~r for rule r), gotos
_WORDS = re.compile(r"((?:\w|\\\.)*)(?:\(\?:((?:\w|\\\.|\|)+)\))?\(\?!\[\\w\.\]\)")  # whole words: (?:add|load\.b)(?![\w.])


class Rule(NamedTuple):
    """A rule of the grammar. `method` makes its value of its children; if it is empty, a list of them is the value.

    `children` says which symbols become children: how many Nones (for optional symbols that are missing) come before, the symbol's
    number, and whether it is a list whose entries are taken; `nones` come after the last.
    """

    origin: str
    size: int
    method: str
    is_transparent: bool  # a single child is the value
    children: tuple[tuple[int, int, bool], ...]
    nones: int


class ParseTable(NamedTuple):
    """All that parsing needs. The last lexer knows all terminals: it names what stands where nothing expected does."""

    start: int
    end: int
    states: dict[int, State]
    rules: tuple[Rule, ...]
    lexers: tuple[Lexer, ...]
    terminals: dict[str, Terminal]
    ignored: frozenset[str]


def parse_table(text: str) -> ParseTable:
    """The tables of a grammar, Lark text whose start is `line`: from disk if they are kept there, else from Lark."""
    key = text + Path(__file__).read_text(encoding="utf-8")  # other code makes other tables
    file = _kept_file(key)
    if file is not None and (known := _read(file, key)) is not None:
        return known
    table = make_parse_table(lark_parser(text))
    if file is not None:
        _write(file, key, table)
    return table


def lark_parser(text: str) -> Lark:
    """Lark's own parser of a grammar."""
    from lark import Lark

    return Lark(text, parser="lalr", start="line")


# ---- on disk


def _kept_file(key: str) -> Path | None:
    """Where the tables of a grammar are kept; None if there is no place for them."""
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # read-only, or no home
        return None
    name = f"parser-{zlib.crc32(key.encode()):08x}-{sys.implementation.cache_tag}"  # marshal's format is of a Python version
    return folder / name if os.access(folder, os.W_OK) else None


def _read(file: Path, key: str) -> ParseTable | None:
    """The tables of a file; None if it isn't there, is damaged, or is another grammar's."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        content = read_kept(file)
        if zlib.crc32(content[4:]) == int.from_bytes(content[:4], "little"):
            kept, rules, rest = marshal.loads(content[4:])
            if kept == key:
                mark_used(file)
                return ParseTable(rules=tuple(map(Rule._make, rules)), **rest)
    return None


def _write(file: Path, key: str, table: ParseTable) -> None:
    rest = table._asdict()
    rules = tuple(map(tuple, rest.pop("rules")))
    content = marshal.dumps((key, rules, rest))
    temporary = file.with_name(f".{file.name}.{os.urandom(8).hex()}")  # containers that share a cache have the same process numbers
    with suppress(OSError):  # a full disk: then the next run makes them again
        temporary.write_bytes(zlib.crc32(content).to_bytes(4, "little") + content)
        temporary.replace(file)
    temporary.unlink(missing_ok=True)


# ---- from Lark


def make_parse_table(lark: Lark) -> ParseTable:
    """Lark's tables as plain data."""
    frontend: Any = lark.parser
    table = frontend.parser._parse_table
    contextual = frontend.lexer
    lexers: dict[int, int] = {}  # by identity: many states share one
    found: list[Lexer] = []
    for basic in (*contextual.lexers.values(), contextual.root_lexer):
        if id(basic) not in lexers:
            lexers[id(basic)] = len(found)
            found.append(_lexer(basic.terminals))
    assert lexers[id(contextual.root_lexer)] == len(found) - 1
    numbers: dict[Any, int] = {rule: number for number, rule in enumerate(lark.rules)}
    states: dict[int, State] = {}
    for state, entries in table.states.items():
        actions: dict[str, int] = {}
        gotos: dict[str, int] = {}
        for symbol, (action, argument) in entries.items():
            code = ~numbers[argument] if action.name == "Reduce" else argument
            (actions if symbol.isupper() else gotos)[str(symbol)] = code
        states[state] = (lexers[id(contextual.lexers[state])], actions, gotos)
    return ParseTable(
        start=table.start_states["line"],
        end=table.end_states["line"],
        states=states,
        rules=tuple(map(_rule, lark.rules)),
        lexers=tuple(found),
        terminals={one.name: _terminal(one.pattern) for one in lark.terminals},
        ignored=frozenset(contextual.root_lexer.ignore_types),
    )


def _terminal(pattern: Any) -> Terminal:
    if pattern.type == "str":
        assert not pattern.flags, f"{pattern}: strings with flags are not provided for"
        return LITERAL, pattern.value, ()
    regexp = pattern.to_regexp()
    if match := _WORDS.fullmatch(regexp):
        words = [(match[1] + word).replace("\\", "") for word in (match[2] or "").split("|")]
        return WORDS, regexp, tuple(words)
    return PATTERN, regexp, ()


def _lexer(terminals: list[Any]) -> Lexer:
    """Terminals in Lark's order; a string that a pattern of the same priority would take is found through the pattern, as Lark does."""
    patterns = [one for one in terminals if one.pattern.type == "re"]
    strings = [one for one in terminals if one.pattern.type == "str"]
    within: dict[str, dict[str, str]] = {}
    for one in patterns:
        regexp = re.compile(one.pattern.to_regexp())
        texts = {
            string.pattern.value: string.name
            for string in strings
            if string.priority == one.priority
            and (match := regexp.match(string.pattern.value))
            and match[0] == string.pattern.value
        }
        within[one.name] = texts
    embedded = {name for texts in within.values() for name in texts.values()}
    return tuple((one.name, within.get(one.name, {})) for one in terminals if one.name not in embedded)


def _rule(rule: Any) -> Rule:
    """A rule with what Lark makes of its options: tokens left out, lists spliced, Nones for what is optional."""
    options = rule.options
    gaps = [len(ones) for ones in "".join(str(int(is_empty)) for is_empty in options.empty_indices or ()).split("0")]
    gaps += [0] * (len(rule.expansion) + 1 - len(gaps))
    children, nones = [], 0
    for number, symbol in enumerate(rule.expansion):
        nones += gaps[number]
        if options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            children.append((nones, number, not symbol.is_term and symbol.name.startswith("_")))
            nones = 0
    nones += gaps[-1]
    name = str(rule.alias or options.template_source or rule.origin.name)
    is_transparent = bool(options.expand1 and not rule.alias)
    is_list = name.startswith("_") or (is_transparent and len(children) == 1 and not children[0][0] and not children[0][2] and not nones)
    return Rule(
        origin=str(rule.origin.name),
        size=len(rule.expansion),
        method="" if is_list else name,
        is_transparent=is_transparent,
        children=tuple(children),
        nones=nones,
    )
