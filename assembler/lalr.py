"""The parser of a line: runs the tables that Lark makes of the grammar (accelkit.isa.parse_table), which settle everything.

A token is a `Word`; the value of a rule is what the builder's method of its name makes of its children.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from accelkit.assembler.syntax import Span, Word
from accelkit.isa.parse_table import LITERAL, WORDS, Lexer, ParseTable

_WORD = re.compile(r"[\w.]*")
_END = "$END"
_Trial: TypeAlias = "Callable[[str, int], tuple[str, int] | None]"  # the terminal at a place, and where it ends


class SyntaxFault(Exception):
    """A line that is none of the grammar's. `where` is the column of the first token that doesn't fit and `word` its text: empty at the
    end of the line, None if it is no token at all. `expected` are the terminals that would fit."""

    def __init__(self, where: int, word: str | None, expected: frozenset[str]) -> None:
        super().__init__(where, word, expected)
        self.where = where
        self.word = word
        self.expected = expected


class LalrParser:
    """Parser of single lines. Lexers are made as states ask for them: a file uses a few."""

    def __init__(self, table: ParseTable, builder: object) -> None:
        self._table = table
        self._methods: list[Callable[..., Any] | None] = [getattr(builder, rule.method) if rule.method else None for rule in table.rules]
        self._lexers: dict[int, list[_Trial]] = {}

    def pattern(self, terminal: str) -> str:
        """The regular expression of a terminal."""
        kind, text, _ = self._table.terminals[terminal]
        return re.escape(text) if kind == LITERAL else text

    def parse(self, text: str) -> Any:
        """The value of the line; SyntaxFault if it has none."""
        table, ignored = self._table, self._table.ignored
        states: list[int] = [table.start]
        values: list[Any] = []
        place = end = 0  # `end` is that of the last token
        while place < len(text):
            found = self._token(table.states[states[-1]][0], text, place)
            if found is None:
                other = self._token(len(table.lexers) - 1, text, place)
                raise SyntaxFault(place, text[place : other[1]] if other else None, self._accepted(states))
            terminal, after = found
            if terminal not in ignored:
                self._shift(terminal, Word(text[place:after], Span(place, after)), states, values)
                end = after
            place = after
        while True:
            action = table.states[states[-1]][1].get(_END)
            if action is None:
                raise SyntaxFault(end, "", self._accepted(states))
            self._reduce(~action, states, values)
            if states[-1] == table.end:
                return values[-1]

    # ---- the automaton

    def _shift(self, terminal: str, token: Word, states: list[int], values: list[Any]) -> None:
        known = self._table.states
        while (action := known[states[-1]][1].get(terminal)) is not None and action < 0:
            self._reduce(~action, states, values)
        if action is None:  # the lexer asks the state before; LALR tables may reduce once or twice before they see that nothing fits
            raise SyntaxFault(token.span.start, token.text, self._accepted(states))
        states.append(action)
        values.append(token)

    def _reduce(self, number: int, states: list[int], values: list[Any]) -> None:
        rule, method = self._table.rules[number], self._methods[number]
        first = len(values) - rule.size
        children: list[Any] = []
        for nones, symbol, is_list in rule.children:
            if nones:
                children += [None] * nones
            value = values[first + symbol]
            if not is_list:
                children.append(value)
            elif children:
                children += value
            else:
                children = value  # a list belongs to its rule alone, so a long one is not copied at each of its entries
        children += [None] * rule.nones
        del states[first + 1 :], values[first:]
        if rule.is_transparent and len(children) == 1:
            value = children[0]
        else:
            value = children if method is None else method(*children)
        states.append(self._table.states[states[-1]][2][rule.origin])
        values.append(value)

    def _accepted(self, states: Sequence[int]) -> frozenset[str]:
        """The terminals that could stand next: those with an action that leads to a shift or to the end."""
        return frozenset(terminal for terminal in self._table.states[states[-1]][1] if self._leads_on(terminal, list(states)))

    def _leads_on(self, terminal: str, states: list[int]) -> bool:
        table = self._table
        while (action := table.states[states[-1]][1].get(terminal)) is not None:
            if action >= 0:
                return True
            rule = table.rules[~action]
            del states[len(states) - rule.size :]
            states.append(table.states[states[-1]][2][rule.origin])
            if terminal == _END and states[-1] == table.end:
                return True
        return False

    # ---- tokens

    def _token(self, lexer: int, text: str, place: int) -> tuple[str, int] | None:
        trials = self._lexers.get(lexer)
        if trials is None:
            trials = self._lexers[lexer] = self._trials(self._table.lexers[lexer])
        for trial in trials:
            if (found := trial(text, place)) is not None:
                return found
        return None

    def _trials(self, lexer: Lexer) -> list[_Trial]:
        """What to try in order. Neighbouring lists of words are one look-up."""
        trials: list[_Trial] = []
        words: dict[str, str] = {}
        for name, within in lexer:
            kind, text, listed = self._table.terminals[name]
            if kind == WORDS and not within:
                if not words:
                    trials.append(_words_trial(words))
                for word in listed:
                    words.setdefault(word, name)
                continue
            words = {}
            trials.append(_literal_trial(name, text) if kind == LITERAL else _pattern_trial(name, text, within))
        return trials


def _words_trial(words: dict[str, str]) -> _Trial:
    def trial(text: str, place: int) -> tuple[str, int] | None:
        match = _WORD.match(text, place)
        assert match is not None
        name = words.get(match[0])
        return (name, match.end()) if name is not None else None

    return trial


def _literal_trial(name: str, literal: str) -> _Trial:
    def trial(text: str, place: int) -> tuple[str, int] | None:
        return (name, place + len(literal)) if text.startswith(literal, place) else None

    return trial


def _pattern_trial(name: str, regexp: str, within: dict[str, str]) -> _Trial:
    pattern: re.Pattern[str] | None = None

    def trial(text: str, place: int) -> tuple[str, int] | None:
        nonlocal pattern
        if pattern is None:  # to compile one takes as long as to parse ten lines
            pattern = re.compile(regexp)
        match = pattern.match(text, place)
        return (within.get(match[0], name), match.end()) if match else None

    return trial
