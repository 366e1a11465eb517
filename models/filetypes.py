"""magika: which type a file is of, by a convolution over its first and last 1,024 bytes. Float but for its products."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import onnx

from models.packages import PackagedFile
from models.photos import photograph_path
from models.quantise import Feeds, quantise_static
from models.static import fix_shapes

MODEL = PackagedFile(
    package="magika",
    version="1.0.3",
    wheel="magika-1.0.3-py3-none-manylinux_2_28_x86_64.whl",
    wheel_sha256="3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529",
    member="magika/models/standard_v3_3/model.onnx",
    sha256="fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c",
)
CONFIG = replace(
    MODEL,
    member="magika/models/standard_v3_3/config.min.json",
    sha256="ae24c742205358f6ff6dfd5facb6743fb69743dbba8373e73da58ff0cbd695db",
)
_README = replace(
    MODEL,
    member="magika/models/standard_v3_3/README.md",
    sha256="0fbe867dedcdfc2dfb3fe31bb66724af8a7fd084a403408958fb7660058f23db",
)
_SOURCE = replace(
    MODEL,
    member="magika/magika.py",
    sha256="63aa42a2b2b412083ad1e2d6cffba9c1ed58093b954c2cca089ae627409eefc4",
)
INPUT = "bytes"
_PART, _BLOCK, _PADDING = 1024, 4096, 256  # config.min.json: beg_size and end_size, block_size, padding_token


def read_bytes(content: bytes) -> npt.NDArray[np.int32]:
    """int32 [2048]: the first and the last 1,024 bytes without white space around, padded (magika.py)."""
    start = content[:_BLOCK].lstrip()[:_PART]
    end = content[-_BLOCK:].rstrip()[-_PART:]
    tokens = np.full(2 * _PART, _PADDING, np.int32)
    tokens[: len(start)] = list(start)
    tokens[2 * _PART - len(end) :] = list(end)
    return tokens


def load_files() -> dict[str, bytes]:
    """Files of several types that pinned packages hold."""
    files = {name: photograph_path(name).read_bytes() for name in ("chelsea", "coffee", "rocket", "flower")}
    return files | {"magika.py": _SOURCE.read(), "README.md": _README.read(), "config": CONFIG.read(), "model": MODEL.read()}


def labels() -> list[str]:
    """Names of the 214 classes."""
    names: list[str] = json.loads(CONFIG.read())["target_labels_space"]
    return names


def build() -> tuple[onnx.ModelProto, Feeds]:
    """Conv and MatMul in int8, calibrated on the files; the files."""
    feeds: Feeds = {INPUT: np.stack([read_bytes(content) for content in load_files().values()])}
    model = fix_shapes(onnx.load_model_from_string(MODEL.read()), {INPUT: (1, 2 * _PART)})
    return quantise_static(model, feeds, ("Conv", "MatMul", "Gemm")), feeds
