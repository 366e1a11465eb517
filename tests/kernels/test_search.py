"""The search for tilings leaves out most of them; what it finds must be what a look at all of them finds."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels import conv2d
from accelkit.kernels.conv2d_geometry import Geometry
from accelkit.kernels.epilogue import Kind
from accelkit.kernels.estimate import Pass, Scalars, estimate_cycles, least_cycles
from accelkit.kernels.gemm_tiles import (
    GEMM_SCALARS,
    GemmShape,
    gemm_halves,
    gemm_passes,
    gemm_tilings,
    gemm_work,
)
from accelkit.kernels.regions import Halves, lay_out
from accelkit.kernels.residency import Frame, Stays
from accelkit.kernels.search import Fit, choose
from tests.kernels.machines import machines

Passes = Sequence[tuple[Pass, int]]


def every(
    machine: Machine, kernel: Scalars, tilings: Iterator[Any], halves_of: Callable[[Any], Halves], passes_of: Callable[[Any], Passes]
) -> Fit[Any] | None:
    """The best of all tilings: of the fewest cycles, an estimate below what the busiest unit has to do counting for that."""
    best: tuple[tuple[int, int, int], Fit[Any]] | None = None
    for place, tiles in enumerate(tilings):
        halves = halves_of(tiles)
        if regions := lay_out(machine, halves):
            passes = passes_of(tiles)
            least = least_cycles(machine, passes, regions.operands_share)
            cycles = estimate_cycles(machine, kernel, passes, regions.operands_share, regions.is_serial)
            key = (max(cycles, least), least, place)
            if best is None or key < best[0]:
                best = (key, Fit(tiles, halves, regions, cycles))
    return best and best[1]


SMALL = st.integers(1, 40)
PAIRS = st.tuples(st.integers(1, 3), st.integers(1, 3))
GEOMETRIES = st.builds(
    lambda channels, outputs, size, kernel, strides, groups: Geometry(
        1,
        channels,
        outputs,
        size=((size[0] - 1) * strides[0] + kernel[0], (size[1] - 1) * strides[1] + kernel[1]),
        out_size=size,
        kernel=kernel,
        strides=strides,
        pads=(0, 0),
        x_pitches=(1 << 20, channels * groups * size[1], channels * groups),
        y_pitches=(1 << 20, outputs * groups * size[1], outputs * groups),
        groups=groups,
    ),
    st.integers(1, 300), st.integers(1, 300), st.tuples(SMALL, SMALL), PAIRS, PAIRS, st.integers(1, 2),
)  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(machine=machines(), geometry=GEOMETRIES, epilogue=st.sampled_from(Kind))
def test_convolutions(machine: Machine, geometry: Geometry, epilogue: Kind) -> None:
    """On any machine, `fit_tiles` finds the best tiling of a convolution."""
    assert_best(machine, geometry, epilogue, Stays())


@pytest.mark.parametrize("name", ["edge-16", "server-128", "tiny-8"])
@pytest.mark.parametrize("stays", [Stays(x=Frame(0, 16, 16, 1, 1)), Stays(y=Frame(0, 16, 16, 1, 1)), Stays(y=Frame(0, 14, 14))])
def test_what_stays(name: str, stays: Stays) -> None:
    """Nor does it miss the best one where tensors stay in the scratchpad."""
    pitches = (1 << 20, 14 * 128, 128)
    geometry = Geometry(1, 128, 128, (14, 14), (14, 14), (3, 3), (1, 1), (1, 1), pitches, pitches)
    assert_best(load_machine(name), geometry, Kind.NONE, stays)


def assert_best(machine: Machine, geometry: Geometry, epilogue: Kind, stays: Stays) -> None:
    expected = every(
        machine,
        conv2d.CONV2D_SCALARS,
        conv2d.conv2d_tilings(machine, geometry),
        lambda tiles: conv2d.conv2d_halves(machine, geometry, tiles, epilogue, stays),
        lambda tiles: conv2d.conv2d_passes(machine, geometry, tiles, epilogue, stays),
    )
    assert conv2d.fit_tiles(machine, geometry, None, epilogue, stays) == expected


@settings(max_examples=20, deadline=None)
@given(
    machine=machines(),
    M=st.integers(1, 400),
    N=st.integers(1, 400),
    K=st.integers(1, 1500),
    b_is_packed=st.booleans(),
    epilogue=st.sampled_from(Kind),
)
def test_products(machine: Machine, M: int, N: int, K: int, b_is_packed: bool, epilogue: Kind) -> None:
    """The same for matrix products."""
    shape = GemmShape(M, N, K, K, N, N, b_is_packed)
    functions = (
        lambda tiles: gemm_halves(machine, tiles, epilogue),
        lambda tiles: gemm_work(machine, shape, tiles, epilogue),
        lambda tiles: gemm_passes(machine, shape, tiles, epilogue),
    )
    halves_of, _, passes_of = functions
    expected = every(machine, GEMM_SCALARS, gemm_tilings(machine, shape), halves_of, passes_of)
    assert choose(machine, GEMM_SCALARS, gemm_tilings(machine, shape), *functions) == expected
