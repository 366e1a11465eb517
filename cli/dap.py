"""The debug adapter: the Debug Adapter Protocol in front of the debugger's commands.

One thread, the sequencer, with one stack frame: the instruction that dispatches next. The launch is recorded before the first stop, so
the end is a stop like others, from which one can go back.
"""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, BinaryIO

from accelkit.cli.debugger import CommandError, Debugger
from accelkit.cli.request import make_request
from accelkit.cli.sources import read_sources
from accelkit.isa.program import ArgumentKind
from accelkit.isa.registers import ABI_NAMES
from accelkit.simulator import places
from accelkit.simulator.recording import record
from accelkit.simulator.session import DEFAULT_MAX_CYCLES, Session

_THREAD = 1
_SCOPES = ("Registers", "Tokens", "Memories")  # variablesReference 1, 2, 3
_FIRST_MEMORY = 100  # variablesReference of the first region or buffer
_MOST_BYTES = 1 << 24  # of a message
_MOVES = {
    "continue": "continue",
    "reverseContinue": "back",
    "next": "step",
    "stepIn": "step",
    "stepOut": "continue",
    "stepBack": "back step",
}
Body = dict[str, Any]


class ProtocolError(Exception):
    """Bytes that are no message."""


def read_message(stream: BinaryIO) -> Body | None:
    """The next message, None at the end; ProtocolError."""
    length = -1
    while True:
        header = stream.readline(1000)
        if not header:
            return None
        name, _, value = header.decode("ascii", "replace").strip().partition(":")
        if not name:
            break
        if name.lower() == "content-length" and value.strip().isdecimal():
            length = int(value)
    if not 0 <= length <= _MOST_BYTES:
        raise ProtocolError("expected a header Content-Length: BYTES before each message")
    try:
        message = json.loads(stream.read(length))
    except ValueError as error:
        raise ProtocolError(f"a message is no JSON: {error}") from None
    if not isinstance(message, dict):
        raise ProtocolError("a message is no JSON object")
    return message


