"""What the timeline of a whole model costs, and whether it says what the report says: `python -m benchmarks.trace MODEL.onnx [MACHINE...]`.

`accel-sim model` runs twice, with and without `--trace`, each in a process of its own: CPU time and peak memory. The file is read back
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
from pathlib import Path
from typing import Any

import numpy as np
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.loading import read_model

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


def main(model: Path, machine: str) -> None:
    """Print costs and comparison on one machine; exit code 1 at a difference."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).with_name("accel-sim")), "model", str(model), "--machine", machine]
        graph = read_model(model)
        for name in graph.inputs:
            type_ = graph.types[name]
            np.save(f"{folder}/{len(command)}.npy", np.zeros(type_.shape or (), type_.dtype))
            command += ["--input", f"{name}={folder}/{len(command)}.npy"]
        command += ["--json", f"{folder}/report.json"]
        measure(command)  # compiles what isn't in the cache
        measure([*command, "--trace", f"{folder}/net.pftrace"])
        plain, plain_memory = measure(command)
        traced, traced_memory = measure([*command, "--trace", f"{folder}/net.pftrace"])
        path = Path(folder, "net.pftrace")
        busy, names = read_back(path, load_machine(machine).page_miss_cycles)
        nodes = [node for node in json.loads(Path(folder, "report.json").read_text())["nodes"] if "units" in node]
        print(
            f"{model.parent.name} on {machine}: {len(names)} launches, {path.stat().st_size / 1e6:.0f} MB;"
            f" CPU {plain:.1f} s without, {traced:.1f} s with timeline (x {traced / plain:.2f});"
            f" peak memory {plain_memory} and {traced_memory} MiB"
        )
    expected = {unit: sum(node["units"][unit].get("busy", 0) for node in nodes) for unit in UNITS.values()}
    for unit, cycles in expected.items():
        print(f"  {unit}: busy {cycles:,} cycles by the report, {busy[unit]:,} by the timeline")
    unnamed = [node["name"] for node in nodes if not any(node["name"] in name for name in names)]
    if unnamed or any(busy[unit] != cycles for unit, cycles in expected.items()):
        raise SystemExit(f"differences; nodes without a launch of their name: {unnamed}")


if __name__ == "__main__":
    for one in sys.argv[2:] or ["edge-16"]:
        main(Path(sys.argv[1]), one)
