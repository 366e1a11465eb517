"""The cache: what versions of the library leave there goes when it hasn't been used for long."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from accelkit.isa import unused
from accelkit.kernels import memo

DAY_SECONDS = 86400
OLD = ("jit-old", "plans-old", "parser-old")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with something of each kind, old and new, beside other things."""
    monkeypatch.setenv("ACCELKIT_CACHE", str(tmp_path))
    for name in ("jit-old", "jit-new", "plans-old", "plans-new", "models", "rtl"):
        (tmp_path / name / "inside").mkdir(parents=True)
        (tmp_path / name / "inside" / "file").write_text(name)
    for name in ("parser-old", "parser-new", "other"):
        (tmp_path / name).write_text(name)
    for path in tmp_path.iterdir():
        age(path, 29 if path.name.endswith("-new") else 31)
    return tmp_path


def age(path: Path, days: int) -> None:
    """As though it had last been used so many days ago."""
    os.utime(path, (time.time() - days * DAY_SECONDS,) * 2)


def names(cache: Path) -> set[str]:
    return {path.name for path in cache.iterdir()}


def test_unused_for_long(cache: Path) -> None:
    """Compiled code, plans and parsers that nobody has used for 30 days go, whole; what is not of these kinds stays however old it is."""
    before = names(cache)
    unused.drop_unused()
    assert names(cache) == before - set(OLD)
    assert (cache / "jit-new" / "inside" / "file").read_text() == "jit-new"


def test_use_keeps(cache: Path) -> None:
    """What is marked as used stays; a mark is renewed once a day at most, and what isn't there is no error."""
    unused.mark_used(cache / "jit-old")
    unused.mark_used(cache / "nothing")
    unused.drop_unused()
    assert "jit-old" in names(cache)
    age(cache / "jit-old", 0)
    before = (cache / "jit-old").stat().st_mtime
    unused.mark_used(cache / "jit-old")
    assert (cache / "jit-old").stat().st_mtime == before


def test_rest_of_an_interrupted_process(cache: Path) -> None:
    """What a process was removing when it was ended goes with the next removal."""
    (cache / ".unused-plans-gone-1" / "inside").mkdir(parents=True)
    (cache / ".unused-parser-gone-1").touch()
    unused.drop_unused()
    assert not any(name.startswith(".unused") for name in names(cache))


def drop_many(times: int) -> None:
    for _ in range(times):
        unused.drop_unused()


def test_several_processes(cache: Path) -> None:
    """Processes that remove the same things at the same time don't disturb each other."""
    for number in range(100):
        (cache / f"plans-{number}" / "inside").mkdir(parents=True)
        age(cache / f"plans-{number}", 31)
    processes = [multiprocessing.get_context("fork").Process(target=drop_many, args=(3,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert {name for name in names(cache) if name.startswith(("plans-", ".unused"))} == {"plans-new"}


def test_a_new_version_drops_old_ones(cache: Path) -> None:
    """The first plans of a version remove what is unused; reading some marks them as used."""
    with memo.recalled("a model"):
        memo.remembered(len)("abc")
    folder = memo._folder()
    assert names(cache) & {*OLD, folder.name} == {folder.name}
    age(folder, 31)
    with memo.recalled("a model"):
        pass
    assert time.time() - folder.stat().st_mtime < DAY_SECONDS
