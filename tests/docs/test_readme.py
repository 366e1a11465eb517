"""The commands of README.md print what README.md shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
STEP = re.compile(r"^```sh\n(.*?)^```\n+(```text\n)(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_commands_print_what_the_page_shows(tmp_path: Path, is_updating_golden: bool) -> None:
    """Each block of commands, run in the order of the page, prints the block below it, on either stream."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    text = README.read_text()
    steps = STEP.findall(text)
    assert len(steps) == 2
    for commands, fence, shown in steps:
        result = subprocess.run(
            ["bash", "-c", commands],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        printed = re.sub(r"^compiling .*\n", "", result.stdout, flags=re.MULTILINE)  # the first run of a version says so
        if is_updating_golden:
            text = text.replace(f"{commands}```\n\n{fence}{shown}", f"{commands}```\n\n{fence}{printed}")
            README.write_text(text)
        else:
            assert printed == shown
