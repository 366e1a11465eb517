"""What the words of a source line are, for highlighting and for the language server: ordered rules, the first that fits wins.

One list serves every engine, so it keeps to what Python's `re` and Oniguruma both understand and needs no state: a line says by
itself what its words are. The words come from the instruction table, the shapes of names and literals from `assembly.lark`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from accelkit.assembler.parse_errors import DIRECTIVES
from accelkit.isa.grammar import default_grammar, table_terminals
from accelkit.isa.program import DTYPES, ArgumentKind
from accelkit.isa.row import Kind
from accelkit.isa.table import TABLE, Table


class Category(Enum):
    """What a word is. The value names the rule in the TextMate grammar."""

    COMMENT = "comment"
    LABEL = "label"
    DIRECTIVE = "directive"
    DEFINITION = "definition"  # the name that a directive defines
    MNEMONIC = "mnemonic"
    CALL = "call"  # of a macro, or an instruction that nobody knows
    PARAMETER = "parameter"  # of a macro, in its body
    OPERAND = "operand"  # rows=
    TYPE = "type"
    PORT = "port"  # before ->
    KEYWORD = "keyword"
    CHANNEL = "channel"
    REGISTER = "register"
    MEMORY = "memory"
    FLAG = "flag"
    FLOAT = "float"
    NUMBER = "number"
    CHARACTER = "character"
    STRING = "string"
    NAME = "name"
    HERE = "here"
    OPERATOR = "operator"
    PUNCTUATION = "punctuation"


@dataclass(frozen=True)
class Rule:
    """A pattern and what it finds: the whole match has the one category, or else each group its own (None: white space)."""

    pattern: str
    categories: tuple[Category | None, ...]


@dataclass(frozen=True)
class Lexeme:
    """A word of a line and the columns it covers, from 0, `end` not included."""

    category: Category
    text: str
    start: int
    end: int


_DEFINING = {".equ", ".token", ".region", ".macro", ".case"}  # what follows them is a name that they define, as after .arg
_BLANK = "[ \t]*"
_START = r"(^[ \t]*|(?<=\w:)[ \t]*)"  # where a statement begins: at first, or when a label's colon has just been passed
_WHOLE = r"(?![\w.])"


def rules(table: Table = TABLE, grammar: str | None = None) -> tuple[Rule, ...]:
    """The rules for an instruction table and the Lark text of its grammar, in the order in which they are tried."""
    text = grammar if grammar is not None else default_grammar()
    words = table_terminals(table)
    name = terminal(text, "NAME")
    operands = sorted({op.name for row in table.rows for op in row.operands if row.is_tensor and op.kind is not Kind.FLAG})
    kinds, dtypes = _one_of(kind.value for kind in ArgumentKind), _one_of(DTYPES)
    definition = rf"{_START}({_one_of(_DEFINING & set(DIRECTIVES))})([ \t]+)({name})"
    argument = rf"{_START}(\.arg)([ \t]+)({name})(?:({_BLANK})(,)({_BLANK})({kinds}){_WHOLE})?"
    defined = (None, Category.DIRECTIVE, None, Category.DEFINITION)
    return (
        Rule(terminal(text, "COMMENT"), (Category.COMMENT,)),
        Rule(f"{_START}({terminal(text, 'LABEL')})", (None, Category.LABEL)),
        Rule(argument, (*defined, None, Category.PUNCTUATION, None, Category.TYPE)),
        Rule(definition, defined),
        Rule(f"{_START}({_one_of(DIRECTIVES)}){_WHOLE}", (None, Category.DIRECTIVE)),
        Rule(f"{_START}({_one_of(words['MNEMONIC'])}){_WHOLE}", (None, Category.MNEMONIC)),
        Rule(f"{_START}({name})(?!{_BLANK}=)", (None, Category.CALL)),
        Rule(r"\\(?:\(\)|@|[A-Za-z_][A-Za-z0-9_]*)", (Category.PARAMETER,)),
        Rule(f"{_one_of(operands)}(?={_BLANK}=(?!=))", (Category.OPERAND,)),
        Rule(rf"{dtypes}(?={_BLANK}\[)", (Category.TYPE,)),
        Rule(f"{_one_of(words['PORT'])}(?={_BLANK}->)", (Category.PORT,)),
        Rule(f"(?:wait|post){_WHOLE}", (Category.KEYWORD,)),
        Rule(_one_of({*words["WAIT_CHANNEL"], *words["POST_CHANNEL"]}) + _WHOLE, (Category.CHANNEL,)),
        Rule(_one_of(words["REGISTER"]) + _WHOLE, (Category.REGISTER,)),
        Rule(_one_of(words["MEMORY"]) + _WHOLE, (Category.MEMORY,)),
        Rule(_one_of(words["FLAG"]) + _WHOLE, (Category.FLAG,)),
        *(Rule(terminal(text, "LOCAL_LABEL"), (Category.NAME,)) for _ in re.findall("^LOCAL_LABEL", text, re.MULTILINE)),
        *(Rule(terminal(text, part.name), (part,)) for part in (Category.FLOAT, Category.NUMBER, Category.CHARACTER, Category.STRING)),
        Rule(name, (Category.NAME,)),
        Rule(r"\.\.|->|<<|>>|[<>=!]=|&&|\|\||[-+*/%~!|&^<>=?:]", (Category.OPERATOR,)),
        Rule(terminal(text, "HERE"), (Category.HERE,)),
        Rule(r"[\[\](),]", (Category.PUNCTUATION,)),
    )


def scan(line: str, table: Table = TABLE) -> tuple[Lexeme, ...]:
    """The words of one line. Characters that belong to none are passed over."""
    return scanner(table)(line)


@lru_cache(maxsize=8)
def scanner(table: Table = TABLE) -> Callable[[str], tuple[Lexeme, ...]]:
    """`scan` for one table; who scans many lines gets it once, for a table takes longer to look up than a line."""
    compiled = [(re.compile(rule.pattern), rule) for rule in rules(table)]

    @lru_cache(maxsize=1 << 14)  # an editor asks for the same lines again after each keystroke
    def scan_line(line: str) -> tuple[Lexeme, ...]:
        found: list[Lexeme] = []
        position = 0
        while position < len(line):
            for pattern, rule in compiled:
                if (match := pattern.match(line, position)) and match.end() > position:
                    found += _lexemes(match, rule)
                    position = match.end()
                    break
            else:
                position += 1
        return tuple(found)

    return scan_line


def _lexemes(match: re.Match[str], rule: Rule) -> Iterable[Lexeme]:
    groups = range(1, len(rule.categories) + 1) if match.re.groups else (0,)
    for group, category in zip(groups, rule.categories, strict=True):
        if category and match[group]:
            yield Lexeme(category, match[group], match.start(group), match.end(group))


def terminal(grammar: str, name: str) -> str:
    """The regular expression of a terminal that the Lark text `grammar` defines as `NAME: /.../`; ValueError if it doesn't."""
    match = re.search(rf"^{name}(?:\.\d+)?: /(.*)/$", grammar, re.MULTILINE)
    if match is None:
        raise ValueError(f"the grammar defines no terminal {name} by a regular expression")
    return match[1].replace(r"\/", "/")


def _one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest that fits; for no words, one that never matches."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, longest_first))})" if longest_first else r"[^\s\S]"
