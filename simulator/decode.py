"""Programs as the core's arrays: every word decoded once."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.codec import CODEC, IllegalWord
from accelkit.simulator.core import generated as g
from accelkit.simulator.core.state import Code

WORD_MASK = 0xFFFFFFFF


def decode_program(words: Sequence[int], arguments: Sequence[int]) -> Code:
    """Decoded words; `arguments` are the launch's argument words (32 bits, either sign). An illegal word decodes to opcode 0."""
    columns, slots = _decode_words(tuple(words))
    words_of_arguments = np.array([argument & WORD_MASK for argument in arguments], np.int64)
    return Code(**columns, slots=slots, arguments=words_of_arguments)


@lru_cache(maxsize=64)  # a model launches the same few kernels again and again
def _decode_words(words: tuple[int, ...]) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int64]]:
    n = len(words)
    columns = {
        name: np.zeros(n, np.int64) for name in ("op", "rd", "rs1", "rs2", "imm", "wait", "post", "flags")
    }
    slots = np.zeros((n, g.SLOTS), np.int64)
    for place, word in enumerate(words):
        try:
            decoded = CODEC.decode(word)
        except IllegalWord:
            continue
        row, values = decoded.row, decoded.values
        columns["op"][place] = row.opcode
        for name in ("rd", "rs1", "rs2", "imm", "wait", "post"):
            columns[name][place] = values.get(name, 0)
        columns["flags"][place] = sum(values[flag.name] << bit for bit, flag in enumerate(row.flags))
        for slot, operand in enumerate(row.slots):
            slots[place, slot] = values[operand.name]
    return columns, slots
