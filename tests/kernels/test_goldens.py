"""Every kernel of the library has a golden case."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_kernel_has_a_golden_case() -> None:
    """Some case in tests/golden runs each program, on inputs of a planner, and compares it with NumPy."""
    cases = {path: tomllib.loads(path.read_text()) for path in (ROOT / "tests" / "golden" / "kernels").glob("*.case.toml")}
    run = {(path.parent / case["kernel"]).resolve() for path, case in cases.items() if "reference" in case and "recorded" in case}
    assert set((ROOT / "kernels" / "asm").glob("*.s")) <= run
