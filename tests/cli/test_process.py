"""Commands as processes: streams that can't be written, interrupts."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("call", ["accel_sim import main; main(['machines'])", "main import accelkit; accelkit(['sim', 'machines'])"])
def test_full_standard_output(call: str) -> None:
    """A table that can't be written is a message, not a traceback."""
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", f"from accelkit.cli.{call}"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: standard output can't be written: No space left on device\n")


def test_interrupt_ends_compiled_code() -> None:
    """Inside, Ctrl-C doesn't wait for Python; outside, it is Python's as before."""
    inside = "with ended_by_interrupt():\n    os.kill(os.getpid(), signal.SIGINT)\n    print('alive')"
    outside = "with ended_by_interrupt():\n    pass\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n"
    outside += "except KeyboardInterrupt:\n    print('caught')"
    start = "import os, signal\nfrom accelkit.cli.common import ended_by_interrupt\n"
    first, second = (
        subprocess.run([sys.executable, "-c", start + script], capture_output=True, text=True, check=False) for script in (inside, outside)
    )
    assert (first.returncode, first.stdout) == (-signal.SIGINT, "")
    assert (second.returncode, second.stdout) == (0, "caught\n")
