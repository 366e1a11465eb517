"""A software pipeline as kernels write it: two tiles in turn, every unit busy, tokens as credits that run ahead of the sequencer."""

from accelkit.isa.units import CHANNELS, Port, Unit
from accelkit.simulator.generator.builder import Builder


def append_pipeline(builder: Builder, tiles: int) -> bool:
    """Append a loop load -> run -> requantise -> store over pairs of tiles that alternate between two banks; False if the machine has
    too few banks, or no place that fits."""
    machine, random = builder.machine, builder.random
    tile_rows = min(
        machine.scratchpad_bank_rows, machine.accumulator_bank_rows, random.choice((2, 5, machine.lanes))
    )
    source = [b for b in builder.image.buffers if not b.is_writable and b.nbytes >= tile_rows * machine.lanes]
    sink = [b for b in builder.image.buffers if b.is_writable and b.nbytes >= tile_rows * machine.lanes]
    blocks = [
        b
        for b in builder.image.parameter_blocks
        if b // machine.scratchpad_bank_rows == machine.scratchpad_banks - 1
    ]
    if machine.scratchpad_banks < 6 or machine.accumulator_banks < 2 or not source or not sink or not blocks:
        return False
    last = blocks[0] + machine.parameter_rows - 1
    if last >= machine.scratchpad_rows or tile_rows < 2:
        return False
    _Pipeline(builder, tile_rows, source[0].address, sink[0].address, blocks[0]).write(tiles)
    return True


class _Pipeline:
    """Banks 0 and 1 take inputs, 2 the weights, 3 and 4 outputs, the last one the parameter block."""

    def __init__(self, builder: Builder, rows: int, source: int, sink: int, parameters: int) -> None:
        self.builder, self.rows, self.source, self.sink, self.parameters = (
            builder,
            rows,
            source,
            sink,
            parameters,
        )

    def write(self, tiles: int) -> None:
        """Prologue, loop over `tiles` pairs of tiles, epilogue."""
        builder, bank = self.builder, self.builder.machine.scratchpad_bank_rows
        builder.emit("fence")
        builder.restart()
        row = self._hold(self.rows)
        size = self._hold(self.rows * builder.machine.lanes)
        width = self._hold(builder.machine.lanes)
        base = [self._hold(number * bank) for number in range(5)]
        acc = [self._hold(0), self._hold(builder.machine.accumulator_bank_rows)]
        source, sink, parameters = self._hold(self.source), self._hold(self.sink), self._hold(self.parameters)
        low, high, counter = self._hold(-128), self._hold(127), self._hold(tiles)
        builder.emit("fill.b", sp=base[2], rows=row, fill=high, post=_post(Port.LOAD, Unit.ARRAY, 0))
        builder.emit("sync.array", post=self._posts(Port.RUN, Unit.LOAD))
        builder.emit("sync.vector", post=self._posts(Port.VECTOR, Unit.ARRAY))
        builder.emit("sync.store", post=self._posts(Port.STORE, Unit.VECTOR))
        columns = {"rows": row} if self.rows <= builder.machine.array_rows else {}
        builder.emit("preload", sp=base[2], **columns, wait=_wait(Port.LOAD, Unit.ARRAY, 0))
        first = len(builder.steps)
        for side in (0, 1):
            load = {"sp": base[side], "dram": source, "bytes": size, "block_step": 0}
            builder.emit(
                "load.b",
                **load,
                wait=_wait(Port.RUN, Unit.LOAD, side),
                post=_post(Port.LOAD, Unit.ARRAY, side),
            )
            builder.emit(
                "run",
                acc=acc[side],
                sp=base[side],
                rows=row,
                wait=_wait(Port.LOAD, Unit.ARRAY, side) | _wait(Port.VECTOR, Unit.ARRAY, side),
                post=_post(Port.RUN, Unit.LOAD, side) | _post(Port.RUN, Unit.VECTOR, side),
            )
            clamp = {"params": parameters, "min": low, "max": high}
            builder.emit(
                "requantise",
                sp=base[3 + side],
                acc=acc[side],
                rows=row,
                **clamp,
                wait=_wait(Port.RUN, Unit.VECTOR, side) | _wait(Port.STORE, Unit.VECTOR, side),
                post=_post(Port.VECTOR, Unit.ARRAY, side) | _post(Port.VECTOR, Unit.STORE, side),
            )
            builder.emit(
                "store.b",
                dram=sink,
                sp=base[3 + side],
                bytes=width,
                rows=row,
                stride=width,
                wait=_wait(Port.VECTOR, Unit.STORE, side),
                post=_post(Port.STORE, Unit.VECTOR, side),
            )
        builder.emit("addi", rd=counter, rs1=counter, imm=-1)
        builder.emit("bne", first, rs1=counter, rs2=0)
        builder.emit("sync.load", wait=self._waits(Port.RUN, Unit.LOAD))
        builder.emit("sync.array", wait=self._waits(Port.VECTOR, Unit.ARRAY))
        builder.emit("sync.vector", wait=self._waits(Port.STORE, Unit.VECTOR))
        builder.emit("fence")
        builder.reserved = {0}
        builder.restart()
        builder.has_weights = True

    def _hold(self, value: int) -> int:
        number = self.builder.free_register()
        self.builder.emit("li", rd=number, imm=value)
        self.builder.reserved.add(number)
        return number

    def _posts(self, producer: Port, consumer: Unit) -> int:
        return _post(producer, consumer, 0) | _post(producer, consumer, 1)

    def _waits(self, producer: Port, consumer: Unit) -> int:
        return _wait(producer, consumer, 0) | _wait(producer, consumer, 1)


def _wait(producer: Port, consumer: Unit, index: int) -> int:
    """The wait mask of one channel."""
    return next(
        1 << c.wait_bit for c in CHANNELS if (c.producer, c.consumer, c.index) == (producer, consumer, index)
    )


def _post(producer: Port, consumer: Unit, index: int) -> int:
    """The post mask of one channel."""
    return next(
        1 << c.post_bit for c in CHANNELS if (c.producer, c.consumer, c.index) == (producer, consumer, index)
    )
