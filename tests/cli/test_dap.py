"""`accel-sim dap`, driven by a client of its own over pipes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"


class Client:
    """An editor's side: sends requests, collects events until the response comes."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", "from accelkit.cli.accel_sim import main; main(['dap'])"]
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sent = 0

    def read(self) -> dict[str, Any]:
        """The next message."""
        assert self.process.stdout is not None
        length = int(self.process.stdout.readline().split(b":")[1])
        assert self.process.stdout.readline() == b"\r\n"
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The response to a request."""
        assert self.process.stdin is not None
        self.sent += 1
        content = json.dumps({"seq": self.sent, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()
        response = self.read()
        assert (response["type"], response["request_seq"], response["command"]) == ("response", self.sent, command)
        return response

    def event(self) -> tuple[str, dict[str, Any]]:
        """The next event, by name."""
        message = self.read()
        assert message["type"] == "event"
        return message["event"], message["body"]


def test_session(tmp_path: Path) -> None:
    """Launch, breakpoints, moves both ways, frames, variables, the console, the end: what an editor does in a session."""
    shutil.copy(EXAMPLE, tmp_path / "matmul.s")
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (20, 7), dtype=np.int8), rng.integers(-128, 128, (7, 5), dtype=np.int8)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    halt = next(n for n, line in enumerate(EXAMPLE.read_text().splitlines(), 1) if "halt" in line)
    client = Client(tmp_path)
    assert client.ask("initialize")["body"]["supportsStepBack"]
    assert not client.ask("continue")["success"]
    refused = client.ask("launch", program="nowhere.s")
    assert not refused["success"]
    assert "nowhere.s" in refused["message"]
    for wrong in ({"args": 7}, {"maxCycles": "many"}, {"machine": "nowhere"}, {"args": ["M"]}):
        assert client.ask("launch", program="matmul.s", **wrong)["message"], wrong
    assert not client.ask("fly")["success"]
    assert client.ask("launch", program="matmul.s", args=["M=20", "K=7", "N=5"], **{"in": ["a=a.npy", "b=b.npy"]})["success"]
    assert client.event()[0] == "initialized"
    source = {"path": str(tmp_path / "matmul.s")}
    set_ = client.ask("setBreakpoints", source=source, breakpoints=[{"line": halt}, {"line": 1}])["body"]["breakpoints"]
    assert [one["verified"] for one in set_] == [True, False]
    assert not client.ask("setBreakpoints", source=source, breakpoints=[{}])["success"]
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": halt}])
    assert client.ask("configurationDone")["success"]
    assert client.event()[1]["reason"] == "entry"
    assert client.ask("continue")["success"]
    name, body = client.event()
    assert (name, body["reason"]) == ("stopped", "breakpoint")
    frame = client.ask("stackTrace", threadId=1)["body"]["stackFrames"][0]
    assert (frame["line"], frame["source"]["path"]) == (halt, str(tmp_path / "matmul.s"))
    client.ask("stepBack")
    assert client.event()[1]["reason"] == "step"
    assert client.ask("stackTrace", threadId=1)["body"]["stackFrames"][0]["line"] == halt - 1
    client.ask("setBreakpoints", source=source, breakpoints=[])
    client.ask("continue")
    assert client.event()[1]["reason"] == "pause"
    scopes = {one["name"]: one["variablesReference"] for one in client.ask("scopes", frameId=1)["body"]["scopes"]}
    registers = client.ask("variables", variablesReference=scopes["Registers"])["body"]["variables"]
    assert {one["name"]: one["value"] for one in registers}["t0"] == "20 (0x14)"
    memories = {one["name"]: one for one in client.ask("variables", variablesReference=scopes["Memories"])["body"]["variables"]}
    rows = client.ask("variables", variablesReference=memories["c"]["variablesReference"])["body"]["variables"]
    assert np.array_equal([[int(cell) for cell in row["value"].split()] for row in rows], a.astype(int) @ b)
    assert client.ask("evaluate", expression="t1", context="watch")["body"]["result"] == "t1 = 7 (0x7)"
    assert "cycle 3:" in client.ask("evaluate", expression="goto 3", context="repl")["body"]["result"]
    assert client.event()[1]["reason"] == "goto"
    assert not client.ask("evaluate", expression="nonsense", context="repl")["success"]
    assert client.ask("disconnect")["success"]
    assert client.event()[0] == "terminated"
    assert client.process.wait(20) == 0


def test_no_message(tmp_path: Path) -> None:
    """Bytes that are no message end it with exit code 2 and what was expected."""
    command = [sys.executable, "-c", "from accelkit.cli.accel_sim import main; main(['dap'])"]
    for text in (b"hello\r\n\r\n", b"Content-Length: 3\r\n\r\n{]}", b"Content-Length: 99999999999\r\n\r\n"):
        done = subprocess.run(command, input=text, capture_output=True, cwd=tmp_path, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(b"error: ")
        assert b"Traceback" not in done.stderr
