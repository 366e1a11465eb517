"""Programs as the core's arrays: every word decoded once."""

from functools import lru_cache

from accelkit.isa.codec import CODEC, IllegalWord
from accelkit.simulator import descriptors
from accelkit.simulator.core import state as st

MOST_PROGRAMS = 64  # that are kept: a model launches the same few kernels again and again


@lru_cache(maxsize=MOST_PROGRAMS)
def decode_program(words: tuple[int, ...]) -> st.Array:
    """Decoded words, INSTRUCTION [n]. An illegal word decodes to opcode 0."""
    code = descriptors.records(st.INSTRUCTION, len(words))
    for place, word in enumerate(words):
        try:
            decoded = CODEC.decode(word)
        except IllegalWord:
            continue
        row, values = decoded.row, decoded.values
        target = code[place]
        target.op = row.opcode
        for name in ("rd", "rs1", "rs2", "imm", "wait", "post"):
            target[name] = values.get(name, 0)
        target.flag_bits = sum(values[flag.name] << bit for bit, flag in enumerate(row.flags))
        for slot, operand in enumerate(row.slots):
            target.slots[slot] = values[operand.name]
    return code
