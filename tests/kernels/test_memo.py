"""Outcomes kept in files: what a later process reads is what it would find, or nothing."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels import memo
from accelkit.kernels.conv2d import fit_tiles
from accelkit.kernels.conv2d_geometry import Geometry
from accelkit.kernels.programs import kernel_program

calls: list[int] = []


@memo.remembered
def square(number: int) -> int:
    calls.append(number)
    return number * number


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, in a process that knows nothing."""
    monkeypatch.setenv("ACCELKIT_CACHE", str(tmp_path))
    monkeypatch.setattr(memo, "_kept", {})
    calls.clear()
    return tmp_path


def squares(*numbers: int, what: str = "a model") -> list[int]:
    """As a new process asks for them: the numbers for which it had to compute."""
    memo._kept.clear()
    calls.clear()
    with memo.recalled(what):
        assert [square(number) for number in numbers] == [number * number for number in numbers]
    return list(calls)


def files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_a_later_process_asks_no_more(cache: Path) -> None:
    """What a process has found, the next one for the same model reads; it adds what is new, and files have nothing that isn't used."""
    assert squares(1, 2, 2) == [1, 2]
    assert squares(2, 1) == []
    assert squares(2, 3) == [3]
    assert squares(1, 2, 3) == [1]  # the second to last file was for 2 and 3 alone
    assert squares(1, what="another model") == [1]
    assert len(files(cache)) == 2


@pytest.mark.parametrize("body", [b"cno_such_module\nname\n.", b"\xff", b""], ids=["another Python's", "no pickle", "empty"])
def test_files_of_another_python_count_as_absent(body: bytes, cache: Path) -> None:
    """What is whole but can't be taken in is neither an error nor kept."""
    squares(1)
    (path,) = files(cache)
    path.write_bytes(sha256(body).digest() + body)
    assert squares(1) == [1]
    assert squares(1) == []


@pytest.mark.parametrize("damage", ["cut", "changed byte", "empty"])
def test_damaged_files_count_as_absent(damage: str, cache: Path) -> None:
    """A file that was cut, changed or emptied is neither read nor an error, and is written anew."""
    squares(1)
    (path,) = files(cache)
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes({"cut": data[:-3], "changed byte": data, "empty": b""}[damage])
    assert squares(1) == [1]
    assert squares(1) == []


def test_what_is_no_file_counts_as_absent(cache: Path) -> None:
    """A pipe in a file's place is not waited for; it makes room for a file."""
    squares(1)
    (path,) = files(cache)
    path.unlink()
    os.mkfifo(path)
    assert squares(1) == [1]
    assert squares(1) == []


def test_other_sources_have_other_folders(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of the library nothing is read that it found before."""
    squares(1)
    monkeypatch.setattr(memo, "_sources_digest", lambda: "of other sources")
    assert squares(1) == [1]


def test_failure_keeps_nothing(cache: Path) -> None:
    """A placement that ends with an error leaves no file."""

    def fail() -> None:
        with memo.recalled("a model"):
            raise ZeroDivisionError(square(1))

    with pytest.raises(ZeroDivisionError):
        fail()
    assert files(cache) == []


@pytest.mark.parametrize("has_home", [True, False])
def test_no_cache_folder(has_home: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be written, or the user has no home, all is computed, in every process."""
    blocked = tmp_path / "file"
    blocked.touch()
    if has_home:
        monkeypatch.setenv("ACCELKIT_CACHE", str(blocked))
    else:

        def home() -> Path:
            raise RuntimeError("Could not determine home directory.")

        for name in ("ACCELKIT_CACHE", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(Path, "home", home)
    assert squares(1) == squares(1) == [1]


def test_oldest_files_go(cache: Path) -> None:
    """There are never more than `_MOST_FILES` of a version."""
    for number in range(memo._MOST_FILES + 3):
        squares(number, what=f"model {number}")
    assert len(files(cache)) == memo._MOST_FILES


def test_arguments_and_outcomes_survive(cache: Path) -> None:
    """A tiling and an assembled kernel that are read are equal to those that were found, for the same arguments and no others."""
    pitches = (1 << 20, 14 * 128, 128)
    geometry = Geometry(1, 128, 128, (14, 14), (14, 14), (3, 3), (1, 1), (1, 1), pitches, pitches)

    def ask(machine: Machine) -> tuple[object, object]:
        memo._kept.clear()
        with memo.recalled("a model"):
            return fit_tiles(machine, geometry), kernel_program("conv2d")

    found, read, other = ask(load_machine("edge-16")), ask(load_machine("edge-16")), ask(load_machine("tiny-8"))
    assert found == read
    assert found[0] != other[0]
