"""The example of docs/kernels.md runs as it stands."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_example_of_the_page() -> None:
    """The page's plan of a product, run on tiny-8, equals NumPy."""
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "kernels.md").read_text(), re.DOTALL)
    exec(code, {})
