"""Verdicts for people, for CI servers (JUnit XML) and for GitHub (annotations)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from accelkit.cli.golden.verdict import Checked, Verdict
from accelkit.simulator.report import table

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_table(results: Sequence[Checked]) -> str:
    """A row for each case; under them what is to be said of those that aren't as recorded."""
    rows = []
    for result in results:
        change = "" if result.cycles is None or result.recorded_cycles is None else f"{result.cycles - result.recorded_cycles:+,}"
        rows.append([result.name, result.verdict.value, _number(result.cycles), _number(result.recorded_cycles), change])
    lines = table(["case", "verdict", "cycles", "recorded", "change"], rows)
    for result in results:
        if result.detail:
            lines += ["", f"{result.name}: {result.verdict.value} ({result.path})", *(f"  {line}" for line in result.detail.splitlines())]
        elif result.note:
            lines += ["", f"{result.name}: {result.note}"]
    counts = ", ".join(f"{count} {verdict.value}" for verdict in Verdict if (count := _count(results, verdict)))
    return "\n".join([*lines, "", f"{len(results)} cases: {counts}"])


def as_junit(results: Sequence[Checked]) -> bytes:
    """A test suite with a test case for each golden; wrong, changed and stale ones are failures, unusable ones errors."""
    unusable = _count(results, Verdict.UNUSABLE)
    failures = len(results) - unusable - _count(results, Verdict.OK)
    numbers = {"tests": str(len(results)), "failures": str(failures), "errors": str(unusable)}
    suite = ElementTree.Element("testsuite", {"name": "accel-sim golden", **numbers})
    for result in results:
        case = ElementTree.SubElement(suite, "testcase", {"classname": _xml(result.path), "name": _xml(result.name)})
        if result.verdict is not Verdict.OK:
            kind = "error" if result.verdict is Verdict.UNUSABLE else "failure"
            message = _xml(result.detail.partition("\n")[0])
            finding = ElementTree.SubElement(case, kind, {"type": result.verdict.value, "message": message})
            finding.text = _xml(result.detail)
    root = ElementTree.Element("testsuites", numbers)
    root.append(suite)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def as_github(results: Sequence[Checked]) -> list[str]:
    """Workflow commands that GitHub shows at the lines in question."""
    lines = []
    for result in results:
        if result.verdict is Verdict.OK:
            continue
        level = "warning" if result.verdict is Verdict.STALE else "error"
        file = _escape(result.file).replace(":", "%3A").replace(",", "%2C")
        title = _escape(f"golden {result.name}: {result.verdict.value}").replace(":", "%3A").replace(",", "%2C")
        lines.append(f"::{level} file={file},line={max(1, result.line)},title={title}::{_escape(result.detail)}")
    return lines


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _count(results: Sequence[Checked], verdict: Verdict) -> int:
    return sum(result.verdict is verdict for result in results)
