"""Timelines read back by readers that know nothing of their writers: the protobuf schema of the `perfetto` package, a JSON parser, and
twenty lines of Kanata."""

import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.isa.machine import load_machine
from accelkit.isa.program import Program
from accelkit.simulator import LaunchResult, Session
from accelkit.simulator.timeline import Timeline
from accelkit.simulator.timeline_json import JsonEncoder
from accelkit.simulator.timeline_kanata import Kanata
from accelkit.simulator.timeline_perfetto import PerfettoEncoder
from accelkit.simulator.window import Window
from tests.simulator.test_account import BLAMED

MACHINE = load_machine("tiny-8")


@dataclass
class Read:
    """A timeline as a reader sees it: slices (track, category, name, first, until, arguments) in cycles, depths by queue, arrows (from
    track and cycle, to track and cycle)."""

    slices: list[tuple[str, str, str, int, int, dict[str, object]]] = field(default_factory=list)
    depths: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    arrows: list[tuple[str, str]] = field(default_factory=list)


def read_json(content: bytes) -> Read:
    """Events of the Trace Event Format."""
    read, names, starts = Read(), {}, {}
    events = json.loads(content)["traceEvents"]
    for event in events:
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"]
    for event in events:
        time = round(event.get("ts", 0) * 1000)
        if event["ph"] == "X":
            until = time + round(event["dur"] * 1000)
            read.slices.append((names[event["tid"]], event["cat"], event["name"], time, until, event.get("args", {})))
        elif event["ph"] == "C":
            read.depths[event["name"]].append((time, event["args"]["depth"]))
        elif event["ph"] == "s":
            starts[event["id"]] = names[event["tid"]]
    read.arrows = [(starts[e["id"]], names[e["tid"]]) for e in events if e["ph"] == "f"]
    return read


def read_perfetto(content: bytes) -> Read:
    """Packets of Perfetto's schema."""
    schema = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    read, tracks, open_slices = Read(), {}, defaultdict(list)
    texts: dict[str, dict[int, str]] = defaultdict(dict)
    starts: dict[int, str] = {}
    ends: list[tuple[int, str]] = []
    for packet in schema.Trace.FromString(content).packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor.name
        for kind in ("event_names", "event_categories", "debug_annotation_names"):
            texts[kind].update({one.iid: one.name for one in getattr(packet.interned_data, kind)})
        texts["values"].update({one.iid: one.str.decode() for one in packet.interned_data.debug_annotation_string_values})
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        track = tracks[event.track_uuid]
        if event.type == schema.TrackEvent.TYPE_COUNTER:
            read.depths[track].append((packet.timestamp, event.counter_value))
        elif event.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
            arguments = {
                texts["debug_annotation_names"][one.name_iid]: texts["values"].get(one.string_value_iid, one.int_value)
                for one in event.debug_annotations
            }
            name = event.name or texts["event_names"][event.name_iid]
            category = texts["event_categories"][event.category_iids[0]] if event.category_iids else "launch"
            open_slices[track].append((category, name, packet.timestamp, arguments))
            starts.update(dict.fromkeys(event.flow_ids, track))
            ends += [(flow, track) for flow in event.terminating_flow_ids]
        else:
            category, name, first, arguments = open_slices[track].pop()
            read.slices.append((track, category, name, first, packet.timestamp, arguments))
    assert not any(open_slices.values())
    read.arrows = [(starts[flow], track) for flow, track in ends]
    return read


FORMATS: dict[str, tuple[Callable[[], JsonEncoder | PerfettoEncoder], Callable[[bytes], Read]]] = {
    "json": (JsonEncoder, read_json),
    "perfetto": (PerfettoEncoder, read_perfetto),
}


def traced(kind: str, run: Callable[[Session], LaunchResult], check: bool = True, **options: object) -> tuple[Read, LaunchResult]:
    """What a reader finds of a run, and its result."""
    encoder, read = FORMATS[kind]
    stream = io.BytesIO()
    timeline = Timeline(stream, encoder(), **options)  # type: ignore[arg-type]
    result = run(Session(MACHINE, check, [timeline]))
    timeline.close()
    return read(stream.getvalue()), result


@pytest.mark.parametrize("kind", FORMATS)
def test_depths_and_arrows(kind: str) -> None:
    """Depths go up and down by one, are at most the queue's, and end at 0; an arrow for each wait, from the unit that posts."""
    program = assemble(BLAMED, "blamed.s")
    read, _ = traced(kind, lambda session: session.launch(program), check=False)
    for samples in read.depths.values():
        assert samples == sorted(samples, key=lambda sample: sample[0])
        assert all(abs(before - after) == 1 for (_, before), (_, after) in pairwise(samples))
        assert max(depth for _, depth in samples) <= MACHINE.queue_depth
        assert samples[-1][1] == 0
    assert max(depth for _, depth in read.depths["load queue"]) == MACHINE.queue_depth
    assert read.arrows == [("load", "store")]


