"""The commands of docs/debugging.md print what the page shows: each bug is noticed, and followed to its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelkit.cli import watch_command
from accelkit.cli.accel_sim import main
from tests.docs import transcript

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "debugging.md"
KINDS = ("missing wait", "wrong stride", "wrong scale", "off-by-one tile", "Swapped buffers", "token leak")
WATCH = re.compile(r"(```console\n\$ accel-sim watch product.case.toml\n)(.*?)```", re.DOTALL)


@pytest.mark.slow
def test_page(tmp_path: Path, is_updating_golden: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of commands, and the watching at the end: started with the bug of a wrong stride, which is then mended."""
    commands = transcript.compare(PAGE, tmp_path, is_updating_golden, ACCELKIT=str(ROOT))
    text = PAGE.read_text()
    assert all(re.search(rf"^## .*{kind}$", text, re.MULTILINE) for kind in KINDS)
    seeds = [block for block in commands if "good.s > product.s" in block]
    assert len(seeds) == len(KINDS)

    monkeypatch.chdir(tmp_path)
    product, good = Path("product.s"), Path("good.s").read_text()
    product.write_text(good.replace("rows=s3, stride=s5", "rows=s3, stride=s6"))
    pauses = iter([lambda: product.write_text(good), lambda: None])

    def pause(_seconds: float) -> None:
        action = next(pauses, None)
        if action is None:
            raise KeyboardInterrupt
        action()

    monkeypatch.setattr(watch_command, "pause", pause)
    printed = CliRunner().invoke(main, ["watch", "product.case.toml"]).output.rstrip("\n") + "\n"
    match = WATCH.search(text)
    assert match is not None
    if is_updating_golden:
        PAGE.write_text(text.replace(match[0], f"{match[1]}{printed}```"))
    else:
        assert printed == match[2]
