"""Where a kernel's regions lie in the scratchpad, so that no two units ever want the same port of a bank at the same time.

A bank has one read and one write port. Operands are written by load and read by the array, parameter blocks are written by load and
read by the vector unit, outputs are written by the vector unit and read by store. So operands, parameters and outputs need banks of
their own; the two operands may share banks (one writer, one reader), but then a preload waits for the run before it. What an epilogue
needs is written and read by the same units as parameter blocks, but for the tile between requantise and epilogue, which only the
vector unit touches.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Generic, TypeVar

from accelkit.isa.machine import Machine
from accelkit.kernels.estimate import Pass, Scalars, estimate_cycles, least_cycles
from accelkit.kernels.plan import MAX_COUNT

Tiles = TypeVar("Tiles")


@dataclass(frozen=True)
class Halves:
    """Rows of one half of each region; every region has two halves."""

    first: int  # activations that stream
    second: int  # weights, or activations that are preloaded
    parameters: int
    outputs: int
    extra: int = 0  # of the epilogue: a table, or both halves of a residual
    middle: int = 0  # and the tile before it, once

    def largest(self) -> int:
        """Rows of the largest half; walks over a half count no further."""
        return max(self.first, self.second, self.parameters, self.outputs, self.middle)


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


def lay_out(machine: Machine, halves: Halves) -> Regions | None:
    """The regions with as much overlap of the units as the banks permit, None if they do not fit at all."""
    if halves.largest() > MAX_COUNT:
        return None
    bank = machine.scratchpad_bank_rows
    first, second = 2 * halves.first, 2 * halves.second
    parameters, outputs = 2 * halves.parameters, 2 * halves.outputs
    for operands_share in (False, True):
        groups = [first + second] if operands_share else [first, second]
        groups += [parameters + halves.extra, halves.middle, outputs]
        banks = [-(-rows // bank) for rows in groups]
        if sum(banks) <= machine.scratchpad_banks:
            parameter_base, middle, output_base = (sum(banks[:-behind]) * bank for behind in (3, 2, 1))
            return Regions(
                first=0,
                second=first if operands_share else banks[0] * bank,
                parameters=parameter_base,
                extra=parameter_base + parameters,
                middle=middle,
                outputs=output_base,
                operands_share=operands_share,
            )
    sizes = (first, second, parameters, halves.extra, halves.middle, outputs)
    *bases, end = accumulate(sizes, initial=0)
    if end > machine.scratchpad_rows:
        return None
    a, b, c, d, e, f = bases
    return Regions(a, b, c, d, e, f, operands_share=True, is_serial=True)


def accumulator_halves(machine: Machine) -> tuple[int, int]:
    """(number of accumulator halves, rows of each): two in different banks, so that the vector unit reads one while the array adds to
    the other; one where there is a single bank."""
    if machine.accumulator_banks == 1:
        return 1, machine.accumulator_bank_rows
    return 2, machine.accumulator_banks // 2 * machine.accumulator_bank_rows


@dataclass(frozen=True)
class Fit(Generic[Tiles]):
    """A tiling with its place in the scratchpad and its expected cycles."""

    tiles: Tiles
    halves: Halves
    regions: Regions
    cycles: int


def choose(
    machine: Machine,
    kernel: Scalars,
    tilings: Iterable[Tiles],
    halves_of: Callable[[Tiles], Halves],
    passes_of: Callable[[Tiles], Sequence[tuple[Pass, int]]],
) -> Fit[Tiles] | None:
    """The tiling with the fewest expected cycles among those that fit the scratchpad, None if none fits."""
    fitting = []
    for tiles in tilings:
        halves = halves_of(tiles)
        if regions := lay_out(machine, halves):
            passes = passes_of(tiles)
            least = least_cycles(machine, passes, regions.operands_share)
            fitting.append(Fit(tiles, halves, regions, least))
    best: Fit[Tiles] | None = None
    for fit in sorted(fitting, key=lambda fit: fit.cycles):
        if best is not None and fit.cycles >= best.cycles:
            break  # so are all that follow
        passes = passes_of(fit.tiles)
        cycles = estimate_cycles(machine, kernel, passes, fit.regions.operands_share, fit.regions.is_serial)
        if best is None or cycles < best.cycles:
            best = replace(fit, cycles=cycles)
    return best


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
