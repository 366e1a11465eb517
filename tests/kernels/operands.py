"""Random operands of quantised products for tests of kernels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accelkit.kernels.plan import Quantised, Requantisation
from tests.reference.quantised import Array, requantise


@dataclass
class Operands:
    """Draws tensors, types and requantisations from one seed."""

    rng: np.random.Generator

    def kind(self) -> Quantised:
        """int8 or uint8 with any zero point."""
        dtype = (np.int8, np.uint8)[int(self.rng.integers(2))]
        limits = np.iinfo(dtype)
        return Quantised(dtype, int(self.rng.integers(limits.min, limits.max + 1)))

    def tensor(self, kind: Quantised, *shape: int) -> Array:
        """Bytes over the full range of the type."""
        limits = np.iinfo(np.dtype(kind.dtype))
        return self.rng.integers(limits.min, limits.max + 1, shape).astype(kind.dtype)

    def requantisation(self, channels: int, depth: int) -> Requantisation:
        """Scales, per tensor or per channel, that keep most sums of `depth` products in range; half of them are powers of two,
        so that many products lie between two integers. Biases and clamp bounds, or none."""
        rng = self.rng
        y = self.kind()
        size = channels if rng.integers(2) else None
        scale = np.asarray(rng.uniform(0.2, 3, size) / (depth**0.5 * 80), np.float32)
        if rng.integers(2):
            scale = np.exp2(np.round(np.log2(scale)))
        limits = np.iinfo(np.dtype(y.dtype))
        return Requantisation(
            y.dtype,
            y.zero_point,
            scale,
            bias=rng.integers(-3000, 3000, channels).astype(np.int32) if rng.integers(3) else 0,
            minimum=y.zero_point if rng.integers(3) == 0 else None,
            maximum=min(y.zero_point + 20, int(limits.max)) if rng.integers(3) == 0 else None,
        )


def expected(accumulators: npt.NDArray[np.int32], y: Requantisation) -> Array:
    """What the reference makes of accumulators [..., channels]."""
    dtype = np.int8 if np.dtype(y.dtype) == np.int8 else np.uint8
    return requantise(accumulators, y.scale, y.zero_point, dtype, bias=y.bias, clamp=y.bounds())
