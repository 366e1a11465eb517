"""Outcomes of checks for people: on the terminal, and as rows of a table in a document."""

from __future__ import annotations

import datetime
from pathlib import Path

from models.outcome import SLOW, Outcome
from models.packages import keep

BEGIN, END = "<!-- begin of results: python -m models.check -->", "<!-- end of results -->"
_COLUMNS = (
    "model", "machine", "date", "runs", "tensors equal", "nodes on the accelerator", "MACs there", "cycles of a run",
    "x bound", "x bound after fusion", "peak MiB", "host s",
)  # fmt: skip


def print_outcome(outcome: Outcome) -> None:
    """Everything that is known, a few lines to a page."""
    o = outcome
    print(f"{o.model} on {o.machine}, {o.runs} runs: {o.compared} tensors compared, {len(o.differences)} differ")
    print("".join(f"  DIFFERS: {difference}\n" for difference in o.differences[:10]), end="")
    print(f"  nodes: {o.on_accelerator} of {o.nodes} on the accelerator, {o.can_fall_back} LRN or Softmax on the CPU")
    print(f"  MACs: {o.accelerator_macs:,} of {o.macs:,} on the accelerator ({o.accelerator_macs / max(o.macs, 1):.2%})")
    fused = f"{_ratio(o.cycles, o.fused_bound)} times that after fusion"
    print(f"  cycles: {o.cycles:,}, {_ratio(o.cycles, o.bound)} times the bound {o.bound:,}, {fused}")
    print(f"  host: {o.host_seconds:.1f} s, peak {o.peak_bytes / 2**20:.0f} MiB resident")
    slow = [layer for layer in o.layers if layer.efficiency < SLOW]
    lost = sorted(slow, key=lambda layer: layer.bound - layer.cycles)
    print(f"  below {SLOW:.0%} of the bound: {len(slow)} of {len(o.layers)} layers")
    for layer in lost:
        print(f"    {layer.name} ({layer.op}): {layer.cycles:,} cycles, bound {layer.bound:,} ({layer.efficiency:.0%}): {layer.why}")
    for reason, count in sorted(o.reasons.items(), key=lambda item: (-item[1], item[0])):
        print(f"  on the CPU: {count} x {reason}")


def write_results(path: Path, outcome: Outcome) -> None:
    """Put the outcome's row into the table of the document; rows of other models and machines stay."""
    before, rest = path.read_text().split(BEGIN)
    table, after = rest.split(END)
    rows = {tuple(line.split("|")[1:3]): line for line in table.strip().splitlines()[2:]}
    line = _row(outcome)
    rows[tuple(line.split("|")[1:3])] = line
    head = [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
    keep(path, "\n".join([f"{before}{BEGIN}", *head, *rows.values(), f"{END}{after}"]).encode())


def _ratio(cycles: int, bound: int) -> str:
    return f"{cycles / bound:.3f}" if bound else ""


def _row(o: Outcome) -> str:
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    equal = f"{o.compared:,}" if not o.differences else f"{o.compared - len(o.differences):,} of {o.compared:,}"
    cells = (
        o.model, o.machine, date, f"{o.runs}", equal, f"{o.on_accelerator} of {o.nodes}",
        f"{o.accelerator_macs / max(o.macs, 1):.2%}", f"{o.cycles:,}", _ratio(o.cycles, o.bound),
        _ratio(o.cycles, o.fused_bound), f"{o.peak_bytes / 2**20:.0f}", f"{o.host_seconds:.0f}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"
