"""Runs SCALE-Sim on one convolution and prints CPU seconds and peak MiB as JSON.

For the Python of its own environment, which has neither this project nor its NumPy: `make scalesim` sets it up, `benchmarks/scalesim.py`
runs this file (-P: that file isn't the package of the same name).

    TASK='{"array": 16, "sram_kib": 128, "words_per_cycle": 16, "layer": [58, 58, 3, 3, 64, 64, 1]}'
    build/scalesim/bin/python -P benchmarks/scalesim_layer.py "$TASK"

The layer is height, width (padded), kernel height, kernel width, channels, filters, stride.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from scalesim.scale_sim import scalesim

# A weight-stationary array with on-chip memories and a bus like those of the machine that it stands beside; no traces are saved.
CONFIG = """
[general]
run_name = run
[architecture_presets]
ArrayHeight = {array}
ArrayWidth = {array}
IfmapSramSzkB = {sram_kib}
FilterSramSzkB = {sram_kib}
OfmapSramSzkB = {sram_kib}
IfmapOffset = 0
FilterOffset = 10000000
OfmapOffset = 20000000
Dataflow = ws
Bandwidth = {words_per_cycle}
ReadRequestBuffer = 64
WriteRequestBuffer = 64
[layout]
IfmapCustomLayout = False
IfmapSRAMBankBandwidth = 10
IfmapSRAMBankNum = 10
IfmapSRAMBankPort = 2
FilterCustomLayout = False
FilterSRAMBankBandwidth = 10
FilterSRAMBankNum = 10
FilterSRAMBankPort = 2
[sparsity]
SparsitySupport = false
[run_presets]
InterfaceBandwidth = USER
UseRamulatorTrace = False
"""


def main() -> None:
    """Run and print."""
    task = json.loads(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config.cfg").write_text(CONFIG.format(**task))
        (folder / "layer.csv").write_text(f"name, sizes,\nlayer, {', '.join(map(str, task['layer']))},\n")
        (folder / "layout.csv").write_text(f"name,\nlayer, {'1, ' * 21}\n")
        started = time.process_time()
        simulator = scalesim(
            save_disk_space=True,
            verbose=False,
            config=str(folder / "config.cfg"),
            topology=str(folder / "layer.csv"),
            layout=str(folder / "layout.csv"),
        )
        simulator.run_scale(top_path=name)
        seconds = time.process_time() - started
        report = (folder / "run" / "COMPUTE_REPORT.csv").read_text().splitlines()[1]
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "mib": mib, "cycles": float(report.split(",")[2])}))


if __name__ == "__main__":
    main()
