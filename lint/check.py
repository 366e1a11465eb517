"""The lint: static findings, findings of the cases, what no case covers, and what comments allow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from accelkit.assembler.diagnostics import Diagnostic
from accelkit.isa.messages import shortened
from accelkit.isa.program import Program
from accelkit.isa.units import CHANNELS, Channel
from accelkit.lint.channels import free_channel, posted_in_vain, posts_of, run_after, waits_of
from accelkit.lint.codes import CODES
from accelkit.lint.declared import cases_of
from accelkit.lint.effort import QUICK_STEPS, Effort
from accelkit.lint.finding import Finding, Report
from accelkit.lint.flow import flow_findings
from accelkit.lint.render import diagnostic
from accelkit.lint.sources import Sources, unused_tokens
from accelkit.lint.words import Code, decode

if TYPE_CHECKING:
    from accelkit.lint.cases import Setup


def lint_program(
    program: Program,
    sources: Sources,
    folder: Path = Path(),
    setups: Sequence[Setup] | None = None,
    effort: Effort | None = None,
) -> Report:
    """Lint a program on its cases. Machine files are looked for in `folder`; `setups` replaces the declared cases; without `effort` it
    takes as long as it takes."""
    report = Report()
    code = decode(program.words)
    findings = [*unused_tokens(program, sources), *flow_findings(code)]
    has_tensors = any(word is not None and word.row.is_tensor for word in code)
    if setups is None:
        setups = _set_up(program, folder, report) if has_tensors or program.cases else []
        if not setups and not report.uncovered and has_tensors:
            report.uncovered.append("no .case is declared: waits, posts and accesses are not checked")
    if setups and code:
        # It brings NumPy, which a program without cases need not wait for.
        from accelkit.lint.dynamic import case_report

        found = case_report(program, code, setups, effort or Effort())
        findings += found.findings
        report.cases, report.uncovered = found.cases, report.uncovered + found.uncovered
    findings += _unpaired(code, {finding.code for finding in findings})
    _sort_out(program, [_with_token(finding, code) for finding in _merged(findings)], report)
    return report


def lint_source(
    program: Program, texts: Mapping[str, str], folder: Path = Path()
) -> tuple[list[Diagnostic], list[str]]:
    """Lint a program that has just been assembled from `texts` (by file name), in a second or two: warnings, and what was not covered, a
    line each."""
    sources = Sources(texts, folder)
    report = lint_program(program, sources, folder, effort=Effort(QUICK_STEPS))
    return [diagnostic(finding, program, sources) for finding in report.findings], report.uncovered


def _set_up(program: Program, folder: Path, report: Report) -> list[Setup]:
    if not (cases := cases_of(program)):
        return []
    from accelkit.lint.cases import CaseError, set_up

    setups = []
    for case in cases:
        try:
            setups.append(set_up(program, case, folder))
        except CaseError as error:
            report.uncovered.append(shortened(f"case {case.name} can't be set up: {error}"))
    return setups


def _unpaired(code: Code, found: Collection[str]) -> list[Finding]:
    """Channels that the program only waits on, or only posts on, unless a case has shown it already."""
    waits: dict[Channel, int] = {}
    posts: dict[Channel, int] = {}
    for pc, word in enumerate(code):
        if word is not None and word.row.is_tensor:
            for channel in waits_of(word):
                waits.setdefault(channel, pc)
            for channel in posts_of(word):
                posts.setdefault(channel, pc)
    findings = []
    for channel in CHANNELS:
        wait, post = waits.get(channel), posts.get(channel)
        if wait is not None and post is None and not {"W0905", "W0907"} & set(found):
            findings.append(Finding("W0905", f"no instruction posts {channel.wait_text}, which this one waits for", wait))
        if post is not None and wait is None and "W0906" not in found:
            findings.append(Finding("W0906", f"no instruction waits for {channel.post_text}, which this one posts", post))
    return findings


def _merged(findings: Sequence[Finding]) -> list[Finding]:
    """Findings in order of the program; what was found without cases and with them stands once."""
    known: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.code, finding.message if finding.code in ("W0802", "W0803") else "", *finding.pcs)
        known[key] = finding if key not in known else finding._replace(cases=finding.cases or known[key].cases)
    return sorted(known.values(), key=lambda finding: (finding.pc or 0, finding.code))


def _with_token(finding: Finding, code: Code) -> Finding:
    """The finding with the token that would order its two places."""
    if finding.token is None:
        return finding
    producer, where, credit = finding.token.producer, "there", ""
    if finding.code == "W0902":
        credit = "; prime the channel with a sync per half, drain it before halt"
        if (run := run_after(code, producer)) is not None:
            producer, where = run, "in the run that follows it"
    if (posted := posted_in_vain(code, finding.token.producer, finding.token.consumer)) is not None:
        return finding._replace(help=(f"wait({posted.wait_text}) here: the token is posted there, and nothing waits for it",))
    channel = free_channel(code, producer, finding.token.consumer)
    if channel is None:
        return finding
    text = f"post({channel.post_text}) {where} and wait({channel.wait_text}) here: a channel that is still unused{credit}"
    return finding._replace(help=(text,))


def _sort_out(program: Program, findings: Sequence[Finding], report: Report) -> None:
    """Findings that no comment allows, those that one does, and comments that allow nothing."""
    allowing: dict[tuple[str, int], list[int]] = {}  # places of allowances, by line
    for place, allowance in enumerate(program.allowances):
        allowing.setdefault((allowance.file, allowance.line), []).append(place)
    used = set()
    for finding in findings:
        lines = dict.fromkeys((line.file, line.line) for pc in finding.pcs if (line := program.lines[pc]) is not None)
        places = sorted(place for line in lines for place in allowing.get(line, ()) if finding.code in program.allowances[place].codes)
        if places:
            used.add((places[0], finding.code))
            report.allowed.append((finding, program.allowances[places[0]]))
        else:
            report.findings.append(finding)
    for place, allowance in enumerate(program.allowances):
        for code in allowance.codes:
            if code in CODES and (place, code) not in used:
                message = f"this comment allows {code}, which is not found here"
                report.findings.append(Finding("W0805", message, None, line=(allowance.file, allowance.line)))