class Adapter:
    """Answers requests of a client on two streams until it disconnects."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._sent = 0
        self._debugger: Debugger | None = None
        self._program = ""
        self._lines: dict[str, list[int]] = {}  # numbers of the stops of each file
        self._answers: dict[str, Callable[[Body], Body]] = {
            "initialize": self._initialize,
            "launch": self._launch,
            "setBreakpoints": self._set_breakpoints,
            "setExceptionBreakpoints": lambda _: {},
            "configurationDone": lambda _: {},
            "threads": lambda _: {"threads": [{"id": _THREAD, "name": "sequencer"}]},
            "stackTrace": self._stack_trace,
            "scopes": self._scopes,
            "variables": self._variables,
            "evaluate": self._evaluate,
            "disconnect": lambda _: {},
            "terminate": lambda _: {},
        }

    def serve(self) -> None:
        """Answer until the client disconnects or its stream ends; ProtocolError."""
        while (message := read_message(self._source)) is not None:
            command = str(message.get("command"))
            given = message.get("arguments")
            self._answer(message, command, given if isinstance(given, dict) else {})
            if command in ("disconnect", "terminate"):
                self._event("terminated", {})
                return

    def _answer(self, message: Body, command: str, given: Body) -> None:
        answer: Body = {"type": "response", "request_seq": message.get("seq"), "command": command}
        before = self._debugger.state.cycle if self._debugger else 0
        try:
            if command in _MOVES:
                list(self._there.execute(_MOVES[command]))
                body: Body = {"allThreadsContinued": True}
            elif command in self._answers:
                body = self._answers[command](given)
            else:
                raise CommandError(f"{command}: not a request that this adapter knows")
        except (CommandError, ValueError) as error:
            self._send({**answer, "success": False, "message": str(error)})
            return
        except (TypeError, KeyError, AttributeError) as error:  # something has another type than it should, or is missing
            self._send({**answer, "success": False, "message": f"{command}: arguments are not as the protocol says: {error!r}"})
            return
        self._send({**answer, "success": True, "body": body})
        if command == "launch":
            self._event("initialized", {})
        elif command == "configurationDone":
            self._stopped("entry")
        elif command in _MOVES:
            self._stopped("step" if "step" in _MOVES[command] else "breakpoint")
        elif command == "evaluate" and self._debugger and self._debugger.state.cycle != before:
            self._stopped("goto")

    def _send(self, message: Body) -> None:
        self._sent += 1
        content = json.dumps({"seq": self._sent, **message}).encode()
        self._sink.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self._sink.flush()

    def _event(self, name: str, body: Body) -> None:
        self._send({"type": "event", "event": name, "body": body})

    def _stopped(self, reason: str) -> None:
        there = self._there
        hits = there.hits()
        if reason == "breakpoint" and not hits:
            reason = "pause"  # the first cycle or the end
        text = "\n".join([*there.execute("where"), *hits])
        self._event("stopped", {"reason": reason, "threadId": _THREAD, "allThreadsStopped": True, "text": text, "description": text})

    @property
    def _there(self) -> Debugger:
        if self._debugger is None:
            raise CommandError("nothing is launched")
        return self._debugger

    def _initialize(self, _: Body) -> Body:
        return {"supportsConfigurationDoneRequest": True, "supportsStepBack": True, "supportsEvaluateForHovers": True}

    def _launch(self, given: Body) -> Body:
        """Options as on the command line: program, machine, args and in (lists of NAME=VALUE), maxCycles, check."""
        messages = io.StringIO()
        max_cycles = given.get("maxCycles")
        if max_cycles is not None and (not isinstance(max_cycles, int) or max_cycles < 1):
            raise ValueError(f"maxCycles = {max_cycles!r}: expected a number of 1 or more")
        self._program = str(given.get("program", ""))
        try:
            with redirect_stderr(messages):  # where the options' messages go
                request = make_request(
                    self._program,
                    str(given.get("machine", "edge-16")),
                    tuple(map(str, given.get("args", ()))),
                    tuple(map(str, given.get("in", ()))),
                    max_cycles,
                    bool(given.get("check", True)),
                )
                session = Session(request.machine, request.is_checking)
                recording = record(session, request.program, lambda: request.launch(session, DEFAULT_MAX_CYCLES))
        except SystemExit:
            raise CommandError(messages.getvalue().strip()) from None
        self._debugger = Debugger(recording, read_sources(request.program, self._program))
        return {}

    def _set_breakpoints(self, given: Body) -> Body:
        name = Path(str(given.get("source", {}).get("path", ""))).name
        for number in self._lines.pop(name, []):
            list(self._there.execute(f"delete {number}"))
        numbers = self._lines[name] = []
        answers: list[Body] = []
        for wanted in given.get("breakpoints", []):
            line = int(wanted["line"])
            try:
                text = next(self._there.break_at([f"{name}:{line}"]))
                numbers.append(int(text.partition(":")[0]))
                answers.append({"verified": True, "line": line})
            except ValueError as error:
                answers.append({"verified": False, "line": line, "message": str(error)})
        return {"breakpoints": answers}

    def _stack_trace(self, _: Body) -> Body:
        recording, cycle = self._there.recording, self._there.state.cycle
        index = min(recording.next_dispatch(cycle), len(recording.dispatches) - 1)
        pc = recording.dispatches[index].pc
        line = recording.program.lines[pc] if 0 <= pc < len(recording.program.lines) else None
        frame: Body = {"id": 1, "name": next(self._there.execute("where")), "line": 0, "column": 0}
        if line is not None:
            beside = Path(self._program).parent / line.file
            path = beside if beside.exists() else Path(line.file)
            source = {"name": path.name, "path": str(path.absolute())}
            frame = {**frame, "line": line.line, "column": line.column, "source": source}
        return {"stackFrames": [frame], "totalFrames": 1}

    def _scopes(self, _: Body) -> Body:
        return {"scopes": [{"name": name, "variablesReference": n, "expensive": False} for n, name in enumerate(_SCOPES, 1)]}

    def _variables(self, given: Body) -> Body:
        return {"variables": list(self._values(int(given.get("variablesReference", 0))))}

    def _values(self, reference: int) -> Iterator[Body]:
        """Registers, tokens, names of memories, or the rows of one."""
        there = self._there
        memories = self._memories()
        if reference == 1:
            for name, value in zip(ABI_NAMES, there.state.registers.tolist(), strict=True):
                yield {"name": name, "value": f"{value - (value >> 31 << 32)} ({value:#x})", "variablesReference": 0}
        elif reference == 2:
            for name, count in there.recording.tokens(there.state.cycle).items():
                yield {"name": there.recording.program.channel_text(name), "value": str(count), "variablesReference": 0}
        elif reference == 3:
            for number, name in enumerate(memories):
                place = places.find(there.recording, name)
                yield {"name": name, "value": f"{place.memory.name.lower()} {place.dtype}", "variablesReference": _FIRST_MEMORY + number}
        elif 0 <= reference - _FIRST_MEMORY < len(memories):
            text = "\n".join(there.execute(f"print {memories[reference - _FIRST_MEMORY]}"))
            for row in text.splitlines():
                name, _, value = row.partition(":")
                yield {"name": f"[{name.strip()}]" if value else "", "value": value.strip() or name, "variablesReference": 0}

    def _memories(self) -> list[str]:
        program = self._there.recording.program
        regions = [region.name for region in program.regions]
        return [*regions, *(a.name for a in program.arguments if a.kind is not ArgumentKind.VALUE)]

    def _evaluate(self, given: Body) -> Body:
        """A command of the debugger; outside its console, what to print."""
        text = str(given.get("expression", ""))
        line = text if given.get("context") == "repl" else f"print {text}"
        return {"result": "\n".join(self._there.execute(line)), "variablesReference": 0}
