"""What can be tuned while it runs: the one protocol between a training and its tuner."""

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a training.

    Attributes:
        loss: Of the model after it.
        seconds: How long it took.
        samples: Rows that it went through, where they are counted.
    """

    loss: float
    seconds: float
    samples: float = 0.0


@dataclass(frozen=True)
class Switch:
    """A change of the setting.

    Attributes:
        kinds: What kind of change it was, such as "I-a" (training data moved), "I-b" (the model
            moved), "II" (a system setting only).
        seconds: How long training stood still for it.
    """

    kinds: frozenset[str]
    seconds: float


class Reconfigurable(Protocol):
    """A training whose settings may change while it runs."""

    def run(self, iterations: int) -> list[Iteration]:
        """Train for so many iterations under the present setting."""

    def switch(self, setting: Any) -> Switch:
        """Go over to another setting; when that fails, stay with the present one and raise."""
