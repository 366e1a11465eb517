"""Pages that show commands and what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

_STEP = re.compile(r"^(```sh\n(.*?)^```\n+```text\n)(.*?)^```$", re.MULTILINE | re.DOTALL)


def compare(page: Path, folder: Path, is_updating: bool, **environment: str) -> list[str]:
    """Run each block of commands, in the order of the page, in a folder; each must print, on either stream, the block below it, which
    `is_updating` writes instead. The commands of the blocks."""
    variables = {**os.environ, **environment, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    variables.pop("CI", None)  # with it, goldens can't be recorded
    text = page.read_text()
    steps = _STEP.findall(text)
    for head, commands, shown in steps:
        result = subprocess.run(
            ["bash", "-c", commands], cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        printed = re.sub(r"^compiling .*\n", "", result.stdout, flags=re.MULTILINE)  # the first run of a version says so
        if is_updating:
            text = text.replace(f"{head}{shown}```", f"{head}{printed}```")
        else:
            assert printed == shown, commands
    if is_updating:
        page.write_text(text)
    return [commands for _, commands, _ in steps]
