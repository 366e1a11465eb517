"""A seeded fraction of the fuzzing that `make fuzz` does at length."""

from __future__ import annotations

from tests.fuzz.assembler import mutated_source, random_bytes, run, try_bytes, try_source

SEED = 20_261_130


def test_mutated_sources_are_assembled_or_refused() -> None:
    """Mutated sources give a program that survives its file and all listings, or errors with a place; never anything else."""
    assert list(run("--sources", 400, SEED, lambda number: try_source(mutated_source(SEED, number)))) == []


def test_random_bytes_are_read_or_refused() -> None:
    """Random and damaged files give a program that can be shown, or one line that names the file."""
    assert list(run("--bytes", 2000, SEED, lambda number: try_bytes(random_bytes(SEED, number)))) == []