@pytest.mark.parametrize("kind", FORMATS)
def test_arguments(kind: str) -> None:
    """A slice tells its source line, its text and its operands; a stall tells who is to blame; dispatches stand on their track."""
    program = assemble(BLAMED, "blamed.s")
    read, result = traced(kind, lambda session: session.launch(program), check=False, sources={"blamed.s": BLAMED.splitlines()})
    _, _, _, first, until, arguments = next(one for one in read.slices if one[2] == "fill.b")
    assert (arguments["line"], arguments["rows"], until - first) == ("blamed.s:3", 64, 64)
    assert str(arguments["text"]).startswith("fill.b sp[zero], rows=s0, fill=zero")
    (wait,) = [one for one in read.slices if one[2] == "wait load"]
    assert (wait[5]["line"], wait[5]["blame"]) == ("blamed.s:11", "blamed.s:9")
    assert sum(one[1] == "dispatch" for one in read.slices) == result.instructions


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("source", [BLAMED, "li s1, 300\nloop: sync.load\nsync.store\nfence\naddi s0, s0, 1\nblt s0, s1, loop\nhalt\n"])
def test_without_scalars(kind: str, source: str) -> None:
    """A timeline without single dispatches, whose launch logs only those that waited, has everything else, and the same cycles."""
    program = assemble(source, "blamed.s")
    whole, result = traced(kind, lambda session: session.launch(program), check=False)
    less, again = traced(kind, lambda session: session.launch(program), check=False, has_scalars=False)
    stalls = [one for one in less.slices if one[0] == "sequencer"]
    assert stalls
    assert {one[1] for one in stalls} == {"stall"}
    assert sorted(map(str, less.slices)) == sorted(str(one) for one in whole.slices if one[1] != "dispatch")
    assert (less.depths, less.arrows) == (whole.depths, whole.arrows)
    assert (again.cycles, again.units, again.sequencer) == (result.cycles, result.units, result.sequencer)


@pytest.mark.parametrize("kind", FORMATS)
def test_windows(kind: str) -> None:
    """Cycles: exactly the slices that meet the window. Lines: exactly those of the lines."""
    program = assemble(BLAMED, "blamed.s")

    def run(session: Session) -> LaunchResult:
        return session.launch(program)

    everything, _ = traced(kind, run, check=False)
    inside, _ = traced(kind, run, check=False, window=Window(100, 150))
    inner = [one for one in everything.slices if one[1] == "launch" or (one[3] <= 150 and one[4] > 100)]
    assert sorted(map(str, inside.slices)) == sorted(map(str, inner))
    lines, _ = traced(kind, run, check=False, window=Window(first_line=4, last_line=4))
    assert {str(one[5]["line"]) for one in lines.slices if one[1] != "launch"} == {"blamed.s:4"}


@pytest.mark.parametrize("kind", FORMATS)
def test_launches_follow_each_other(kind: str) -> None:
    """The second launch begins after the first and the cycles that a launch costs."""
    program = assemble(BLAMED, "blamed.s")

    def run(session: Session) -> LaunchResult:
        session.launch(program)
        return session.launch(program)

    read, result = traced(kind, run, check=False)
    launches = [(first, until) for track, _, _, first, until, _ in read.slices if track == "launches"]
    second = result.cycles + MACHINE.launch_cycles
    assert launches == [(0, result.cycles), (second, second + result.cycles)]
    fills = sorted(first for _, _, name, first, _, _ in read.slices if name == "fill.b" and _ is not None)
    assert fills[len(fills) // 2 :] == [first + second for first in fills[: len(fills) // 2]]


def many() -> Program:
    """A program with more events than a table, a chunk or the room for bytes holds."""
    return assemble("li s1, 1100\nloop: sync.load\nsync.store\naddi s0, s0, 1\nblt s0, s1, loop\nhalt\n", "many.s")


@pytest.mark.parametrize("kind", FORMATS)
def test_many_events(kind: str) -> None:
    """Nothing is lost where arrays are used again, and so short a timeline warns nobody."""
    warned: list[bool] = []
    read, result = traced(kind, lambda session: session.launch(many()), check=False, warn=lambda: warned.append(True))
    assert sum(one[1] == "beats" for one in read.slices) == 2200
    assert sum(one[1] == "dispatch" for one in read.slices) == result.instructions
    assert not warned


def stages(content: str) -> Iterator[tuple[int, int, str]]:
    """(row, cycle, stage or R) of a Kanata text."""
    header, start, *lines = content.splitlines()
    assert (header, start) == ("Kanata\t0004", "C=\t0")
    cycle = 0
    for line in lines:
        command, *fields = line.split("\t")
        if command == "C":
            assert int(fields[0]) > 0
            cycle += int(fields[0])
        elif command == "S":
            yield int(fields[0]), cycle, fields[2]
        elif command in "IRW":
            yield int(fields[0]), cycle, command


def test_kanata() -> None:
    """Each instruction's stages begin at the events of the trace: queued at d, beats at s, until c; a row for each."""
    program, stream = many(), io.BytesIO()
    kanata = Kanata(stream)
    result = Session(MACHINE, check=False, observers=[kanata]).launch(program, trace=True)
    kanata.close()
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for row, cycle, stage in stages(stream.getvalue().decode()):
        found[row][stage] = cycle
    assert result.trace is not None
    assert len(found) == result.instructions
    for row, (_, d, s, e, c) in enumerate(result.trace.tolist()):
        expected = {"I": d, "Q": d, "R": (c if s >= 0 else d) + 1} | ({"X": s} if s >= 0 else {}) | ({"C": e + 1} if c > e else {})
        assert found[row] == expected


def test_kanata_dependencies() -> None:
    """The wait of BLAMED names the row that posts."""
    stream = io.BytesIO()
    Session(MACHINE, check=False, observers=[Kanata(stream)]).launch(assemble(BLAMED, "blamed.s"))
    assert [line for line in stream.getvalue().decode().splitlines() if line.startswith("W")] == ["W\t9\t7\t0"]
    assert np.count_nonzero([line.startswith("I") for line in stream.getvalue().decode().splitlines()]) == 12
