"""The wheel, built as a release builds it and tried where no source tree is near."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]
COMMANDS = sorted(PROJECT["project"]["scripts"])


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command outside the tree, without any PYTHON* variable; its output, or a failure that shows it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the source distribution, so that what that lacks is missed here."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", out, ROOT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a new virtual environment that holds the wheel and its declared dependencies only."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, with_pip=True)
    run(home / "bin/python", "-m", "pip", "install", "--quiet", wheel, cwd=home)
    return home / "bin"


def names(wheel: Path) -> set[str]:
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_wheel_holds_exactly_the_tree(wheel: Path) -> None:
    """Every file of the product's folders is in the wheel under its import name, and nothing else is."""
    expected = {
        f"{package.replace('.', '/')}/{path.relative_to(ROOT / folder)}"
        for package, folder in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    actual = {name for name in names(wheel) if ".dist-info/" not in name}
    assert actual == expected


def test_wheel_owns_one_top_level_name(wheel: Path) -> None:
    """Installing the wheel puts nothing of ours outside the accelkit namespace, and doesn't close that namespace."""
    version = PROJECT["project"]["version"]
    assert {name.split("/")[0] for name in names(wheel)} == {"accelkit", f"accelkit-{version}.dist-info"}
    assert "accelkit/__init__.py" not in names(wheel)


@pytest.mark.parametrize("suffix", [".s", ".lark", ".toml", ".sv", ".js", ".css", "py.typed"])
def test_wheel_holds_data(wheel: Path, suffix: str) -> None:
    """Kernels, grammar, machine files, RTL and the marker of typed packages are installed."""
    assert [name for name in names(wheel) if name.endswith(suffix)]


@pytest.mark.parametrize("command", COMMANDS)
def test_command_answers(installed: Path, tmp_path: Path, command: str) -> None:
    """Each command of the installed wheel prints its help from a folder that has nothing to do with the tree."""
    assert run(installed / command, "--help", cwd=tmp_path).startswith(f"Usage: {command}")


def test_installed_kernel_assembles(installed: Path, tmp_path: Path) -> None:
    """The installed assembler turns the installed gemm kernel into an ELF file that the installed disassembler reads."""
    find = "from importlib.resources import files; print(files('accelkit.kernels') / 'asm' / 'gemm.s')"
    kernel = run(installed / "python", "-c", find, cwd=tmp_path).strip()
    assert str(installed.parent) in kernel
    run(installed / "accel-as", kernel, "-o", "gemm.elf", cwd=tmp_path)
    assert "halt" in run(installed / "accel-objdump", "gemm.elf", cwd=tmp_path)


def lock(installed: Path, wheel: Path, folder: Path) -> Path:
    """A lock file with the hashes of the wheel and of all that it needs, from pip's own report of what it would install."""
    options = ["--quiet", "--dry-run", "--ignore-installed", "--report", "report.json"]
    run(installed / "python", "-m", "pip", "install", *options, wheel, cwd=folder)
    lines = []
    for package in json.loads((folder / "report.json").read_text())["install"]:
        hashes = package["download_info"]["archive_info"].get("hashes", {})
        content = hashes.get("sha256") or sha256(wheel.read_bytes()).hexdigest()
        lines.append(f"{package['metadata']['name']}=={package['metadata']['version']} --hash=sha256:{content}\n")
    (folder / "requirements.lock").write_text("".join(lines))
    return folder / "requirements.lock"


def test_install_without_network_from_a_lock_file(installed: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/goldens.md: what a lock file names is fetched once, and installs from there with no index at hand; a package of another content
    is refused."""
    locked = lock(installed, wheel, tmp_path)
    assert len(locked.read_text().splitlines()) >= 5  # accelkit, numpy, numba, lark, click
    hashed = ["--quiet", "--require-hashes", "-r", "requirements.lock"]
    run(installed / "python", "-m", "pip", "download", *hashed, "-d", "wheels", "--find-links", wheel.parent, cwd=tmp_path)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    offline = ["--no-index", "--find-links", "wheels", *hashed]
    run(python, "-m", "pip", "install", *offline, cwd=tmp_path)
    assert "edge-16" in run(tmp_path / "venv/bin/accel-sim", "machines", cwd=tmp_path)

    text = locked.read_text()
    locked.write_text(text[:-2] + ("0" if text[-2] != "0" else "1") + "\n")
    command = [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", *offline]
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr
