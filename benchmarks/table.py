"""The table of docs/performance.md: `python -m benchmarks.table [build/bench.json]`.

With a file of results, it becomes docs/performance.json, of which the table is made; without one the table is made anew from that.
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


def markdown(results: dict[str, Any]) -> str:
    """What stands between the markers: on what and when, a table for each benchmark, what was left out."""
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    lines = [
        f"{results['date']}, commit {results['commit']}, {results['processor']}, {results['cores']} cores, load {results['load']}"
        f" at the start; {versions}."
    ]
    names = dict.fromkeys(fields["benchmark"] for fields in results["rows"])
    for name in names:
        lines += ["", f"`python -m benchmarks.{name}`", "", "| workload | machine | figure | compared | bar |", "|---|---|---|---|---|"]
        lines += [_line(fields) for fields in results["rows"] if fields["benchmark"] == name]
    missing = {**results["left_out"], **dict.fromkeys(results["failed"], "it failed")}
    lines += [f"\nLeft out: `{name}` ({reason})." for name, reason in missing.items()]
    return "\n".join(lines)


def _line(fields: dict[str, Any]) -> str:
    row = Row.from_json({name: value for name, value in fields.items() if name != "benchmark"})
    compared = f"{number(row.ratio)} {row.reference}" if row.ratio is not None else ""
    bar = row.bar.replace("<=", "≤").replace(">=", "≥")
    verdict = {True: bar, False: f"{bar}: **missed**", None: ""}[row.is_met]
    return f"| {row.name} | {row.machine} | {number(row.figure)} {row.unit} | {compared} | {verdict} |"


def page_with(page: str, results: dict[str, Any]) -> str:
    """The page with the table of these results; ValueError if it has no place for it."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{markdown(results)}\n{END}{after}"


def main() -> None:
    """Rewrite the page, and first the results, if some are given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.table", description="Rewrite the table of docs/performance.md.")
    parser.add_argument("results", type=Path, nargs="?", help="of python -m benchmarks; they become docs/performance.json")
    if path := parser.parse_args().results:
        write(RESULTS, path.read_text())
    write(PAGE, page_with(PAGE.read_text(), json.loads(RESULTS.read_text())))


if __name__ == "__main__":
    main()
