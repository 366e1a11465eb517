"""Sessions: launches on memories that survive them (docs/adr/0005)."""

import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine, load_machine
from accelkit.isa.program import Program
from accelkit.isa.row import Memory
from accelkit.isa.table import ISA_VERSION
from accelkit.isa.units import QUEUED_UNITS, CycleClass, Port, SequencerClass
from accelkit.simulator import arguments, compilation, descriptors, explain, passes
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.decode import decode_program
from accelkit.simulator.observe import Ending, Observer, sees_scalars
from accelkit.simulator.passes import Mode
from accelkit.simulator.read_only import ReadOnly
from accelkit.simulator.result import FaultReport, LaunchError, LaunchResult, Traffic, Verdict
from accelkit.simulator.reuse import Launches, Recorder, timed
from accelkit.simulator.room import Room
from accelkit.simulator.storage import Storage

DEFAULT_MAX_CYCLES = 1 << 34  # 17 s of the machine's time; an empty endless loop gets there in minutes
LARGEST_MAX_CYCLES = 1 << 60
_VERDICTS = {
    st.HALTED: Verdict.HALTED,
    st.FAULTED: Verdict.DISPATCH_FAULT,
    st.PORT_FAULTED: Verdict.PORT_FAULT,
    st.DEADLOCK: Verdict.DEADLOCK,
    st.BOUND: Verdict.BOUND,
}
_CYCLE_CLASSES, _SEQUENCER_CLASSES = tuple(CycleClass), tuple(SequencerClass)


