"""Programs at fault: the whole message of each, as its fixture states it."""

import resource
from pathlib import Path

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.simulator import LaunchError, Session, passes

FIXTURES = sorted((Path(__file__).parent / "faults").glob("*.s"))
MARK = "\n# expected:\n"


def run_fixture(path: Path) -> str:
    """The message of a launch on tiny-8 with a written input of 4 KiB at address 0 and an output of 4 KiB after it."""
    session = Session("tiny-8")
    session.declare("input", 0, 4096, is_writable=False)
    session.write(0, np.arange(4096, dtype=np.uint8))
    session.declare("output", 4096, 4096)
    program = assemble(path.read_text(), path.name)
    try:
        session.launch(program, max_cycles=100_000)
    except LaunchError as error:
        return str(error)
    return "halted"


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_message(path: Path) -> None:
    """Class, place, the value seen, the limit and the likely fix are what the fixture says."""
    expected = path.read_text().partition(MARK)[2]
    assert run_fixture(path) == "\n".join(line.removeprefix("#   ") for line in expected.splitlines())


def test_tokens_without_end_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that only posts ends with a message that names the channel, not when memory does."""
    monkeypatch.setattr(passes, "MOST_TOKENS", 64)
    program = assemble("loop: sync.load post(array.1)\n      j loop\n")
    with pytest.raises(ValueError, match=r"over 64 tokens on load->array.1 that nothing waits for"):
        Session("tiny-8").launch(program)


def test_a_large_output_costs_no_memory_until_it_is_written() -> None:
    """The checker's stamps of a buffer of 900 MB are not touched by declaring it."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    Session("edge-16").declare("large", 0, 900_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB
