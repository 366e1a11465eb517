"""`accel-sim golden record`: what is recorded, and when nothing is."""

from pathlib import Path

import pytest

import accelkit.cli.golden.recorded as recorded_module
from tests.cli.golden_case import CASE, edit, golden, make_case, record


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A case that isn't recorded, in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    return make_case(tmp_path)


@pytest.fixture
def recorded(case: Path) -> Path:
    """The same, recorded."""
    record()
    return case


def test_killed_while_recording(recorded: Path) -> None:
    """Recording that is killed between its two files leaves the old record whole; the next one leaves no old files behind."""
    edit(recorded.parent / "matmul.s", "        li      t3, B", "        nop\n        li      t3, B")
    before = recorded.read_bytes()
    real = recorded_module.replacing

    def killed(path: Path) -> object:
        if path.suffix == ".toml":
            raise KeyboardInterrupt
        return real(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorded_module, "replacing", killed)
        assert golden("record", "goldens").exit_code != 0
    assert recorded.read_bytes() == before
    assert len(list(recorded.parent.glob("*.npz"))) == 2
    edit(recorded.parent / "matmul.s", "        nop\n", "")
    assert golden("check", "goldens").exit_code == 0
    assert golden("record", "goldens").exit_code == 0
    assert len(list(recorded.parent.glob("*.npz"))) == 1


def test_reference_contradicts(case: Path) -> None:
    """What the reference contradicts is not recorded."""
    edit(case.parent / "reference.py", "@", "@ -")
    result = golden("record", "goldens")
    assert result.exit_code == 1
    assert "is not recorded: c[0, 0] = " in result.output
    assert case.read_text() == CASE


def test_update(recorded: Path) -> None:
    """`--update` records what has changed; afterwards all is as recorded."""
    edit(recorded.parent / "matmul.s", "        li      t3, B", "        nop\n        li      t3, B")
    result = golden("check", "goldens", "--update")
    assert result.exit_code == 0, result.output
    assert golden("check", "goldens").exit_code == 0


@pytest.mark.parametrize("arguments", [("record", "goldens"), ("check", "goldens", "--update")])
def test_refused_in_ci(recorded: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    """Nothing is recorded where CI is set."""
    before = recorded.read_bytes()
    monkeypatch.setenv("CI", "true")
    result = golden(*arguments)
    assert result.exit_code == 2
    assert "refused where CI is set" in result.output
    assert recorded.read_bytes() == before