class Session(Storage):
    """A machine with its memories.

    Scratchpad, accumulator and DRAM keep their contents and initialised marks from launch to launch. With `check`, every launch is
    checked for races, unordered use of banks, reads of what nothing wrote, accesses outside buffers, overflow and token leaks.
    `observers` are shown what happens in every launch. A `jitter` from 1 to 2^32 - 1 is the seed of legal delays of all units in every
    launch (docs/adr/0015); 0 is the machine as it is. `mode` says whether launches are for cycles, for values, or for both.
    With two `threads`, values are computed beside the timing of what comes after them; nothing else changes.
    """

    def __init__(
        self,
        machine: Machine | str,
        check: bool = True,
        observers: Sequence[Observer] = (),
        jitter: int = 0,
        mode: Mode = Mode.FULL,
        threads: int = 1,
    ) -> None:
        if not 0 <= jitter < 1 << 32:
            raise ValueError(f"jitter = {jitter}: expected a seed from 1 to {(1 << 32) - 1}, or 0 for none")
        super().__init__(load_machine(machine) if isinstance(machine, str) else machine)
        self.mode = mode
        self.threads = threads
        self.is_checking = check and mode is Mode.FULL
        self.jitter = jitter
        self.observers = tuple(observers)
        self.label = ""  # what the next launches are for; observers are told
        self._sequence = np.zeros(len(Port), np.int64)
        self._launches = Launches()
        self._room = Room(self.machine)

    def launch(
        self,
        program: Program,
        argument_words: Sequence[int] = (),
        max_cycles: int = DEFAULT_MAX_CYCLES,
        trace: bool = False,
    ) -> LaunchResult:
        """Run a program to its end. LaunchError, with the result so far, if it does not halt; ValueError if it can't start."""
        words = tuple(map(operator.index, argument_words))
        is_watched = trace or bool(self.observers)
        key = (id(program), words, max_cycles, self.is_checking, self.mode, self.jitter)
        known = None if is_watched else self._launches.find(key, program)
        if known is not None and self.mode is Mode.TIMING:
            self._sequence = self._sequence + known.counted
            return known.result
        self._check_start(program, words, max_cycles)
        compilation.prepare(self.machine, self.memories, self.shadow)
        self.shadow.fault[:] = 0
        if is_watched:
            return self._launch(program, words, max_cycles, trace)[0]
        if self.mode is Mode.TIMING:
            before = self._sequence
            result = self._launch(program, words, max_cycles)[0]
            self._launches.keep(key, timed(program, result, self._sequence - before))
            return result
        if known is not None and known.holds(self.shadow):
            overflow = known.execute(descriptors.config(self.machine), self.memories, self.shadow)
            if overflow >= 0:
                return self._launch(program, words, max_cycles, overflow=overflow)[0]
            self._sequence = self._sequence + known.counted
            known.leave(self.shadow, self._sequence)
            return known.result
        if known is not None or not self._launches.is_seen(key):
            return self._launch(program, words, max_cycles)[0]
        recorder = Recorder(program, self.shadow, self._sequence, self.is_checking)
        result, is_whole = self._launch(program, words, max_cycles, recorder=recorder)
        if is_whole:
            self._launches.keep(key, recorder.known(result, self._sequence))
        return result

    def _check_start(self, program: Program, words: Sequence[int], max_cycles: int) -> None:
        """ValueError if the program can't start with these argument words."""
        m = self.machine
        if len(program.words) > m.instruction_words:
            raise ValueError(
                f"{program.name}: {len(program.words)} words; {m.name} has memory for {m.instruction_words}"
            )
        if len(words) > m.argument_words:
            raise ValueError(f"{program.name}: {len(words)} arguments; {m.name} has memory for {m.argument_words}")
        if program.isa_version[0] != ISA_VERSION[0] or program.isa_version > ISA_VERSION:
            raise ValueError(
                f"{program.name}: made for ISA version {'{}.{}'.format(*program.isa_version)}, this simulator has"
                f" {'{}.{}'.format(*ISA_VERSION)}; assemble it again, or use the accelkit it was made with"
            )
        for place, word in enumerate(words):
            if not -(1 << 31) <= word < 1 << 32:
                raise ValueError(f"{program.name}: argument word {place} = {word} does not fit 32 bits")
        if not 1 <= max_cycles <= LARGEST_MAX_CYCLES:
            raise ValueError(f"max_cycles = {max_cycles}: expected 1 to {LARGEST_MAX_CYCLES}")

    def _launch(
        self,
        program: Program,
        words: tuple[int, ...],
        max_cycles: int,
        trace: bool = False,
        recorder: Recorder | None = None,
        overflow: int = -1,
    ) -> tuple[LaunchResult, bool]:
        """Launch from the beginning; also whether whole instructions were executed in order of issue. `overflow`: they have been, up to
        that one, whose sum overflowed."""
        m = self.machine
        code = decode_program(tuple(program.words))
        sequence, jitter = self._sequence, self.jitter

        def again(most_cycles: int, is_tracing: bool = False) -> st.Launch:
            return descriptors.launch(m, code, words, min(most_cycles, max_cycles), sequence, is_tracing, jitter=jitter)

        if trace or self.observers:
            log = bool(self.observers), sees_scalars(self.observers)
            start = descriptors.launch(m, code, words, max_cycles, sequence, trace, *log, jitter)
        else:
            start = self._room.launch(code, words, max_cycles, sequence, jitter, has_chunk=self.mode is not Mode.TIMING)
        for observer in self.observers:
            observer.begin(m, program)
        watch = recorder.see if recorder is not None else self._watch if self.observers else None
        try:
            if overflow >= 0:
                ran = passes.overflow(m, start, self.memories, self.shadow, overflow)
            else:
                ran = passes.run(m, start, self.memories, self.shadow, self.is_checking, watch, self.mode, self.threads)
        finally:  # also after an interrupt, for places are marked with numbers up to these
            self._sequence = start.timing["sequence"].copy()
        status, run = ran.status, ran.launch
        if ran.stopped >= 0:
            run = passes.until(m, again(max_cycles, trace), ran.stopped)._replace(chunk=run.chunk)
        result = self._result(run, status)
        if result.fault is not None:
            from accelkit.simulator.sanitiser.investigate import (
                investigate,  # a run without faults starts sooner
            )
            from accelkit.simulator.sanitiser.scene import Scene

            buffers = [(b.name, b.address, b.nbytes, b.is_writable) for b in self._buffers.values()]
            scene = Scene(program, m, run, self.memories, self.shadow, buffers, again)
            result = replace(result, fault=replace(result.fault, detail=investigate(scene, result.fault)))
        is_cut_short = status == st.PORT_FAULTED or bool(self.shadow.fault[mem.F_CLASS])
        for observer in self.observers:
            observer.end(Ending(run, result.cycles, not is_cut_short, self.label))
        if result.verdict is not Verdict.HALTED:
            raise LaunchError(result, explain.describe(program, m, result, run, self.shadow))
        return result, ran.is_whole

    def run(
        self, program: Program, max_cycles: int = DEFAULT_MAX_CYCLES, /, **values: object
    ) -> LaunchResult:
        """Run a program with its declared arguments by name (any name): integers, and arrays for buffers. Output buffers get their shape
        from the declaration; `result[name]` is what the program wrote there.

        In a session for timing alone there are no outputs, and input buffers whose size follows from the declaration may be missing.
        """
        has_values = self.mode is not Mode.TIMING
        bound = arguments.bind(program, values, needs_contents=has_values)
        words: list[int] = []
        addresses: dict[str, int] = {}
        for binding in bound:
            if binding.nbytes is None:
                words.append(binding.value)
                continue
            name = f"{program.name}.{binding.name}.{len(self._buffers)}"
            address = self.allocate(name, max(1, binding.nbytes), binding.is_writable)
            if binding.content is not None and has_values:
                self.write(address, binding.content)
            addresses[binding.name] = address
            words.append(address)
        result = self.launch(program, words, max_cycles)
        outputs = {
            b.name: self.read(addresses[b.name], b.nbytes).view(b.dtype).reshape(b.shape)
            for b in bound
            if b.nbytes is not None and b.is_writable and has_values
        }
        return replace(result, outputs=outputs)

    def _watch(self, launch: st.Launch) -> None:
        for observer in self.observers:
            observer.see(launch)

    def _result(self, run: st.Launch, status: int) -> LaunchResult:
        timing = run.timing
        verdict = _VERDICTS.get(status, Verdict.HALTED)
        fault: FaultReport | None = None
        if self.shadow.fault[mem.F_CLASS]:
            record = run.chunk[self.shadow.fault[mem.F_INDEX]]
            verdict = Verdict.CHECKER_FAULT
            fault = FaultReport(Fault(int(self.shadow.fault[mem.F_CLASS])), int(record.pc), int(record.s))
        elif verdict is Verdict.HALTED and self.is_checking and timing["posted"].tobytes() != timing["waited"].tobytes():
            verdict = Verdict.CHECKER_FAULT
            fault = FaultReport(Fault.TOKEN_LEAK, int(timing.pc), int(timing.last))
        elif verdict in (Verdict.DISPATCH_FAULT, Verdict.PORT_FAULT):
            fault = FaultReport(Fault(int(timing.fault)), int(timing.fault_pc), int(timing.fault_cycle))
        units = zip(QUEUED_UNITS, timing["unit_class"].tolist(), strict=True)
        return LaunchResult(
            verdict=verdict,
            cycles=int(timing["last_event"]) + 1,
            registers=tuple(timing["registers"].tolist()),
            units=ReadOnly({unit: ReadOnly(zip(_CYCLE_CLASSES, cycles, strict=True)) for unit, cycles in units}),
            sequencer=ReadOnly(zip(_SEQUENCER_CLASSES, timing["sequencer_class"].tolist(), strict=True)),
            fault=fault,
            traffic=self._traffic(timing["moved"].tolist()),
            instructions=int(timing["dispatches"]),
            trace=run.trace[: timing.dispatches] if timing["is_tracing"] else None,
        )

    def _traffic(self, moved: list[list[int]]) -> dict[Memory, Traffic]:
        m = self.machine
        row_bytes = {Memory.SCRATCHPAD: m.lanes, Memory.ACCUMULATOR: 4 * m.array_columns, Memory.DRAM: 1}
        return ReadOnly(
            {memory: Traffic(moved[memory][0] * nbytes, moved[memory][1] * nbytes) for memory, nbytes in row_bytes.items()}
        )
