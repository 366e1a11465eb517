"""The first half of `make demo`; the digits of the second half have tests of their own (tests/models)."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from accelkit.cli.accel_sim import main as accel_sim
from examples.demo import check_gemm, write_operands

ROOT = Path(__file__).parents[2]


def test_gemm_of_the_demonstration_runs_with_the_options_that_it_writes(tmp_path: Path) -> None:
    """gemm.args names every argument that gemm.s declares, and the result is NumPy's."""
    write_operands(tmp_path)
    options = (tmp_path / "gemm.args").read_text().split()
    result = CliRunner().invoke(accel_sim, ["run", str(ROOT / "kernels" / "asm" / "gemm.s"), *options])
    assert result.exit_code == 0, result.output
    check_gemm(tmp_path)
