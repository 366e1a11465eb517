"""The RTL without a warning, on machines whose widths differ."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from accelkit.isa.emit_sv import emit_isa, emit_machine
from accelkit.isa.machine import load_machine
from accelkit.simulator.rtl.build import PACKAGES, find_verilator, sources
from tests.rtl.lockstep import MACHINES

pytestmark = pytest.mark.rtl

ALL = MACHINES | {name: load_machine(name) for name in ("edge-16", "tiny-8")}


@pytest.mark.parametrize("name", ALL)
def test_verilator_has_nothing_to_say(name: str, tmp_path: Path) -> None:
    """`verilator --lint-only -Wall` passes whatever the sizes: one bank, depth 1, 1 GiB of DRAM, rows that are no power of two."""
    files = sources() | {"isa_pkg.sv": emit_isa(), "machine_pkg.sv": emit_machine(ALL[name])}
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    modules = sorted(file for file in files if file.endswith(".sv") and file not in PACKAGES)
    verilator = find_verilator()
    options = ["--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", "accel"]
    done = subprocess.run(
        [verilator.program, *options, "accel.vlt", *PACKAGES, *modules],
        cwd=tmp_path,
        env={**os.environ, "VERILATOR_ROOT": str(verilator.root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
