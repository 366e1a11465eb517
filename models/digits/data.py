"""The handwritten digits as the model's input, and the fixed split into training and held-out images.

`python -m models.digits.data FOLDER` writes images.npy and labels.npy of the held-out images.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

SPLIT_SEED = 540
HELD_OUT = 540
MAX_PIXEL = 16.0  # scikit-learn's pixels are integers from 0 to 16

Images = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int64]


def load_training() -> tuple[Images, Labels]:
    """1,257 images float32 [N, 1, 8, 8] in 0..1 and their labels, N integers from 0 to 9."""
    images, labels, order = _load()
    return images[order[HELD_OUT:]], labels[order[HELD_OUT:]]


def load_held_out() -> tuple[Images, Labels]:
    """The 540 images that neither training nor calibration has seen, in the same form."""
    images, labels, order = _load()
    return images[order[:HELD_OUT]], labels[order[:HELD_OUT]]


def count_correct(logits: npt.NDArray[Any], labels: Labels) -> int:
    """How many rows of logits [N, 10] have their maximum at the label."""
    return int(np.count_nonzero(logits.argmax(axis=1) == labels))


def _load() -> tuple[Images, Labels, npt.NDArray[np.int64]]:
    digits = load_digits()
    images = (digits.images / MAX_PIXEL).astype(np.float32)[:, None]
    # NumPy keeps the stream of RandomState frozen for ever, that of its newer generators not: a changed
    # order would test the committed model on images that it was trained on.
    order = np.random.RandomState(SPLIT_SEED).permutation(len(images))
    return images, digits.target.astype(np.int64), order


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the held-out digits as images.npy and labels.npy.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    images, labels = load_held_out()
    np.save(folder / "images.npy", images)
    np.save(folder / "labels.npy", labels)


if __name__ == "__main__":
    main()
