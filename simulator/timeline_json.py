"""Timelines as JSON (Trace Event Format), one event a line."""

import json

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.program import Program
from accelkit.isa.table import TABLE
from accelkit.isa.text import disassemble
from accelkit.isa.units import CycleClass, SequencerClass
from accelkit.simulator import descriptors
from accelkit.simulator.core import encode as core
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core import timeline
from accelkit.simulator.lines import Sources, line_text, place
from accelkit.simulator.timeline import TRACKS

MOST_TEXT = 200  # characters of a source line


def class_names() -> dict[int, str]:
    """Names of stalls by the number that an event has."""
    names = {int(cls): cls.name.lower().replace("_", " ") for cls in CycleClass}
    return names | {timeline.SEQUENCER_CLASSES + cls: cls.name.lower().replace("_", " ") for cls in SequencerClass}


def mnemonic(program: Program, pc: int) -> str:
    """The name of an instruction's slices."""
    row = TABLE.by_opcode.get(program.words[pc] & 0xFF)
    return disassemble(program.words[pc]).split()[0] if row else "illegal"


class JsonEncoder:
    """`Encoder` for JSON."""

    def __init__(self) -> None:
        fixed = [b""] * core.PROGRAM_TEXTS
        fixed[: len(core.FRAGMENTS)] = core.FRAGMENTS
        for number, name in class_names().items():
            fixed[core.CLASS_TEXTS + number] = name.encode()
        for row in TABLE.rows:
            for slot, operand in enumerate(row.slots):
                fixed[core.OPERAND_TEXTS + row.opcode * g.SLOTS + slot] = f',"{operand.name}":'.encode()
        self._fixed = fixed
        self._arrays: dict[Program, tuple[NDArray[np.uint8], NDArray[np.int64], int]] = {}

    def header(self) -> bytes:
        """The begin of the list, with the tracks' names."""
        names = [_metadata("process_name", 0, "accelerator")]
        for number, name in enumerate(TRACKS):
            names += [_metadata("thread_name", number + 1, name), _order(number + 1)]
        return b'{"displayTimeUnit":"ns","traceEvents":[\n' + b"".join(names)

    def program(self, program: Program, sources: Sources) -> bytes:
        """Nothing: texts stand in each event."""
        if program not in self._arrays:
            words = range(len(program.words))
            texts = [_description(program, pc, sources) for pc in words]
            texts += [json.dumps(place(program, pc))[1:-1].encode() for pc in words]
            at = np.cumsum([0, *(len(text) for text in self._fixed + texts)], dtype=np.int64)
            self._arrays[program] = np.frombuffer(b"".join(self._fixed + texts), np.uint8), at, len(words)
        self._current = self._arrays[program]
        return b""

    def encode(self, state: st.Record, out: NDArray[np.uint8], events: st.Array, chunk: st.Array, first: int) -> int:
        """See `Encoder`."""
        texts, at, words = self._current
        return int(core.json(descriptors.rows(), state, out, texts, at, words, events, chunk, first))

    def launch(self, name: str, first: int, until: int) -> bytes:
        """A slice of the track of launches."""
        event = {"ph": "X", "cat": "launch", "pid": 1, "tid": len(TRACKS), "ts": first / 1000, "dur": (until - first) / 1000, "name": name}
        return json.dumps(event).encode() + b",\n"

    def footer(self) -> bytes:
        """The end of the list; a last event that says nothing spares a look at commas."""
        return json.dumps({"ph": "M", "pid": 1, "name": "process_sort_index", "args": {"sort_index": 0}}).encode() + b"\n]}\n"


def _metadata(kind: str, track: int, name: str) -> bytes:
    return json.dumps({"ph": "M", "pid": 1, "tid": track, "name": kind, "args": {"name": name}}).encode() + b",\n"


def _order(track: int) -> bytes:
    event = {"ph": "M", "pid": 1, "tid": track, "name": "thread_sort_index", "args": {"sort_index": track}}
    return json.dumps(event).encode() + b",\n"


def _description(program: Program, pc: int, sources: Sources) -> bytes:
    """Name and arguments of an instruction's slices; more arguments may follow."""
    values = {"line": place(program, pc), "text": line_text(program, pc, sources)[:MOST_TEXT]}
    return f',"name":{json.dumps(mnemonic(program, pc))},"args":{json.dumps(values)[:-1]}'.encode()
