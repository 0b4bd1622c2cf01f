"""When a training is done: a target loss, a steady loss, or so many samples."""

import math
import re
from collections import deque
from dataclasses import dataclass
from typing import Any

from tunewise.errors import ProblemError
from tunewise.execution.training.reconfigurable import Iteration

MANY = 20
"""Losses in a row that are no chance: that vary little where a training has ended, or of which none
is finite where it broke down. The thesis (3.5.1) takes five, which vary as little where a loss
falls slowly; and a loss scale that is too large is halved a few times before it fits."""

FEW = 5
"""Reports that may be chance: over so many a loss is averaged before it is compared with a target,
a setting is tried for so many, and runs at least so many after a start, and a loop that should have
left is waited for. A group of processes that dies so often in a row is not started again."""


@dataclass(frozen=True)
class Until:
    """The end of a training.

    Attributes:
        loss: The target: done once the loss, averaged over the last reports, is at most this.
        samples: Done after so many samples: how the loss falls is then of no concern.
        variance: Done once the variance of the last 20 losses is at most this, after 100 of them.
    """

    loss: float | None = None
    samples: float | None = None
    variance: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is no end, or several."""
        told = [each for each in (self.loss, self.samples, self.variance) if each is not None]
        if len(told) != 1:
            raise ProblemError(
                f"until says loss={self.loss!r}, samples={self.samples!r} and"
                f" variance={self.variance!r}; expected one of them"
            )
        if not _finite(told[0]):
            raise ProblemError(f"until is {told[0]!r}; expected a finite number")
        if (self.samples is not None and self.samples <= 0) or (self.variance or 0) < 0:
            raise ProblemError(
                f"until is '{self}', which is true before the training begins or never; expected"
                " 'samples >= 60000' or 'variance <= 1e-6'"
            )

    @classmethod
    def of(cls, text: "str | Until") -> "Until":
        """Read "loss <= 0.1", "samples >= 60000" or "variance <= 1e-6".

        >>> Until.of("loss <= 0.1").loss
        0.1
        """
        if isinstance(text, Until):
            return text
        told = re.fullmatch(
            r"\s*(?:(loss|variance)\s*<=|(samples)\s*>=)\s*([-+0-9.eE_]+)\s*", str(text)
        )
        try:
            bound = float(told[3]) if told else math.nan
        except ValueError:
            bound = math.nan
        if told is None or not math.isfinite(bound):
            raise ProblemError(
                f"until is {text!r}; expected 'loss <= 0.1', 'samples >= 60000' or"
                " 'variance <= 1e-6'"
            )
        return cls(**{told[1] or told[2]: bound})

    def __str__(self) -> str:
        """As it is written."""
        if self.samples is not None:
            return f"samples >= {self.samples:.15g}"
        if self.loss is not None:
            return f"loss <= {self.loss!r}"
        return f"variance <= {self.variance!r}"

    @property
    def only_speed(self) -> bool:
        """Whether only samples per second count."""
        return self.samples is not None


def _finite(told: Any) -> bool:
    """Whether it is a number, and a finite one."""
    try:
        return not isinstance(told, bool | str) and math.isfinite(float(told))
    except (TypeError, ValueError, OverflowError):
        return False


class Watch:
    """Follows a training until it is done."""

    def __init__(self, until: Until, window: int = FEW) -> None:
        """Average the loss over so many reports."""
        self.until = until
        self.samples = 0.0
        self._losses = 0
        self._last: deque[float] = deque(maxlen=MANY)
        self._recent: deque[float] = deque(maxlen=max(window, 1))

    def see(self, iteration: Iteration) -> bool:
        """Take an iteration in; True once the training is done."""
        self.samples += iteration.samples
        if not math.isnan(iteration.loss):
            self._recent.append(iteration.loss)
            self._last.append(iteration.loss)
            self._losses += 1
        return self.done

    def forget(self) -> None:
        """Average anew: the training has gone back to a checkpoint."""
        self._recent.clear()
        self._last.clear()

    @property
    def loss(self) -> float:
        """The loss, averaged over the last reports; not a number before the first."""
        return sum(self._recent) / len(self._recent) if self._recent else math.nan

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        until = self.until
        if until.samples is not None:
            return self.samples >= until.samples
        if len(self._recent) < (self._recent.maxlen or 1):
            return False
        if until.loss is not None:
            return self.loss <= until.loss
        if until.variance is not None and self._losses >= 5 * MANY and len(self._last) == MANY:
            last = self._last
            mean = sum(last) / len(last)
            return sum((each - mean) ** 2 for each in last) / len(last) <= until.variance
        return False
