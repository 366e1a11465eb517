"""Where a kernel's regions lie in the scratchpad, so that no two units ever want the same port of a bank at the same time.

A bank has one read and one write port. Operands are written by load and read by the array, parameter blocks are written by load and
read by the vector unit, outputs are written by the vector unit and read by store. So operands, parameters and outputs need banks of
their own; the two operands may share banks (one writer, one reader), but then a preload waits for the run before it. What an epilogue
needs is written and read by the same units as parameter blocks, but for the tile between requantise and epilogue, which only the
vector unit touches.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.plan import MAX_COUNT

NO_ROOM, APART, OPERANDS_SHARE, SERIAL = range(4)  # how regions share banks, see `Regions`


@dataclass(frozen=True)
class Halves:
    """Rows of one half of each region; every region has two halves."""

    first: int  # activations that stream
    second: int  # weights, or activations that are preloaded
    parameters: int
    outputs: int
    extra: int = 0  # of the epilogue: a table, or both halves of a residual
    middle: int = 0  # and the tile before it, once

    def walked(self) -> tuple[int, ...]:
        """Rows of what walks count over."""
        return self.first, self.second, self.parameters, self.outputs, self.middle

    def sizes(self) -> tuple[int, ...]:
        """Rows of the regions, in the order in which they lie."""
        return 2 * self.first, 2 * self.second, 2 * self.parameters, self.extra, self.middle, 2 * self.outputs

    def groups(self, operands_share: bool) -> tuple[int, ...]:
        """Rows of the regions that need banks of their own."""
        first, second, parameters, extra, middle, outputs = self.sizes()
        operands = (first + second,) if operands_share else (first, second)
        return *operands, parameters + extra, middle, outputs


@dataclass(frozen=True)
class Regions:
    """First rows of the regions.

    `operands_share` says that the two operands lie in common banks, `is_serial` that all regions do: the kernel then keeps the units
    apart with fences.
    """

    first: int
    second: int
    parameters: int
    extra: int
    middle: int
    outputs: int
    operands_share: bool = False
    is_serial: bool = False


def arrangement(machine: Machine, halves: Halves) -> npt.NDArray[np.int64]:
    """How regions can lie, with as much overlap of the units as the banks permit; of all tilings at once where `halves` has arrays."""
    bank = machine.scratchpad_bank_rows
    apart, together = (sum(-(-rows // bank) for rows in halves.groups(is_shared)) for is_shared in (False, True))
    is_small = reduce(np.maximum, halves.walked()) <= MAX_COUNT
    fits = [is_small & np.asarray(banks <= machine.scratchpad_banks) for banks in (apart, together)]
    fits.append(is_small & np.asarray(sum(halves.sizes()) <= machine.scratchpad_rows))
    return np.select(fits, (APART, OPERANDS_SHARE, SERIAL), NO_ROOM)


def lay_out(machine: Machine, halves: Halves) -> Regions | None:
    """The regions as they are arranged, None if they do not fit at all."""
    kind, bank = int(arrangement(machine, halves)), machine.scratchpad_bank_rows
    if kind == NO_ROOM:
        return None
    first, second, parameters, extra, middle, outputs = accumulate(halves.sizes()[:-1], initial=0)
    if kind == SERIAL:
        return Regions(first, second, parameters, extra, middle, outputs, operands_share=True, is_serial=True)
    groups = halves.groups(kind == OPERANDS_SHARE)
    *bases, parameters, middle, outputs = accumulate((-(-rows // bank) * bank for rows in groups[:-1]), initial=0)
    return Regions(
        first=0,
        second=second if kind == OPERANDS_SHARE else bases[1],
        parameters=parameters,
        extra=parameters + 2 * halves.parameters,
        middle=middle,
        outputs=outputs,
        operands_share=kind == OPERANDS_SHARE,
    )


def accumulator_halves(machine: Machine) -> tuple[int, int]:
    """(number of accumulator halves, rows of each): two in different banks, so that the vector unit reads one while the array adds to
    the other; one where there is a single bank."""
    if machine.accumulator_banks == 1:
        return 1, machine.accumulator_bank_rows
    return 2, machine.accumulator_banks // 2 * machine.accumulator_bank_rows


def memory_text(machine: Machine) -> str:
    """The machine's memories, as a refusal names them."""
    return (
        f"the scratchpad ({machine.scratchpad_rows} rows of {machine.lanes} bytes) and accumulator"
        f" ({machine.accumulator_rows} rows) of {machine.name}"
    )


def memory_values(
    machine: Machine, regions: Regions, halves: Halves, operands: tuple[str, str]
) -> dict[str, int]:
    """The value arguments that place the regions, `ending` without an epilogue; `operands` are the kernel's names of the first and the
    second."""
    acc_halves, acc_rows = accumulator_halves(machine)
    first, second = operands
    return {
        f"{first}_base": regions.first,
        f"{first}_half": halves.first,
        f"{second}_base": regions.second,
        f"{second}_half": halves.second,
        "parameter_base": regions.parameters,
        "parameter_half": halves.parameters,
        "output_base": regions.outputs,
        "output_half": halves.outputs,
        "extra_base": regions.extra,
        "middle_base": regions.middle,
        "acc_half": acc_rows if acc_halves == 2 else 0,
        "ending": int(regions.is_serial),
    }
