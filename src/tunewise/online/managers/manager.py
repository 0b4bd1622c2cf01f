"""Who decides which setting a training runs under next: what a decision depends on, and says."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tunewise.online.belief.forecast import Forecast
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.segment import Segment
from tunewise.space import Config
from tunewise.space.parameter import Value


@dataclass(frozen=True)
class Situation:
    """All that a decision depends on.

    Attributes:
        segments: What was measured; the last segment runs.
        loss: Now.
        samples: That the training went through so far.
        seconds: Since it began.
        refused: Keys of settings that the training could not go over to.
        forecasts: Of the seconds left, as beliefs had them before.
    """

    segments: Sequence[Segment]
    loss: float
    samples: float
    seconds: float
    refused: frozenset[tuple[Value, ...]] = frozenset()
    forecasts: Sequence[Forecast] = ()

    @property
    def running(self) -> Segment:
        """The segment that runs."""
        return self.segments[-1]

    @property
    def measured(self) -> list[Segment]:
        """The segments in which something was reported."""
        return [each for each in self.segments if each.iterations]

    @property
    def iterations(self) -> int:
        """Of the whole training so far."""
        return sum(len(each.iterations) for each in self.segments)


@dataclass(frozen=True)
class Decision:
    """What to go on with.

    Attributes:
        setting: The setting.
        iterations: Of it, after which to think again.
        why: In a few words, for people.
        grant: Seconds that a try may cost until it is cut, with the switch to it.
        usual: Seconds in which the best setting known does what one of its iterations does.
    """

    setting: Config
    iterations: int
    why: str = ""
    grant: float = math.inf
    usual: float = 0.0


class Manager(Protocol):
    """Decides, whenever it is due; a function of the situation, so that replays agree."""

    def first(self, setting: Config) -> int:
        """Iterations of a setting after which to think for the first time."""

    def due(self, situation: Situation) -> bool:
        """Whether it is time to think."""

    def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
        """The setting to go on with, which may be the one that runs."""
