"""The table of docs/performance.md: `python -m benchmarks.table [build/bench.json...]`.

With files of results, a list of them becomes docs/performance.json, of which the table is made; without, it is made anew from that.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.__main__ import write
from benchmarks.row import Row, number

DOCS = Path(__file__).parents[1] / "docs"
RESULTS, PAGE = DOCS / "performance.json", DOCS / "performance.md"
BEGIN, END = "<!-- begin of results: make bench-docs -->", "<!-- end of results -->"


def markdown(runs: list[dict[str, Any]]) -> str:
    """What stands between the markers: for each run on what and when, and a table for each of its benchmarks; then what no run has."""
    lines = []
    for run in runs:
        versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
        machine = f"{run['processor']}, {run['cores']} cores, load {run['load']} at the start"
        lines += [f"{run['date']}, commit {run['commit']}, {machine}; {versions}.", ""]
        for name in dict.fromkeys(fields["benchmark"] for fields in run["rows"]):
            lines += [f"`python -m benchmarks.{name}`", "", "| workload | machine | figure | compared | bar |", "|---|---|---|---|---|"]
            lines += [_line(fields) for fields in run["rows"] if fields["benchmark"] == name]
            lines.append("")
    missing = {name: reason for run in runs for name, reason in (run["left_out"] | dict.fromkeys(run["failed"], "it failed")).items()}
    there = {fields["benchmark"] for run in runs for fields in run["rows"]}
    lines += [f"Left out: `{name}` ({reason}).\n" for name, reason in missing.items() if name not in there]
    return "\n".join(lines).rstrip()


def _line(fields: dict[str, Any]) -> str:
    row = Row.from_json({name: value for name, value in fields.items() if name != "benchmark"})
    compared = f"{number(row.ratio)} {row.reference}" if row.ratio is not None else ""
    bar = row.bar.replace("<=", "≤").replace(">=", "≥")
    verdict = {True: bar, False: f"{bar}: **missed**", None: ""}[row.is_met]
    return f"| {row.name} | {row.machine} | {number(row.figure)} {row.unit} | {compared} | {verdict} |"


def page_with(page: str, runs: list[dict[str, Any]]) -> str:
    """The page with the table of these runs; ValueError if it has no place for it."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{markdown(runs)}\n{END}{after}"


def main() -> None:
    """Rewrite the page, and first the results, if some are given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.table", description="Rewrite the table of docs/performance.md.")
    parser.add_argument("results", type=Path, nargs="*", help="of python -m benchmarks; they become docs/performance.json")
    if paths := parser.parse_args().results:
        write(RESULTS, json.dumps([json.loads(path.read_text()) for path in paths], indent=1) + "\n")
    write(PAGE, page_with(PAGE.read_text(), json.loads(RESULTS.read_text())))


if __name__ == "__main__":
    main()
