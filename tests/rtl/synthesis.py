"""Coarse synthesis of the RTL by Yosys, read by its slang front end. `python -m tests.rtl.synthesis [machine]` prints the counts."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelkit.isa.emit_sv import emit_isa, emit_machine
from accelkit.isa.machine import Machine, load_machine
from accelkit.simulator.rtl.build import PACKAGES, sources

_FLIP_FLOPS = ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce")
_OPTIMISE = ("opt_expr", "wreduce", "opt -full", "memory -nomap", "opt_clean")


@dataclass(frozen=True)
class Ram:
    """An inferred memory."""

    depth: int
    width: int
    read_ports: int
    write_ports: int
    is_read_clocked: bool


@dataclass(frozen=True)
class Synthesis:
    """What Yosys makes of a machine: cells by type, bits of flip-flops, RAMs by name, latches, and the registers that optimisation
    took away: bits by register, constants apart from others."""

    cells: Counter[str]
    flip_flop_bits: int
    rams: dict[str, Ram]
    latches: int
    constant_bits: Counter[str]
    removed_bits: Counter[str]


def synthesise(machine: Machine) -> Synthesis:
    """Elaborate, flatten and optimise the RTL of a machine down to word-level cells."""
    from pyosys import libyosys

    files = sources() | {"isa_pkg.sv": emit_isa(), "machine_pkg.sv": emit_machine(machine)}
    modules = sorted(name for name in files if name.endswith(".sv") and name not in PACKAGES)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for file in (*PACKAGES, *modules):
            (work / file).write_text(files[file])
        inputs = " ".join(str(work / file) for file in (*PACKAGES, *modules))
        script = [f"read_slang --top accel {inputs}", "proc", "check -assert", "flatten", "opt_clean"]
        script += [f"write_json {work / 'before.json'}", *_OPTIMISE, f"write_json {work / 'after.json'}"]
        (work / "script.ys").write_text("\n".join(script))
        libyosys.run_pass(f"tee -q -o {work / 'log'} script {work / 'script.ys'}", libyosys.Design())
        return _summary(_netlist(work / "before.json"), _netlist(work / "after.json"))


def _netlist(path: Path) -> dict[str, Any]:
    (module,) = json.loads(path.read_text())["modules"].values()
    return dict(module)


def _number(cell: dict[str, Any], parameter: str) -> int:
    return int(cell["parameters"][parameter], 2)


def _summary(before: dict[str, Any], after: dict[str, Any]) -> Synthesis:
    cells = after["cells"].values()
    rams = {
        cell["parameters"]["MEMID"].lstrip("\\"): Ram(
            _number(cell, "SIZE"),
            _number(cell, "WIDTH"),
            _number(cell, "RD_PORTS"),
            _number(cell, "WR_PORTS"),
            set(cell["parameters"]["RD_CLK_ENABLE"]) == {"1"},
        )
        for cell in cells
        if cell["type"] == "$mem_v2"
    }
    bits = {(name, i): bit for name, net in after["netnames"].items() for i, bit in enumerate(net["bits"])}
    constant: Counter[str] = Counter()
    removed: Counter[str] = Counter()
    for name, i in _registers(before) - _registers(after):
        (constant if bits.get((name, i)) in ("0", "1", "x") else removed)[name] += 1
    return Synthesis(
        cells=Counter(cell["type"] for cell in cells),
        flip_flop_bits=sum(_number(cell, "WIDTH") for cell in cells if cell["type"] in _FLIP_FLOPS),
        rams={name: ram for name, ram in rams.items() if ram.write_ports},
        latches=sum("latch" in cell["type"] for cell in before["cells"].values()),
        constant_bits=constant,
        removed_bits=removed,
    )


def _registers(module: dict[str, Any]) -> set[tuple[str, int]]:
    """Named bits that a flip-flop or a memory's read port drives."""
    driven: set[int] = set()
    for cell in module["cells"].values():
        port = {"$mem_v2": "RD_DATA", "$memrd_v2": "DATA"}.get(
            cell["type"], "Q" if cell["type"] in _FLIP_FLOPS else ""
        )
        driven |= set(cell["connections"].get(port, ()))
    return {
        (name, i)
        for name, net in module["netnames"].items()
        if not net.get("hide_name")
        for i, bit in enumerate(net["bits"])
        if bit in driven
    }


def main(name: str = "edge-16") -> None:
    """Print what a machine takes."""
    found = synthesise(load_machine(name))
    print(f"{name}: {found.flip_flop_bits:,} flip-flop bits, {found.latches} latches")
    for kind in ("$mul", "$add", "$sub", "$div", "$mod", "$shl", "$shr", "$mux", "$pmux"):
        print(f"  {kind:<6} {found.cells[kind]:>7,}")
    for memory, ram in sorted(found.rams.items()):
        print(
            f"  {memory:<36} {ram.depth:>6} x {ram.width:<5} {ram.read_ports} read, {ram.write_ports} write"
        )
    print(
        f"  constant registers: {dict(found.constant_bits)}\n  removed registers: {dict(found.removed_bits)}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
