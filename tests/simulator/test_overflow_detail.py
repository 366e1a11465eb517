"""The element that a message on int32 overflow names, against sums that are added up one by one in Python."""

from collections.abc import Iterator
from string import Template

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.isa.faults import Fault
from accelkit.simulator import LaunchError, Session

LANES = 8  # of tiny-8
Term = tuple[str, int, int, int, int]  # memory, row, column, sum so far, what is added


def warm_session(rng: np.random.Generator) -> Session:
    """Memories full of random numbers that count as written; sums near both ends of int32."""
    session = Session("tiny-8")
    memories, shadow = session.memories, session.shadow
    memories.scratchpad[:] = rng.integers(0, 256, memories.scratchpad.shape)
    near = rng.integers(0, 1 << 16, memories.accumulator.shape)
    memories.accumulator[:] = np.where(rng.random(near.shape) < 0.5, (1 << 31) - 1 - near, near - (1 << 31))
    shadow.scratchpad_written[:] = True
    shadow.accumulator_written[:] = True
    return session


def program(session: Session, text: str, values: dict[str, int]) -> tuple[Fault, str]:
    """The fault and the line that names its element, of a program in whose text `$name` is a register with that value."""
    numbers = {name: f"x{10 + place}" for place, name in enumerate(values)}
    registers = [f"li {numbers[name]}, {value}" for name, value in values.items()]
    text = Template(text).substitute(numbers)
    with pytest.raises(LaunchError) as caught:
        session.launch(assemble("\n".join([*registers, text, "halt"]) + "\n", "overflow.s"))
    report = caught.value.result.fault
    assert report is not None
    assert report.detail is not None
    return report.fault, report.detail.lines[0] if report.detail.lines else ""


def first_of(terms: Iterator[Term]) -> str:
    """The line for the first sum that leaves int32."""
    for memory, row, column, total, added in terms:
        if not -(1 << 31) <= total + added < 1 << 31:
            return f"{memory} row {row}, column {column}: {total:,} + {added:,} "
    raise AssertionError("no overflow")


def signed(byte: int) -> int:
    """A byte as int8."""
    return byte - 256 * (byte >= 128)


@pytest.mark.parametrize("seed", range(12))
def test_run(seed: int) -> None:
    """A run over planes and rows, also one that adds to the same row again and again."""
    rng = np.random.default_rng(seed)
    session = warm_session(rng)
    v = {"acc": 3, "sp": 20, "rows": 5, "step": 2, "planes": 3, "plane_step": 11, "acc_step": int(rng.choice([0, 1, 3]))}
    v |= {"acc_plane_step": int(rng.choice([0, 17])), "zp": int(rng.integers(0, 256)), "w": 600, "lanes": LANES}
    before, data = session.memories.accumulator.copy(), session.memories.scratchpad.copy()

    def terms() -> Iterator[Term]:
        sums = {(row, n): int(before[row, n]) for row in range(len(before)) for n in range(LANES)}
        for plane in range(v["planes"]):
            for row in range(v["rows"]):
                source = v["sp"] + plane * v["plane_step"] + row * v["step"]
                target = v["acc"] + plane * v["acc_plane_step"] + row * v["acc_step"]
                for n in range(LANES):
                    added = sum((int(data[source, k]) - v["zp"]) * signed(int(data[v["w"] + k, n])) for k in range(LANES))
                    yield "accumulator", target, n, sums[target, n], added
                    sums[target, n] += added

    text = (
        "preload sp[$w], rows=$lanes, columns=$lanes\n"
        "run acc[$acc], sp[$sp], rows=$rows, step=$step, planes=$planes, plane_step=$plane_step, acc_step=$acc_step,"
        " acc_plane_step=$acc_plane_step, zp=$zp accumulate u8"
    )
    fault, line = program(session, text, v)
    assert fault is Fault.OVERFLOW
    assert line.startswith(first_of(terms()))


@pytest.mark.parametrize("seed", range(4))
def test_requantise(seed: int) -> None:
    """Sum and bias."""
    rng = np.random.default_rng(100 + seed)
    session = warm_session(rng)
    v = {"sp": 900, "acc": 3, "params": 600, "rows": 4, "min": 0, "max": 9, "planes": 2, "acc_plane_step": 7}
    sums, data = session.memories.accumulator.copy(), session.memories.scratchpad.copy()
    biases = data[600:604].reshape(-1).view(np.int32)

    def terms() -> Iterator[Term]:
        for plane in range(v["planes"]):
            for row in range(v["rows"]):
                source = v["acc"] + plane * v["acc_plane_step"] + row
                for n in range(LANES):
                    yield "accumulator", source, n, int(sums[source, n]), int(biases[n])

    text = (
        "requantise sp[$sp], acc[$acc], params=sp[$params], rows=$rows, planes=$planes, acc_plane_step=$acc_plane_step, min=$min,"
        " max=$max"
    )
    fault, line = program(session, text, v)
    assert fault is Fault.OVERFLOW
    assert line.startswith(first_of(terms()))


@pytest.mark.parametrize("name", ["depthwise", "average"])
@pytest.mark.parametrize("seed", range(3))
def test_windows(name: str, seed: int) -> None:
    """The sum of a window, and the bias; nothing is named where the instruction writes what it reads."""
    rng = np.random.default_rng(200 + seed)
    session = warm_session(rng)
    is_average = name == "average"
    biases = np.full(LANES, (1 << 31) - 40 if is_average else (1 << 31) - 5_000, np.int32)
    session.memories.scratchpad[600:604] = biases.view(np.uint8).reshape(4, LANES)
    v = {"sp": 900, "src": 20, "params": 600, "rows": 9, "min": 0, "max": 9, "lines": 2, "columns": 3, "line_step": 5, "src_step": 2}
    v |= {} if is_average else {"weights": 700, "src_zp": 3}
    data = session.memories.scratchpad.copy()

    def terms() -> Iterator[Term]:
        for row in range(v["rows"]):
            first = v["src"] + row * v["src_step"]
            for n in range(LANES):
                total = 0
                for tap in range(6):
                    byte = int(data[first + tap // 3 * v["line_step"] + tap % 3, n])
                    total += byte if is_average else (byte - v["src_zp"]) * signed(int(data[700 + tap, n]))
                yield "scratchpad", first, n, total, int(biases[n])

    rest = "" if is_average else ", weights=sp[$weights], src_zp=$src_zp"
    text = (
        f"{name} sp[$sp], src=sp[$src], params=sp[$params], rows=$rows, lines=$lines, columns=$columns, line_step=$line_step,"
        f" src_step=$src_step, min=$min, max=$max{rest} u8"
    )
    fault, line = program(session, text, v)
    assert fault is Fault.OVERFLOW
    assert line.startswith(first_of(terms()))
    session.memories.scratchpad[:] = data
    assert program(session, text, {**v, "sp": 22}) == (Fault.OVERFLOW, "")
