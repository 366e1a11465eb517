"""What the timeline of a whole model costs, and whether it says what the report says: `python -m benchmarks.trace MODEL.onnx [MACHINE...]`.

`accel-sim model` runs with and without `--trace` by turns, each in a process of its own: CPU time and peak memory. The file is read back
with the `perfetto` package's schema, a packet after the other, and the busy cycles of each unit are compared with the report's. Inputs are
zeros: time depends on no data.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.loading import read_model
from benchmarks.row import Row
from models.fetch import fetch

MODEL = "resnet50"  # of the suite
ROUNDS = 5  # of which the cheapest counts, with and without
UNITS = {"load": "load", "store": "store", "run": "array", "vector": "vector"}  # by track; a preload is no busy cycle


def measure(command: list[str]) -> tuple[float, int]:
    """CPU seconds and peak memory in MiB of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss >> 10


def packets(path: Path) -> Iterator[Any]:
    """The packets of a trace: fields 1 of the outermost message, each with its length in front."""
    content = memoryview(path.read_bytes())
    at = 0
    while at < len(content):
        assert content[at] == 0x0A
        length, shift = 0, 0
        while True:
            at += 1
            length |= (content[at] & 0x7F) << shift
            shift += 7
            if content[at] < 0x80:
                break
        at += 1
        yield schema.TracePacket.FromString(content[at : at + length])
        at += length


def read_back(path: Path, page_miss_cycles: int) -> tuple[Counter[str], list[str]]:
    """Busy cycles of each unit but in launches for layouts, and the launches' names."""
    tracks: dict[int, str] = {}
    texts: dict[str, dict[int, str]] = defaultdict(dict)
    opened: dict[str, tuple[int, int]] = {}  # begin and page misses of the slice that a track has open
    busy: Counter[str] = Counter()
    launch: Counter[str] = Counter()
    names: list[str] = []
    for packet in packets(path):
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor.name
        for kind in ("event_categories", "debug_annotation_names"):
            texts[kind].update({one.iid: one.name for one in getattr(packet.interned_data, kind)})
        event = packet.track_event
        track = tracks.get(event.track_uuid, "")
        if event.type == schema.TrackEvent.TYPE_SLICE_BEGIN and track == "launches":
            names.append(event.name)
            busy += Counter() if ": layout (" in event.name else launch
            launch.clear()
        elif event.type == schema.TrackEvent.TYPE_SLICE_BEGIN and track in UNITS:
            is_beats = [texts["event_categories"].get(iid) for iid in event.category_iids] == ["beats"]
            values = {texts["debug_annotation_names"][one.name_iid]: one.int_value for one in event.debug_annotations}
            opened[track] = (packet.timestamp, values.get("page_misses", 0)) if is_beats else (-1, 0)
        elif event.type == schema.TrackEvent.TYPE_SLICE_END and track in UNITS and opened[track][0] >= 0:
            first, misses = opened[track]
            launch[UNITS[track]] += packet.timestamp - first - misses * page_miss_cycles
    return busy, names


@dataclass(frozen=True)
class Compared:
    """A model on a machine with and without its timeline: CPU seconds and MiB, and busy cycles by unit as both files have them."""

    launches: int
    nbytes: int  # of the timeline
    plain: tuple[float, int]
    traced: tuple[float, int]
    reported: dict[str, int]
    drawn: Counter[str]
    unnamed: list[str]  # nodes without a launch of their name

    @property
    def is_equal(self) -> bool:
        """Whether the timeline says what the report says."""
        return not self.unnamed and all(self.drawn[unit] == cycles for unit, cycles in self.reported.items())


def compare(model: Path, machine: str) -> Compared:
    """Run a model with and without a timeline."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).with_name("accel-sim")), "model", str(model), "--machine", machine]
        graph = read_model(model)
        for name in graph.inputs:
            type_ = graph.types[name]
            np.save(f"{folder}/{len(command)}.npy", np.zeros(type_.shape or (), type_.dtype))
            command += ["--input", f"{name}={folder}/{len(command)}.npy"]
        command += ["--json", f"{folder}/report.json"]
        path = Path(folder, "net.pftrace")
        traced_command = [*command, "--trace", str(path)]
        measure(command)  # compiles what isn't in the cache
        measure(traced_command)
        costs: list[tuple[tuple[float, int], tuple[float, int]]] = []
        for _ in range(ROUNDS):
            path.unlink()  # to free the old file's pages is no cost of the timeline
            costs.append((measure(command), measure(traced_command)))
        plain, traced = (min(one) for one in zip(*costs, strict=True))
        busy, names = read_back(path, load_machine(machine).page_miss_cycles)
        nodes = [node for node in json.loads(Path(folder, "report.json").read_text())["nodes"] if "units" in node]
        nbytes = path.stat().st_size
    reported = {unit: sum(node["units"][unit].get("busy", 0) for node in nodes) for unit in UNITS.values()}
    unnamed = [node["name"] for node in nodes if not any(node["name"] in name for name in names)]
    return Compared(len(names), nbytes, plain, traced, reported, busy, unnamed)


def rows() -> Iterator[Row]:
    """What the timeline of a model adds to CPU time and memory."""
    c = compare(fetch(MODEL).path, "edge-16")
    if not c.is_equal:
        raise SystemExit(f"{MODEL}: the timeline differs from the report")
    for what, index, unit in (("CPU", 0, "s"), ("memory", 1, "MiB")):
        ratio = c.traced[index] / c.plain[index]
        yield Row(f"accel-sim model {MODEL} --trace, {what}", "edge-16", c.traced[index], unit, "x that without --trace", ratio)


def main(model: Path, machine: str) -> None:
    """Print costs and comparison on one machine; exit code 1 at a difference."""
    c = compare(model, machine)
    print(
        f"{model.parent.name} on {machine}: {c.launches} launches, {c.nbytes / 1e6:.0f} MB;"
        f" CPU {c.plain[0]:.2f} s without, {c.traced[0]:.2f} s with timeline (x {c.traced[0] / c.plain[0]:.2f});"
        f" peak memory {c.plain[1]} and {c.traced[1]} MiB"
    )
    for unit, cycles in c.reported.items():
        print(f"  {unit}: busy {cycles:,} cycles by the report, {c.drawn[unit]:,} by the timeline")
    if not c.is_equal:
        raise SystemExit(f"differences; nodes without a launch of their name: {c.unnamed}")


if __name__ == "__main__":
    for one in sys.argv[2:] or ["edge-16"]:
        main(Path(sys.argv[1]), one)
