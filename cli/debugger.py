"""Commands of `accel-sim debug`: text in, text out."""

from collections.abc import Callable, Iterator

from accelkit.isa.registers import REGISTER_NUMBERS
from accelkit.simulator import places, snapshot, stops
from accelkit.simulator.lines import Sources
from accelkit.simulator.recording import Recording
from accelkit.simulator.rewind import Rewind

HELP = """\
break LABEL | LINE | FILE:LINE    stop when an instruction dispatches
break cycle N                     stop at a cycle
break token CHANNEL               stop when a token of CHANNEL (load->array.0, or its .token) is posted or taken
break read|write|access PLACE     stop when an instruction that touches PLACE issues
break fault                       stop at the fault (set at first)
watch REGISTER | CHANNEL | PLACE  stop when its value has changed
delete N                          remove a breakpoint or watch; breaks lists them
continue, back                    to the next stop, to the one before
step [N], back step [N]           N dispatches on, or back
cycle [N], back cycle [N]         N cycles on, or back
goto N                            to the beginning of cycle N
print registers | tokens | queues | REGISTER
print PLACE [TYPE]                as a matrix of int8, uint8, int32 or float32
where                             the cycle and the instruction that dispatches next
quit

PLACE is a .region, a buffer argument, sp[FIRST:END], acc[FIRST:END] (rows) or dram[FIRST:END] (bytes).
The state shown is that at the beginning of a cycle: all that earlier cycles did, nothing of this one."""


class CommandError(Exception):
    """A command that can't be done; the text says why."""


