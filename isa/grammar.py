"""Grammar of the assembly text: `assembly.lark` with the terminals that an instruction table gives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from accelkit.isa.row import Kind
from accelkit.isa.table import TABLE, Table

_MEMORY_WORDS = (Kind.SCRATCHPAD, Kind.ACCUMULATOR, Kind.DRAM, Kind.ARGUMENT)


@cache
def default_grammar() -> str:
    """The text of `assembly.lark`."""
    return Path(__file__).with_name("assembly.lark").read_text(encoding="utf-8")


def table_terminals(table: Table = TABLE) -> dict[str, tuple[str, ...]]:
    """The words of each terminal that comes from the table."""
    operands = [operand for row in table.rows for operand in row.operands]
    used = {operand.kind for operand in operands}
    return {
        "MNEMONIC": (*table.by_mnemonic, *table.alias_by_mnemonic),
        "REGISTER": tuple(table.registers),
        "MEMORY": tuple(kind.value for kind in _MEMORY_WORDS if kind in used),
        "FLAG": tuple(dict.fromkeys(operand.name for operand in operands if operand.kind is Kind.FLAG)),
        "PORT": tuple(dict.fromkeys(channel.producer.name.lower() for channel in table.channels)),
        "WAIT_CHANNEL": tuple(dict.fromkeys(channel.wait_text for channel in table.channels)),
        "POST_CHANNEL": tuple(dict.fromkeys(channel.post_text for channel in table.channels)),
    }


@cache
def keywords(grammar: str) -> frozenset[str]:
    """Words that may be more than a name to the grammar: all that its terminals spell out (and some more, which does no harm)."""
    patterns = re.findall(r"^[A-Z_]+(?:\.[0-9])?: (.*)$", grammar, re.MULTILINE)
    words = {word for pattern in patterns for word in re.findall(r"[A-Za-z_]{2,}", pattern)}
    return frozenset(words | {f".{word}" for word in words})


@cache
def directives(grammar: str) -> tuple[str, ...]:
    """The directives that a grammar knows: the words that its terminals list after a dot."""
    patterns = re.findall(r"^[A-Z_]+\.2: /\\\.(?:\(\?:([a-z|]+)\)|([a-z]+))\(\?!", grammar, re.MULTILINE)
    return tuple(f".{word}" for several, one in patterns for word in (several or one).split("|"))


def reserved_words(table: Table = TABLE) -> frozenset[str]:
    """Names that no symbol may take, because an expression or an operand list would read them as something else."""
    terminals = table_terminals(table)
    return frozenset(terminals["REGISTER"] + terminals["MEMORY"] + terminals["FLAG"] + ("wait", "post"))


def full_grammar(table: Table = TABLE, grammar: str | None = None) -> str:
    """The grammar, by default `assembly.lark`, with the terminals of a table: Lark text of one line, rule `line`, for an LALR parser."""
    terminals = [f"{name}.2: /{_alternatives(words)}/" for name, words in table_terminals(table).items()]
    return "\n".join([grammar if grammar is not None else default_grammar(), *terminals])


def _alternatives(words: Iterable[str]) -> str:
    """A regular expression for whole words; for none at all, one that matches nothing (Lark refuses terminals of no width)."""
    longest_first = sorted(words, key=len, reverse=True)
    return rf"(?:{'|'.join(map(re.escape, longest_first))})(?![\w.])" if longest_first else r"[^\s\S]"
