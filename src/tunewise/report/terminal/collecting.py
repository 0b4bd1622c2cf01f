"""How far the measuring of a grid is, for terminals."""

import time
from collections.abc import Callable

from tunewise.benchmark.grid import Collection, Run
from tunewise.format import config as one_line
from tunewise.format import duration, measured, share_of_data
from tunewise.history import Failure, Outcome
from tunewise.problem import KNOWN, Metric

_PAUSE = 30.0
"""Seconds between lines of progress."""


class CollectingProgress:
    """Says now and then how far it is, and how long it will take."""

    def __init__(
        self, collection: Collection, parallel: int, say: Callable[[str], None] | None
    ) -> None:
        """Tell whoever says it; None where nobody wants to know."""
        self._collection, self._parallel, self._say = collection, parallel, say
        self._next = 0.0

    def told(self, run: Run, outcome: Outcome) -> None:
        """A run that ended."""
        if self._say is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _PAUSE
        everything = len(self._collection.runs)
        done = self._collection.done
        left = (self._collection.seconds_left or 0.0) / self._parallel
        what = f"{one_line(run.config)} at {share_of_data(run.fraction)}"
        self._say(
            f"{done} of {everything} runs, about {duration(left)} left; {what}: {_said(outcome)}"
        )


def _said(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return f"failed: {outcome.reason.splitlines()[0]}"
    shown = (f"{k} {measured(KNOWN.get(k, Metric(k)), v)}" for k, v in outcome.metrics.items())
    return ", ".join(shown)
