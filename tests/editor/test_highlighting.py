"""Three engines read one list of rules: what they make of a source must be the same, and must be what the assembler reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lark import Token
from pygments.lexers import get_lexer_by_name
from textmate_grammar.parsers.base import LanguageParser

from accelkit.editor.lexicon import Category, Lexeme, scan, terminal
from accelkit.editor.pygments_lexer import TOKENS, AccelkitLexer
from accelkit.editor.textmate import SCOPE_NAME, emit, scope, textmate_grammar
from accelkit.isa.grammar import full_grammar
from accelkit.isa.parse_table import lark_parser
from accelkit.isa.row import Instruction
from accelkit.isa.table import TABLE
from tests.editor.fixtures import ROOT, SOURCES, VALID, name, text

GRAMMAR = ROOT / "editor" / "vscode" / "accelkit.tmLanguage.json"
CATEGORY_OF_TOKEN = {token: category for category, token in TOKENS.items()}
CATEGORY_OF_SCOPE = {scope(category): category for category in Category}

# A line and what its words are.
LINES = {
    "loop:   addi t0, t0, -1   # to go": "loop:=label addi=mnemonic t0=register ,=punctuation t0=register ,=punctuation -=operator"
    " 1=number # to go=comment",
    "copy \\from, 2": "copy=call \\from=parameter ,=punctuation 2=number",
    "a: b: halt": "a:=label b:=label halt=mnemonic",
    "        .arg x, in, s8[M, 16]": ".arg=directive x=definition ,=punctuation in=type ,=punctuation s8=type [=punctuation M=name"
    " ,=punctuation 16=number ]=punctuation",
    ".arg M, value": ".arg=directive M=definition ,=punctuation value=type",
    ".equ ROW, 1 << 4": ".equ=directive ROW=definition ,=punctuation 1=number <<=operator 4=number",
    ".token full = load -> array.0": ".token=directive full=definition ==operator load=port ->=operator array.0=channel",
    "run acc[t4], sp[s3], rows=t0 accumulate wait(load.1) post(full)": "run=mnemonic acc=memory [=punctuation t4=register ]=punctuation"
    " ,=punctuation sp=memory [=punctuation s3=register ]=punctuation ,=punctuation rows=operand ==operator t0=register accumulate=flag"
    " wait=keyword (=punctuation load.1=channel )=punctuation post=keyword (=punctuation full=name )=punctuation",
    "beq t0, t1, .+2": "beq=mnemonic t0=register ,=punctuation t1=register ,=punctuation .=here +=operator 2=number",
    "j min": "j=mnemonic min=name",  # a mnemonic is one at the beginning only
    "s8x: li t00, 0x1f": "s8x:=label li=mnemonic t00=name ,=punctuation 0x1f=number",
    ".ascii \"a # b\\\"\" ; c": '.ascii=directive "a # b\\""=string ; c=comment',
    ".float 1.5e-3, -inf": ".float=directive 1.5e-3=float ,=punctuation -=operator inf=name",
    ".byte ';', 'a'": ".byte=directive ';'=character ,=punctuation 'a'=character",
    "x = 5 // five": "x=name ==operator 5=number // five=comment",
    "larg a0, args[t0 + 1]": "larg=mnemonic a0=register ,=punctuation args=memory [=punctuation t0=register +=operator 1=number"
    " ]=punctuation",
}


@pytest.mark.parametrize("line", LINES)
def test_words_of_a_line(line: str) -> None:
    """The words of a line are what stands beside it."""
    assert " ".join(f"{word.text}={word.category.value}" for word in scan(line)) == LINES[line]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_pygments_sees_the_same_words(path: Path) -> None:
    """The stream of the Pygments lexer holds every character, and its tokens are the words of the scan."""
    source = text(path)
    stream = list(AccelkitLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(source))
    assert "".join(part for _, _, part in stream) == source
    starts = line_starts(source)
    assert [(CATEGORY_OF_TOKEN[kind], at, part) for at, kind, part in stream if kind in CATEGORY_OF_TOKEN] == [
        (word.category, starts[number] + word.start, word.text) for number, word in words(source)
    ]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_textmate_sees_the_same_words(path: Path) -> None:
    """A TextMate engine (Oniguruma) gives each character, with our grammar file, the category that the scan gives it."""
    parser = LanguageParser(json.loads(GRAMMAR.read_text()))
    found: dict[tuple[int, int], Category] = {}
    for number, line in enumerate(text(path).split("\n")):
        element = parser.parse_string(line + "\n")
        for (_, column), part, scopes in element.flatten() if element else []:
            if scopes[-1] != SCOPE_NAME:
                found |= {(number, column + place): CATEGORY_OF_SCOPE[scopes[-1]] for place in range(len(part))}
    expected = words(text(path))
    assert found == {(number, place): word.category for number, word in expected for place in range(word.start, word.end)}


@pytest.mark.parametrize("path", VALID, ids=name)
def test_valid_source_has_no_error_token(path: Path) -> None:
    """No character of a source that assembles is unknown to the lexer."""
    kinds = {str(kind) for _, kind, _ in AccelkitLexer().get_tokens_unprocessed(text(path))}
    assert "Token.Error" not in kinds


# Terminals of the grammar whose category follows from their name; a name that the assembler reads may be a definition here.
TERMINALS = {
    "MNEMONIC": {Category.MNEMONIC},
    "REGISTER": {Category.REGISTER},
    "MEMORY": {Category.MEMORY},
    "FLAG": {Category.FLAG},
    "PORT": {Category.PORT},
    "WAIT": {Category.KEYWORD},
    "POST": {Category.KEYWORD},
    "WAIT_CHANNEL": {Category.CHANNEL},
    "POST_CHANNEL": {Category.CHANNEL},
    "LABEL": {Category.LABEL},
    "NUMBER": {Category.NUMBER},
    "FLOAT": {Category.FLOAT},
    "CHARACTER": {Category.CHARACTER},
    "STRING": {Category.STRING},
    "HERE": {Category.HERE},
    "NAME": {Category.NAME, Category.DEFINITION, Category.OPERAND, Category.TYPE},
}


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.mnemonic)
def test_words_are_the_assemblers(row: Instruction) -> None:
    """In the example of each row the parser's tokens have the places and the categories of the scan."""
    tree = lark_parser(full_grammar()).parse(row.example)
    scanned = {(word.start, word.end): word.category for word in scan(row.example)}
    tokens = [token for token in tree.scan_values(lambda value: isinstance(value, Token)) if token.type in TERMINALS]
    assert tokens
    for token in tokens:
        assert scanned[token.start_pos, token.end_pos] in TERMINALS[token.type], token


