"""What a tiling costs: planners choose among tilings by it, and nothing else rests on it.

`gemm` and `conv2d` work alike: passes over the tiles of the output, a tile in steps, a step in products. What one of these costs each unit
is known; how they overlap is a recurrence over the steps like that of the machine itself (ADR 0003), only coarser. The simulator is the
judge of cycles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from accelkit.isa.machine import Machine

STEP_LOADS = 3  # load instructions of a step
SIMULATED = 3  # repetitions of the same that the estimate goes through
PARAMETER_ROWS = 8
VECTOR_LATENCY_CYCLES = 6


def near_equal_parts(total: int, largest: int) -> Iterator[int]:
    """Sizes of the parts of `total`, at most `largest` each, largest first: the few coarsest cuts, then ever finer ones."""
    if largest < 1:
        return
    coarsest = -(-total // largest)
    counts = [coarsest, coarsest + 1, coarsest + 2]
    while counts[-1] < total:
        counts.append(counts[-1] * 3 // 2)
    last = 0
    for count in counts:
        part = -(-total // min(count, total))
        if part != last:
            yield part
        last = part


def parts(total: int, size: int) -> list[tuple[int, int]]:
    """(size, how many) of the parts of `total`: full ones, then the rest."""
    full, rest = divmod(total, size)
    return ([(size, full)] if full else []) + ([(rest, 1)] if rest else [])


@dataclass(frozen=True)
class Scalars:
    """Cycles of a kernel's scalar instructions and branches, counted in asm/*.s."""

    step: int
    round: int
    product: int
    tile: int  # the end of a tile, and
    block: int  # of each of its column blocks


@dataclass(frozen=True)
class StepCost:
    """A step: cycles of its loads, `rounds` k blocks (of all taps) of `blocks` products that stream `rows` rows each."""

    load: int
    rounds: int
    blocks: int
    rows: int


@dataclass(frozen=True)
class TileCost:
    """A tile: steps and how many of each, cycles of its store; of an end that isn't plain, cycles and instructions of the vector unit
    besides requantise, and cycles of the sequencer."""

    steps: Sequence[tuple[StepCost, int]]
    store: int
    epilogue: int = 0
    instructions: int = 0
    scalars: int = 0

    @property
    def last(self) -> StepCost:
        """The step that ends the tile."""
        return self.steps[-1][0]


def product_cycles(machine: Machine, step: StepCost, operands_share: bool) -> int:
    """Cycles from one product of a step to the next: its run, or the preload that hides behind it."""
    return max(step.rows, machine.array_rows) + (machine.array_rows if operands_share else 0)


Pass = Sequence[tuple[TileCost, int]]  # tiles and how many of each


@dataclass
class Pipeline:
    """Times at which the units are done with what came so far; `step`, `tile` and what is made of them move them on."""

    machine: Machine
    kernel: Scalars
    operands_share: bool
    is_serial: bool
    load: int = 0
    run: int = 0
    completed: list[int] = field(default_factory=lambda: [0, 0])  # of the latest two steps
    vector: list[int] = field(default_factory=lambda: [0, 0])  # of the latest two tiles
    store: list[int] = field(default_factory=lambda: [0, 0])
    scalars: int = 0  # cycles of the sequencer since the last product
    queued: int = 0  # cycles of products that the array's queue held then

    def step(self, step: StepCost, begins_tile: bool) -> None:
        """Loads, then products."""
        m = self.machine
        products, product = step.rounds * step.blocks, product_cycles(m, step, self.operands_share)
        loads = max(step.load, STEP_LOADS * m.dram_read_latency_cycles // m.outstanding)
        self.load = max(self.load, self.completed[0]) + loads
        start = max(
            self.run + max(0, self.scalars - self.queued),
            self.load + m.dram_read_latency_cycles + m.array_rows * (self.run == 0),
            self.vector[0] if begins_tile else 0,
        )
        scalars = self.kernel.round * step.rounds + self.kernel.product * products
        self.run = start + max(products * product, scalars)
        self.completed = [self.completed[1], self.run + m.array_rows + m.array_columns + 1]
        self.queued = min(m.queue_depth // 2, products) * product
        self.scalars = self.kernel.step

    def tile(self, tile: TileCost) -> None:
        """All steps, then requantise and store."""
        begins_tile = True
        for step, count in tile.steps:
            for i in range(min(count, SIMULATED)):
                before = self.run
                self.step(step, begins_tile)
                begins_tile = False
                self._shift(i, count, before)
        m, blocks = self.machine, tile.last.blocks
        requantise = PARAMETER_ROWS + tile.last.rows + VECTOR_LATENCY_CYCLES
        start = max(self.vector[1], self.completed[1], self.store[0])
        self.vector = [self.vector[1], start + blocks * requantise + tile.epilogue]
        stored = max(self.vector[1], self.store[1] - m.dram_write_latency_cycles) + tile.store + m.dram_write_latency_cycles
        self.store = [self.store[1], stored]
        self.scalars += self.kernel.tile + self.kernel.block * blocks + tile.scalars
        if self.is_serial:
            self.run = stored
            return
        instructions = blocks + tile.instructions
        if instructions > m.queue_depth:  # what the vector unit's queue can't hold keeps the sequencer until it has room
            self.queued = 0
            self.run = max(self.run, start + (instructions - m.queue_depth) * requantise)

    def tiles(self, tiles: Pass) -> None:
        """A pass."""
        for tile, count in tiles:
            for i in range(min(count, SIMULATED)):
                before = self.run
                self.tile(tile)
                self._shift(i, count, before)

    def passes(self, passes: Sequence[tuple[Pass, int]]) -> None:
        """All passes, each so many times."""
        for tiles, count in passes:
            for i in range(min(count, SIMULATED)):
                before = self.run
                self.tiles(tiles)
                self._shift(i, count, before)

    def _shift(self, i: int, count: int, before: int) -> None:
        """After the last simulated repetition `i` of `count`, all times move on for each of the others as that one has moved them."""
        if i < SIMULATED - 1 or count == SIMULATED:
            return
        cycles = (count - SIMULATED) * (self.run - before)
        self.load += cycles
        self.run += cycles
        for times in (self.completed, self.vector, self.store):
            times[:] = [time + cycles for time in times]


def estimate_cycles(
    machine: Machine, kernel: Scalars, passes: Sequence[tuple[Pass, int]], operands_share: bool, is_serial: bool
) -> int:
    """Expected cycles of a launch that makes each pass so many times."""
    pipeline = Pipeline(machine, kernel, operands_share, is_serial)
    pipeline.passes(passes)
    return pipeline.store[1]


def least_cycles(machine: Machine, passes: Sequence[tuple[Pass, int]], operands_share: bool) -> int:
    """A lower bound of `estimate_cycles`: what the busiest of array, load and store has to do."""
    array = load = store = 0
    for tiles, passes_count in passes:
        for tile, tiles_count in tiles:
            count = passes_count * tiles_count
            store += count * tile.store
            for step, steps_count in tile.steps:
                load += count * steps_count * step.load
                array += count * steps_count * step.rounds * step.blocks * product_cycles(machine, step, operands_share)
    return max(array, load, store)
