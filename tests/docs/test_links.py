"""Documents point at things that exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"))
    if "build" not in path.relative_to(ROOT).parts
)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as GitHub and GitLab make them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_resolve(document: Path) -> None:
    """Every relative link names a file of the tree, and every anchor a heading of it."""
    broken = []
    for target, anchor in LINK.findall(FENCE.sub("", document.read_text())):
        if "://" in target:
            continue
        path = document.parent / target if target else document
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path.read_text())):
            broken.append(f"{target}#{anchor}")
    assert broken == []


@pytest.mark.parametrize("document", [ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_named_make_targets_exist(document: Path) -> None:
    """A `make` target that README or CONTRIBUTING names is listed by `make help`."""
    listing = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = {line.split()[0] for line in listing.splitlines() if line.strip()}
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", document.read_text(), re.MULTILINE)) <= targets
