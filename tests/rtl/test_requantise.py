"""The RTL's `requantise` against NumPy: the fraction of `make verify` that CI runs."""

import pytest

from tests.rtl.requantise import MAKERS, build_lane, count_differences

pytestmark = pytest.mark.rtl


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_requantise_is_bit_exact(maker) -> None:  # type: ignore[no-untyped-def]
    """A lane gives NumPy's byte in every case: ties, subnormals, infinities, NaN, saturation, extreme sums; four clamps."""
    lane = build_lane()
    assert [count_differences(lane, maker, seed, 25_000) for seed in range(4)] == [0, 0, 0, 0]
