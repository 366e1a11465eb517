"""The fraction of `python -m tests.rtl.real` that CI runs."""

import pytest

from accelkit.simulator.rtl.run import rtl_of
from tests.rtl.real import MACHINE, MAKERS, count_differences

pytestmark = pytest.mark.rtl


@pytest.mark.parametrize("mnemonic", MAKERS)
def test_binary32_is_the_simulators(mnemonic: str) -> None:
    """Results next to ties, extreme scales, infinities, NaN, subnormal numbers: 0 differences. The simulator is checked against ONNX
    Runtime."""
    assert count_differences(rtl_of(MACHINE), mnemonic, 0, 300) == 0
