"""How much a check may look at: `accel-as` lints every program that it assembles, and must not take long for any."""

from dataclasses import dataclass

TENSOR_STEPS = 50  # steps of the sequencer that take as long as judging one tensor instruction
QUICK_STEPS = 1_500_000  # about a second; the cases of the largest of our kernels take half of it


@dataclass
class Effort:
    """What is left of it, in steps of the sequencer."""

    left: int = 1 << 60

    def take(self, steps: int) -> bool:
        """Spend so much; False if that is more than what was left."""
        self.left -= steps
        return self.left >= 0