def test_grammar_file_is_fresh(is_updating_golden: bool) -> None:
    """The file that editors load is what the emitter makes of the table of today."""
    if is_updating_golden:
        GRAMMAR.write_text(emit())
    assert GRAMMAR.read_text() == emit()


def test_extension_names_its_files() -> None:
    """The VS Code extension points at files that are there, and gives the grammar the scope that it has."""
    manifest = json.loads((GRAMMAR.parent / "package.json").read_text())
    (grammar,) = manifest["contributes"]["grammars"]
    (language,) = manifest["contributes"]["languages"]
    assert grammar["scopeName"] == textmate_grammar()["scopeName"]
    assert grammar["language"] == language["id"]
    for file in (manifest["main"], grammar["path"], language["configuration"]):
        assert (GRAMMAR.parent / file).is_file()


def test_lexer_is_found_by_name() -> None:
    """Pygments finds the lexer by the entry point of the installed package."""
    assert type(get_lexer_by_name("accelkit")) is AccelkitLexer


def test_missing_terminal_is_named() -> None:
    """A grammar without a terminal that the rules need is refused by that terminal's name."""
    with pytest.raises(ValueError, match="NAME"):
        terminal("line: WORD", "NAME")


def words(source: str) -> list[tuple[int, Lexeme]]:
    """All words of a source with the numbers of their lines, from 0."""
    return [(number, word) for number, line in enumerate(source.split("\n")) for word in scan(line)]


def line_starts(source: str) -> list[int]:
    """The offset of each line in the source."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts
