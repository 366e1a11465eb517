"""Cycle-accurate simulator: sessions, launches, results. Heavy imports happen when a name is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelkit.isa.machine import Machine as Machine
    from accelkit.isa.machine import MachineError as MachineError
    from accelkit.isa.machine import load_machine as load_machine
    from accelkit.simulator.arguments import ArgumentError as ArgumentError
    from accelkit.simulator.passes import Mode as Mode
    from accelkit.simulator.result import FaultReport as FaultReport
    from accelkit.simulator.result import LaunchError as LaunchError
    from accelkit.simulator.result import LaunchResult as LaunchResult
    from accelkit.simulator.result import Traffic as Traffic
    from accelkit.simulator.result import Verdict as Verdict
    from accelkit.simulator.session import Session as Session

_HOMES = {
    "Machine": "accelkit.isa.machine",
    "MachineError": "accelkit.isa.machine",
    "load_machine": "accelkit.isa.machine",
    "Mode": "accelkit.simulator.passes",
    "ArgumentError": "accelkit.simulator.arguments",
    "FaultReport": "accelkit.simulator.result",
    "LaunchError": "accelkit.simulator.result",
    "LaunchResult": "accelkit.simulator.result",
    "Traffic": "accelkit.simulator.result",
    "Verdict": "accelkit.simulator.result",
    "Session": "accelkit.simulator.session",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
