"""The operators' fuzzer itself: it finds a fault, makes it small, and says what it has not met. `make fuzz-operators` runs it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import onnx
import pytest

from tests.fuzz.operators import case as fuzzed
from tests.fuzz.operators.case import Case, Outcome, run, shrink, write_reproducer
from tests.fuzz.operators.space import Chooser, Coverage, Space

CASE = Case(
    "pair",
    {
        "machine": "tiny-8",
        "type": "int8",
        "scales": "any",
        "operator": "QLinearAdd",
        "shapes": "same",
        "order": "channels first",
        "right": "activation",
        "left zero point": "other",
        "right zero point": "other",
        "y zero point": "other",
        "C residue": "other",
    },
    {"height": 9, "width": 7, "channels": 11, "batch": 2, "swapped": 0, "seed": 1},
)


def test_a_wrong_byte_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a fault in images wider than 3 that the reference has not, the smallest failing case is 4 wide and 1 in all else."""
    true = fuzzed.run_reference

    def faulty(model: onnx.ModelProto, inputs: dict[str, fuzzed.Array], names: list[str]) -> dict[str, fuzzed.Array]:
        results = true(model, inputs, names)
        return {name: value ^ np.int8(value.shape[3] > 3) for name, value in results.items()}

    assert run(CASE).failure == ""
    monkeypatch.setattr(fuzzed, "run_reference", faulty)
    assert "1386 of 1386 differ" in run(CASE).failure
    small = shrink(CASE)
    assert {size: small.sizes[size] for size in ("height", "width", "channels", "batch")} == {
        "height": 1,
        "width": 4,
        "channels": 1,
        "batch": 1,
    }
    command = write_reproducer(small, tmp_path)
    assert command == (
        f"accel-sim model {tmp_path}/net.onnx --input left={tmp_path}/left.npy --input right={tmp_path}/right.npy"
        " --machine tiny-8 --compare"
    )
    assert np.load(tmp_path / "left.npy").shape == (1, 1, 1, 4)


def test_a_crash_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception out of the dispatcher doesn't end the run, it is reported."""

    def crash(*_: object, **__: object) -> None:
        raise IndexError("out of range")

    monkeypatch.setattr(fuzzed, "place", crash)
    assert run(CASE) == Outcome("IndexError: out of range", kind="IndexError")


def test_all_possible_pairs_are_chosen_and_others_are_not() -> None:
    """A space of 3 features with one rule: its possible pairs are met by few cases, and without them they are empty cells."""
    space = Space("s", {"a": ("0", "1"), "b": ("0", "1"), "c": ("0", "1", "2")}, lambda choice: (choice["a"], choice["b"]) != ("1", "1"))
    chooser, coverage = Chooser(space, Random(3)), Coverage(space)
    assert len(chooser.open) == 4 - 1 + 6 + 6
    assert len(coverage.empty()) == 15
    cases = 0
    while chooser.open:
        choice = chooser.next()
        assert space.is_possible(choice)
        coverage.add(choice, 10)
        cases += 1
    assert coverage.empty() == []
    assert cases < 12  # there are 9 choices
    assert (coverage.cases, coverage.outputs) == (cases, 10 * cases)
