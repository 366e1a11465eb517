"""Photographs that ship inside scikit-image and scikit-learn, cut and scaled for ImageNet networks.

Central square, scaled to the network's size (Pillow, bicubic), colour values normalised. Grey pictures become colour
pictures with three equal planes.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

# package, its folder of pictures, file; the first eight are the colour pictures with an object that ImageNet has a class near
PHOTOGRAPHS = {
    "chelsea": ("skimage", "data", "chelsea.png"),
    "coffee": ("skimage", "data", "coffee.png"),
    "rocket": ("skimage", "data", "rocket.jpg"),
    "astronaut": ("skimage", "data", "astronaut.png"),
    "motorcycle": ("skimage", "data", "motorcycle_left.png"),
    "flower": ("sklearn", "datasets/images", "flower.jpg"),
    "china": ("sklearn", "datasets/images", "china.jpg"),
    "camera": ("skimage", "data", "camera.png"),
    "clock": ("skimage", "data", "clock_motion.png"),
    "coins": ("skimage", "data", "coins.png"),
    "moon": ("skimage", "data", "moon.png"),
    "retina": ("skimage", "data", "retina.jpg"),
    "hubble": ("skimage", "data", "hubble_deep_field.jpg"),
    "brick": ("skimage", "data", "brick.png"),
    "grass": ("skimage", "data", "grass.png"),
    "gravel": ("skimage", "data", "gravel.png"),
}


def photograph_path(name: str) -> Path:
    """Where the picture is installed; the package itself isn't imported."""
    package, folder, file = PHOTOGRAPHS[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{file} ships inside {package}, which isn't installed; pip install 'accelkit[models]'")
    return Path(spec.origin).parent / folder / file


def load_photograph(name: str, size: int, mean: npt.ArrayLike, deviation: npt.ArrayLike) -> Floats:
    """float32 [3, size, size]: (value - mean) / deviation of colour values from 0 to 255."""
    try:
        from PIL import Image
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("Pillow, which reads the photographs, isn't installed; pip install 'accelkit[models]'") from error
    picture = Image.open(photograph_path(name)).convert("RGB")
    edge = min(picture.size)
    left, top = (picture.width - edge) // 2, (picture.height - edge) // 2
    box = (left, top, left + edge, top + edge)
    pixels = np.asarray(picture.resize((size, size), Image.Resampling.BICUBIC, box=box), np.float32)
    return np.ascontiguousarray(((pixels - np.float32(mean)) / np.float32(deviation)).transpose(2, 0, 1))
