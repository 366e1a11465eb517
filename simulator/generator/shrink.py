"""Makes a failing case small: drops instructions, waits and posts together, argument words stay as they are."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from accelkit.simulator.generator.case import Case, Step


def shrink(case: Case, still_fails: Callable[[Case], bool], most_tries: int = 1000) -> Case:
    """The smallest case found of which `still_fails` is true, starting from one of which it is. Branches keep leading to the same
    instruction, or to the one after it if that is dropped."""
    tries = iter(range(most_tries))

    def fails(candidate: Case) -> bool:
        return next(tries, None) is not None and still_fails(candidate)

    if not fails(case):
        raise ValueError("nothing to shrink: the case does not fail")
    while True:
        smaller = _simplify_values(_drop_steps(case, fails), fails)
        if smaller.steps == case.steps:
            return smaller
        case = smaller


def drop(steps: Sequence[Step], first: int, count: int) -> tuple[Step, ...]:
    """`steps` without `count` of them from `first` on, with targets moved."""
    kept = [*steps[:first], *steps[first + count :]]
    return tuple(replace(step, target=_moved(step.target, first, count)) for step in kept)


def _moved(target: int | None, first: int, count: int) -> int | None:
    if target is None or target <= first:
        return target
    return max(first, target - count)


def _drop_steps(case: Case, still_fails: Callable[[Case], bool]) -> Case:
    """Drop runs of steps, long ones first, from the end to the start."""
    size = max(1, len(case.steps) // 2)
    while size:
        first = len(case.steps) - size
        while first >= 0:
            candidate = case.with_steps(drop(case.steps, first, size))
            if still_fails(candidate):
                case = candidate
            first -= size
        size //= 2
    return case


def _simplify_values(case: Case, still_fails: Callable[[Case], bool]) -> Case:
    """Set fields to 0 (x0, flag off, no wait), then immediates nearer to 0."""
    for number in range(len(case.steps)):
        for name in case.steps[number].values:
            for value in _simpler(case.steps[number].values[name], name):
                candidate = case.with_steps(_with_value(case.steps, number, name, value))
                if still_fails(candidate):
                    case = candidate
                    break
    return case


def _simpler(value: int, name: str) -> list[int]:
    if value == 0:
        return []
    bits = [value & ~(1 << bit) for bit in range(8) if value >> bit & 1] if name in ("wait", "post") else []
    halves = [int(value / 2), value - 1 if value > 0 else value + 1] if name == "imm" else []
    return [candidate for candidate in [0, *bits, *halves] if candidate != value]


def _with_value(steps: tuple[Step, ...], number: int, name: str, value: int) -> tuple[Step, ...]:
    changed = replace(steps[number], values={**steps[number].values, name: value})
    return (*steps[:number], changed, *steps[number + 1 :])
