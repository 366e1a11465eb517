"""`--explain CODE`: what a code means and what to do."""

from __future__ import annotations

import textwrap

import click


def explanation(code: str) -> str:
    """The explanation of a diagnostic's code, of the assembler or of the lint."""
    from accelkit.assembler.codes import CODES
    from accelkit.lint.codes import CODES as LINT_CODES

    code = code.upper()
    if entry := CODES.get(code):
        return f"{code}: {entry.title}\n\n{textwrap.fill(entry.explanation, 100)}"
    if rule := LINT_CODES.get(code):
        return f"{code}: {rule.title}\n\n{textwrap.fill(rule.meaning, 100)}\n\nFix: {textwrap.fill(rule.fix, 100)}"
    raise click.BadParameter(f"{code}: no such code; codes look like E0101 or W0901", param_hint="--explain")
