"""Plans in a row as one plan."""

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.kernels.chain import Link, chain
from accelkit.kernels.elementwise import plan_lookup
from accelkit.kernels.launch import run_plan
from accelkit.kernels.layouts import plan_slice, plan_transpose
from accelkit.kernels.plan import Buffer, Place, Plan, Refusal
from accelkit.simulator import Session

TINY = load_machine("tiny-8")


def linked(plan: Plan | Refusal, source: Place, target: Place) -> Link | Refusal:
    """A plan of buffers x and y, from one place to another."""
    return plan if isinstance(plan, Refusal) else Link(plan, {"x": source, "y": target})


def test_chain() -> None:
    """Each plan reads what the one before wrote, at any place of a buffer; both tables are there; costs add up."""
    rng = np.random.default_rng(0)
    x = rng.integers(-128, 128, (2, 6, 10)).astype(np.int8)
    tables = [rng.permutation(256).astype(np.uint8).view(np.int8) for _ in range(2)]
    parts = [
        linked(plan_lookup(TINY, (60,), tables[0]), Place("x", 60), Place("between")),
        linked(plan_transpose(TINY, (6, 10), (1, 0)), Place("between"), Place("turned")),
        linked(plan_lookup(TINY, (60,), tables[1]), Place("turned"), Place("y")),
    ]
    buffers = [Buffer("x", 120), *(Buffer(name, 60, is_writable=True) for name in ("between", "turned", "y"))]
    plan = chain(TINY, "example", parts, buffers, ((10, 6), np.int8))
    assert isinstance(plan, Plan)
    y, launch = run_plan(Session(TINY), plan, {"x": x})
    expected = tables[1][tables[0][x[1].view(np.uint8)].T.view(np.uint8)]
    np.testing.assert_array_equal(y, expected)
    assert plan.estimate_cycles > sum(part.plan.estimate_cycles for part in parts if isinstance(part, Link))
    assert launch.cycles > 0


def test_refusals() -> None:
    """The first plan that there isn't is the answer, or the size of DRAM."""
    refusal = plan_slice(TINY, (0,), [slice(None)])
    good = linked(plan_lookup(TINY, (60,), np.zeros(256, np.int8)), Place("x"), Place("y"))
    assert chain(TINY, "example", [good, refusal, Refusal("later")], [], ((60,), np.int8)) == refusal
    large = [Buffer("x", TINY.dram_bytes), Buffer("y", 60, is_writable=True)]
    answer = chain(TINY, "example", [good], large, ((60,), np.int8))
    assert isinstance(answer, Refusal)
    assert "DRAM" in answer.reason
