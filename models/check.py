"""`python -m models.check NAME...`: real models on the simulator, every tensor against ONNX Runtime, cycles against their bound."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

from models.fetch import Fetched, add_names, chosen_names, fetch
from models.golden import Golden
from models.outcome import Outcome, judge, same_bits
from models.packages import FetchError
from models.quantise import split_runs
from models.results import print_outcome, write_results

_EPILOG = """examples:
  python -m models.check efficientnet-lite0 --images 8
  python -m models.check resnet50 squeezenet --machine server-128
  python -m models.check --all --document docs/models.md

exit codes: 0 every tensor is equal; 1 one differs, or a model can't be run; 2 a model can't be had"""

_SIMULATE = Path(__file__).with_name("simulate.py")  # by its path, so that it is found wherever the caller stands


def check(fetched: Fetched, machine: str, images: int) -> Outcome:
    """Run up to `images` of the model's inputs on `machine` and compare every tensor; RuntimeError if the simulator's process fails."""
    model = onnx.load(fetched.path)
    runs = list(split_runs(fetched.load_feeds(), model))[:images]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run, feeds in enumerate(runs):
            np.savez(folder / f"feeds-{run:03}.npz", **feeds)
        command = [sys.executable, str(_SIMULATE), str(fetched.path), machine, name]
        result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if result.returncode:
            raise RuntimeError(result.stderr.strip().splitlines()[-1])
        golden = Golden(model)
        compared, differences = set(), []
        for run, feeds in enumerate(runs):
            expected = golden.run(feeds)
            for path in sorted((folder / f"run-{run}").iterdir()):
                with np.load(path) as held:
                    tensor, value = str(held["name"]), held["value"]
                if tensor in expected:
                    compared.add((run, tensor))
                    if not same_bits(value, expected[tensor]):
                        differences.append(f"run {run}: {tensor}")
        return judge(fetched.name, machine, model, expected, folder / "report.json", len(compared), differences)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m models.check",
        description="Run real models on the simulator, bit for bit against ONNX Runtime.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_names(parser)
    parser.add_argument("--machine", default="edge-16", help="a preset or a machine file (default edge-16)")
    parser.add_argument("--images", type=int, default=1, metavar="N", help="how many inputs to run (default 1)")
    parser.add_argument("--document", type=Path, help="write the results, dated, into this file's table too")
    arguments = parser.parse_args()
    failed = False
    for name in chosen_names(parser, arguments):
        try:
            outcome = check(fetch(name), arguments.machine, arguments.images)
        except (FetchError, FileNotFoundError, ModuleNotFoundError) as error:
            print(f"error: {name}: {error}", file=sys.stderr)
            sys.exit(2)
        except RuntimeError as error:
            print(f"{name} on {arguments.machine}: FAILED: {error}", file=sys.stderr)
            failed = True
            continue
        print_outcome(outcome)
        failed |= bool(outcome.differences)
        if arguments.document:
            write_results(arguments.document, outcome)
    sys.exit(failed)


if __name__ == "__main__":
    main()
