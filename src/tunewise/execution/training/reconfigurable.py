"""What can be tuned while it runs: the one protocol between a training and its tuner."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from tunewise.errors import ExecutionError

EVERY = 30.0
"""Seconds between checkpoints where nobody says another number."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a training.

    Attributes:
        loss: Of the model after it.
        seconds: How long it took.
        samples: Rows that it went through, where they are counted.
        starting: Whether a process was started for it: what it took longer is no fault of its
            setting.
    """

    loss: float
    seconds: float
    samples: float = 0.0
    starting: bool = False


@dataclass(frozen=True)
class Switch:
    """A change of the setting.

    Attributes:
        kinds: What kind of change it was, such as "I-a" (training data moved), "I-b" (the model
            moved), "II" (a system setting only).
        seconds: How long training stood still for it.
        finished: Iterations that were under way, and came to their end under the old setting.
        kept: How many of those the last checkpoint holds that the job told of meanwhile; None
            where it told of none.
        again: Whether it was started again, and goes on from its last checkpoint.
    """

    kinds: frozenset[str]
    seconds: float
    finished: tuple[Iteration, ...] = ()
    kept: int | None = None
    again: bool = False


class StartedAgain(ExecutionError):
    """A switch failed and ended the job, which was started again under the setting of before.

    It goes on from its last checkpoint. `stood` tells how long it stood still for all of that,
    which iterations had come to their end before it died, and how many of them are kept.
    """

    def __init__(self, message: str, stood: Switch) -> None:
        """Say why, and what it cost."""
        super().__init__(message)
        self.stood = stood


class Reconfigurable(Protocol):
    """A training whose settings may change while it runs.

    A simulated or a real parameter server, a group of processes, a command: whoever answers these
    four can be tuned by `follow`. A loop that asks instead of being asked uses `Tuner` itself.
    """

    def run(self, iterations: int) -> list[Iteration]:
        """Train for so many iterations under the present setting."""

    def switch(self, setting: Any) -> Switch:
        """Go over to another setting; when that fails, stay with the present one and raise.

        Raises:
            ExecutionError: Nothing was lost.
            StartedAgain: What came after the last checkpoint is to be done again.
        """

    def checkpoint(self, folder: Path) -> None:
        """Keep all that is needed to go on; the last checkpoint stays until this one is whole."""

    def restore(self, folder: Path) -> bool:
        """Go on from the checkpoint in a folder; False where there is none."""


@runtime_checkable
class KeepsItsOwn(Protocol):
    """A job that keeps checkpoints by itself, and counts those that it told of."""

    checkpoints: int


@runtime_checkable
class StartsAgain(Protocol):
    """A job that starts itself again where it dies, and goes on from its last checkpoint.

    `run` then returns what it had told of before, however little; `restarts` has one more number,
    the seconds for which it stood still.
    """

    restarts: list[float]


@runtime_checkable
class CanBeCut(Protocol):
    """A job that ends itself where an iteration takes longer than `limit` seconds, and says so.

    `run` then raises, and the next switch starts it again.
    """

    limit: float


@runtime_checkable
class CountsUnkept(KeepsItsOwn, Protocol):
    """One that also counts the iterations that it told of since its last checkpoint."""

    unkept: int
