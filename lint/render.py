"""Reports as text for people and as JSON."""

from collections.abc import Mapping
from typing import Any

from accelkit.assembler.diagnostics import Diagnostic, Note
from accelkit.assembler.diagnostics import diagnostic as make_diagnostic
from accelkit.isa.program import Program
from accelkit.lint.codes import CODES
from accelkit.lint.declared import OWN_CASE
from accelkit.lint.finding import Finding, Report
from accelkit.lint.sources import Sources

MOST_NAMES = 3  # cases that a message names


def diagnostic(finding: Finding, program: Program, sources: Sources) -> Diagnostic:
    """A finding as the assembler's warnings are: position, excerpt, notes at the other places."""
    if finding.pc is None:
        assert finding.line is not None
        line, span = (sources.comment if finding.code == "W0805" else sources.at)(*finding.line)
    else:
        line, span = sources.instruction(program, finding.pc)
    help = list(finding.help) or [CODES[finding.code].fix]
    if finding.cases and finding.cases != (OWN_CASE,):
        names = ", ".join(finding.cases[:MOST_NAMES])
        more = f" and {len(finding.cases) - MOST_NAMES} more" if len(finding.cases) > MOST_NAMES else ""
        help.append(f"seen in {'case' if len(finding.cases) == 1 else 'cases'} {names}{more}")
    notes = tuple(Note(place.role, *sources.instruction(program, place.pc)) for place in finding.places)
    return make_diagnostic(finding.code, finding.message, line, span, help, notes, severity="warning")


def report_text(report: Report, program: Program, sources: Sources) -> str:
    """All findings, then what was not looked at, then the count. Empty if there is nothing to say."""
    parts = [diagnostic(finding, program, sources).render() for finding in report.findings]
    parts += [f"{program.name}: not covered: {text}" for text in report.uncovered]
    if count := len(report.findings):
        parts.append(f"{count} warning{'s' if count > 1 else ''}")
    return "\n".join(parts)


def report_json(report: Report, program: Program, sources: Sources) -> dict[str, Any]:
    """The report as JSON values: `findings`, `allowed` (with reasons), `uncovered`, `cases`."""
    return {
        "program": program.name,
        "findings": [_finding_json(finding, program, sources) for finding in report.findings],
        "allowed": [
            {**_finding_json(finding, program, sources), "reason": allowance.reason} for finding, allowance in report.allowed
        ],
        "uncovered": list(report.uncovered),
        "cases": list(report.cases),
    }


def _finding_json(finding: Finding, program: Program, sources: Sources) -> Mapping[str, Any]:
    shown = diagnostic(finding, program, sources)
    return {
        "code": finding.code,
        "title": CODES[finding.code].title,
        "message": shown.message,
        "file": shown.line.file,
        "line": shown.line.number,
        "column": shown.span.start + 1,
        "end_column": shown.span.end + 1,
        "instruction": finding.pc,
        "places": [
            {
                "message": note.message,
                "file": note.line.file,
                "line": note.line.number,
                "column": note.span.start + 1,
                "end_column": note.span.end + 1,
                "instruction": place.pc,
            }
            for place, note in zip(finding.places, shown.notes, strict=True)
        ],
        "help": list(shown.help),
        "cases": list(finding.cases),
    }
