"""Emitter of `vscode/accelkit.tmLanguage.json`, the TextMate grammar that VS Code and others highlight with."""

from __future__ import annotations

import json
from typing import Any

from accelkit.editor.lexicon import Category, Rule, rules
from accelkit.isa.table import TABLE, Table

SCOPE_NAME = "source.accelkit"

# The usual names of scopes, so that every theme has colours for them.
_SCOPES = {
    Category.COMMENT: "comment.line",
    Category.LABEL: "entity.name.label",
    Category.DIRECTIVE: "keyword.control.directive",
    Category.DEFINITION: "entity.name.constant",
    Category.MNEMONIC: "support.function.mnemonic",
    Category.CALL: "entity.name.function.macro",
    Category.PARAMETER: "variable.parameter.macro",
    Category.OPERAND: "variable.parameter",
    Category.TYPE: "storage.type",
    Category.PORT: "support.constant.port",
    Category.KEYWORD: "keyword.other.token",
    Category.CHANNEL: "support.constant.channel",
    Category.REGISTER: "variable.language.register",
    Category.MEMORY: "support.type.memory",
    Category.FLAG: "storage.modifier.flag",
    Category.FLOAT: "constant.numeric.float",
    Category.NUMBER: "constant.numeric.integer",
    Category.CHARACTER: "constant.character",
    Category.STRING: "string.quoted.double",
    Category.NAME: "variable.other",
    Category.HERE: "constant.language.here",
    Category.OPERATOR: "keyword.operator",
    Category.PUNCTUATION: "punctuation.separator",
}


def scope(category: Category) -> str:
    """The TextMate scope of a category."""
    return f"{_SCOPES[category]}.accelkit"


def textmate_grammar(table: Table = TABLE, grammar: str | None = None) -> dict[str, Any]:
    """The TextMate grammar for an instruction table and the Lark text of its assembly."""
    return {
        "name": "accelkit assembly",
        "scopeName": SCOPE_NAME,
        "fileTypes": ["s"],
        "patterns": [_pattern(rule) for rule in rules(table, grammar)],
    }


def _pattern(rule: Rule) -> dict[str, Any]:
    if len(rule.categories) == 1 and rule.categories[0]:
        return {"name": scope(rule.categories[0]), "match": rule.pattern}
    captures = {str(group): {"name": scope(part)} for group, part in enumerate(rule.categories, start=1) if part}
    return {"match": rule.pattern, "captures": captures}


def emit(table: Table = TABLE) -> str:
    """Text of the file."""
    return json.dumps(textmate_grammar(table), indent=2) + "\n"


if __name__ == "__main__":
    print(emit(), end="")
