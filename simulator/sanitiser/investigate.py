"""The story of a fault, by its class."""

from accelkit.isa.faults import Fault
from accelkit.simulator.result import FaultReport
from accelkit.simulator.sanitiser import races, unwritten
from accelkit.simulator.sanitiser.detail import Detail
from accelkit.simulator.sanitiser.leaks import token_leak
from accelkit.simulator.sanitiser.overflow import overflow
from accelkit.simulator.sanitiser.scene import Scene


def investigate(scene: Scene, report: FaultReport) -> Detail | None:
    """What more there is to say; None if nothing."""
    match report.fault:
        case Fault.RACE:
            return races.race(scene)
        case Fault.BANK_ORDER:
            return races.bank_order(scene)
        case Fault.UNINITIALISED:
            return unwritten.uninitialised(scene)
        case Fault.BUFFER:
            return unwritten.outside(scene)
        case Fault.OVERFLOW:
            return overflow(scene)
        case Fault.TOKEN_LEAK:
            return token_leak(scene, report.pc, report.cycle)
        case Fault.BANK_READ | Fault.BANK_WRITE:
            return races.port_fault(scene, report.pc, report.cycle)
    return None
