"""M, N and K of the products that run on the array, to see how well they fill it."""

from __future__ import annotations

from math import prod

from accelkit.kernels.batched import BatchedCase
from accelkit.kernels.conv2d import Conv2dCase
from accelkit.kernels.gemm import GemmCase
from accelkit.kernels.onnx.calls import Case


def product_extents(case: Case) -> dict[str, int] | None:
    """Rows that stream, columns (outputs) and depth of one product; a convolution is one for each group, as deep as its input channels
    times its taps. None for what isn't a product.
    """
    if isinstance(case, BatchedCase):
        return product_extents(case.gemm)
    if isinstance(case, GemmCase):
        return {"M": case.M, "N": case.N, "K": case.K}
    if isinstance(case, Conv2dCase):
        outputs, channels, *kernel = case.weights.shape
        return {"M": prod(case.y_shape[:3]), "N": outputs // case.groups, "K": channels * prod(kernel)}
    return None