class Debugger:
    """A recorded launch and a place in it. `execute` takes a command and gives the lines to print."""

    def __init__(self, recording: Recording, sources: Sources) -> None:
        self._recording = recording
        self._sources = sources
        self._state = Rewind(recording)
        self._stops: dict[int, stops.Stop] = {1: stops.breakpoint_at(recording, ["fault"])}
        self._numbers = 1  # given so far
        self.is_done = False
        self._commands: dict[str, Callable[[list[str]], Iterator[str]]] = {
            "help": self._help,
            "break": self.break_at,
            "watch": self._watch,
            "breaks": self._breaks,
            "delete": self._delete,
            "continue": self._continue,
            "back": self._back,
            "step": self._step,
            "cycle": self._cycle,
            "goto": self._goto,
            "print": self._print,
            "where": self._where,
            "quit": self._quit,
        }

    @property
    def recording(self) -> Recording:
        """The launch."""
        return self._recording

    @property
    def state(self) -> Rewind:
        """Where it is."""
        return self._state

    def hits(self) -> list[str]:
        """What stops here."""
        return [
            f"stop {number}: {text or f'break {stop.text}'}"
            for number, stop in self._stops.items()
            for at, text in stop.hits
            if at == self._state.cycle
        ]

    def execute(self, line: str) -> Iterator[str]:
        """Lines to print for a command (# begins a comment; a command's name may be cut short); CommandError."""
        words = line.partition("#")[0].split()
        if not words:
            return
        names = [name for name in self._commands if name.startswith(words[0])]
        name = words[0] if words[0] in self._commands else names[0] if len(names) == 1 else ""
        if not name:
            known = ", ".join(names or self._commands)
            raise CommandError(f"{words[0]}: expected a command: {known}; help says what they do")
        try:
            yield from self._commands[name](words[1:])
        except ValueError as error:
            raise CommandError(str(error)) from None

    # Places to stop

    def _add(self, kind: str, stop: stops.Stop) -> Iterator[str]:
        self._numbers += 1
        self._stops[self._numbers] = stop
        yield f"{self._numbers}: {kind} {stop.text}: {_times(stop)}"

    def break_at(self, words: list[str]) -> Iterator[str]:
        """The command `break`; ValueError."""
        return self._add("break", stops.breakpoint_at(self._recording, words))

    def _watch(self, words: list[str]) -> Iterator[str]:
        if len(words) != 1:
            raise ValueError("watch: expected a register, a channel or a place")
        return self._add("watch", stops.watch(self._recording, words[0]))

    def _breaks(self, words: list[str]) -> Iterator[str]:
        _expect_none("breaks", words)
        for number, stop in self._stops.items():
            yield f"{number}: {stop.text}: {_times(stop)}"

    def _delete(self, words: list[str]) -> Iterator[str]:
        number = _number("delete", words, None)
        if number not in self._stops:
            raise ValueError(f"delete {number}: no breakpoint of that number; breaks lists them")
        del self._stops[number]
        yield from ()

    # Moves

    def _go(self, cycle: int) -> Iterator[str]:
        """Move, then say where and what stops there."""
        self._state.go(min(max(cycle, 0), self._recording.end))
        yield from self._where([])
        yield from self.hits()

    def _continue(self, words: list[str]) -> Iterator[str]:
        _expect_none("continue", words)
        cycles = [at for stop in self._stops.values() for at, _ in stop.hits if at > self._state.cycle]
        return self._go(min(cycles, default=self._recording.end))

    def _back(self, words: list[str]) -> Iterator[str]:
        match words:
            case []:
                cycles = [at for stop in self._stops.values() for at, _ in stop.hits if at < self._state.cycle]
                return self._go(max(cycles, default=0))
            case ["step", *rest]:
                index = self._recording.next_dispatch(self._state.cycle) - _number("back step", rest, 1)
                return self._go(self._recording.dispatches[max(index, 0)].d)
            case ["cycle", *rest]:
                return self._go(self._state.cycle - _number("back cycle", rest, 1))
        raise ValueError("back: expected nothing, step [N] or cycle [N]")

    def _step(self, words: list[str]) -> Iterator[str]:
        index = self._recording.next_dispatch(self._state.cycle + 1) + _number("step", words, 1) - 1
        dispatches = self._recording.dispatches
        return self._go(dispatches[index].d if index < len(dispatches) else self._recording.end)

    def _cycle(self, words: list[str]) -> Iterator[str]:
        return self._go(self._state.cycle + _number("cycle", words, 1))

    def _goto(self, words: list[str]) -> Iterator[str]:
        cycle = _number("goto", words, None)
        if cycle > self._recording.end:
            raise ValueError(f"goto {cycle}: the launch ends at cycle {self._recording.end}")
        return self._go(cycle)

    # What to see

    def _print(self, words: list[str]) -> Iterator[str]:
        match words:
            case ["registers"]:
                yield snapshot.registers(self._state.registers)
            case ["tokens"]:
                yield snapshot.tokens(self._recording, self._state.cycle)
            case ["queues"]:
                yield snapshot.queues(self._recording, self._state.cycle, self._sources)
            case [name] if name in REGISTER_NUMBERS:
                value = int(self._state.registers[REGISTER_NUMBERS[name]])
                yield f"{name} = {value - (value >> 31 << 32)} ({value:#x})"
            case [place, *types] if len(types) <= 1:
                if types and types[0] not in places.TYPES:
                    raise ValueError(f"print {place}: {types[0]} is no type; expected {', '.join(places.TYPES)}")
                found = places.find(self._recording, place)
                yield snapshot.matrix(found.read(self._state.memories, *types), found.columns(*types))
            case _:
                raise ValueError("print: expected registers, tokens, queues, a register, or PLACE [TYPE]")

    def _where(self, words: list[str]) -> Iterator[str]:
        _expect_none("where", words)
        yield snapshot.location(self._recording, self._state.cycle, self._sources)

    def _help(self, words: list[str]) -> Iterator[str]:
        _expect_none("help", words)
        yield HELP

    def _quit(self, words: list[str]) -> Iterator[str]:
        _expect_none("quit", words)
        self.is_done = True
        yield from ()


def _times(stop: stops.Stop) -> str:
    count = len(stop.hits)
    return f"{count} {'stop' if count == 1 else 'stops'}" + (f", the first at cycle {stop.hits[0][0]}" if count else "")


def _expect_none(name: str, words: list[str]) -> None:
    if words:
        raise ValueError(f"{name}: expected nothing after it, found {' '.join(words)}")


def _number(name: str, words: list[str], default: int | None) -> int:
    """The one number after a command."""
    if not words and default is not None:
        return default
    if len(words) == 1 and words[0].isascii() and words[0].isdecimal():
        return int(words[0])
    raise ValueError(f"{name}: expected a number of 0 or more")
