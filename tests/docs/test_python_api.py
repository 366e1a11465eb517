"""The example of docs/python-api.md runs as it stands."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def test_example_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's own test passes from the repository's root, cycle count included."""
    monkeypatch.chdir(ROOT)
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python-api.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    names["test_matmul"]()
