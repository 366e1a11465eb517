"""Silero VAD at 16 kHz: is there speech in a chunk of sound? Convolutions in int8, the rest (spectrum, LSTM) in float."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort

from models.packages import PackagedFile
from models.quantise import Feeds, quantise_static
from models.static import fix_shapes

MODEL = PackagedFile(
    package="silero-vad",
    version="6.2.3",
    wheel="silero_vad-6.2.3-py3-none-any.whl",
    wheel_sha256="7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
    member="silero_vad/data/silero_vad_openvino_16k.onnx",
    sha256="7776b81ad1b0350c15d7f1555943b9232eb53e9ca5d989c6d0cea9ebc8664d87",
)
RATE, CHUNK, CONTEXT = 16_000, 512, 64  # a chunk comes with the last samples of the one before
SHAPES = {"input": (1, CONTEXT + CHUNK), "state": (2, 1, 128)}
CHUNKS = 16


def make_sound(samples: int) -> npt.NDArray[np.float32]:
    """float32 [samples]: silence with a little noise, then a voice that says vowels: pulses of the glottis through three resonances."""
    rng = np.random.RandomState(16)
    time = np.arange(samples) / RATE
    pitch = np.cumsum(110 + 25 * np.sin(2 * np.pi * 2.5 * time)) / RATE
    sound = np.zeros(samples)
    for harmonic in range(1, 30):
        frequency = 120 * harmonic
        vowel = np.where(np.sin(2 * np.pi * 3 * time) > 0, 1, 0)
        formants = [(730, 1090, 2440), (300, 870, 2240)]  # of "a" and "u"
        gains = [sum(1 / (1 + ((frequency - f) / 90) ** 2) for f in places) for places in formants]
        sound += np.where(vowel, gains[0], gains[1]) * np.sin(2 * np.pi * harmonic * pitch) / harmonic**0.5
    syllables = np.clip(np.sin(2 * np.pi * 4 * time) * 2, 0, 1) * (time > samples / RATE / 4)
    return (0.2 * sound * syllables + 0.002 * rng.standard_normal(samples)).astype(np.float32)


def build() -> tuple[onnx.ModelProto, Feeds]:
    """The int8 model; chunks one after another with the state that the float model has before each."""
    model = fix_shapes(onnx.load_model_from_string(MODEL.read()), SHAPES)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    sound = np.concatenate([np.zeros(CONTEXT, np.float32), make_sound(CHUNKS * CHUNK)])
    state = np.zeros(SHAPES["state"], np.float32)
    chunks, states = [], []
    for start in range(0, CHUNKS * CHUNK, CHUNK):
        chunks.append(sound[None, start : start + CONTEXT + CHUNK])
        states.append(state)
        _, state = session.run(["output", "stateN"], {"input": chunks[-1], "state": state})
    feeds: Feeds = {"input": np.concatenate(chunks), "state": np.concatenate(states)}
    return quantise_static(model, feeds, ("Conv", "MatMul", "Gemm")), feeds
