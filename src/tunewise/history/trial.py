"""One config at one fraction: where it stands, and what it measured and spent."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from tunewise.errors import Instead
from tunewise.format import card, headline, measured, share_of_data
from tunewise.format import config as one_line
from tunewise.format import value as shown
from tunewise.history.outcome import (
    ITSELF,
    OUTCLASSED,
    PRUNED,
    Cancelled,
    Failure,
    Flaky,
    Measurement,
    Outcome,
    Preempted,
    TimedOut,
)
from tunewise.problem import KNOWN, Metric, Metrics
from tunewise.space import Config

BOOKED = ("cost", "time")
"""The metrics that are spent by running a trial, whatever its outcome."""

RESUMED = "resumed"
"""The metric by which a job tells how many seconds of its `time` an earlier attempt has paid for,
because it went on from a checkpoint."""

_SHOWN = 30
"""So many trials, the last ones, are shown in a notebook."""


def _shown(metrics: Metrics) -> dict[str, str]:
    """Metrics as people write them."""
    return {k: measured(KNOWN.get(k, Metric(k)), v) for k, v in metrics.items()}


def table_of(trials: "Sequence[Trial]", title: str) -> str:
    """For notebooks: the last trials, each in a row."""
    last = trials[-_SHOWN:]
    names = list(dict.fromkeys(name for t in last for name in t.config))
    metrics = list(dict.fromkeys(name for t in last for name in t.metrics))
    head = ["trial", "state", "data", *names, *metrics]
    rows = [
        [str(t.number), t.status, share_of_data(t.fraction)]
        + [shown(t.config[name]) if name in t.config else "" for name in names]
        + [_shown(t.metrics).get(name, "") for name in metrics]
        for t in last
    ]
    earlier = len(trials) - len(last)
    return card(title, {"earlier trials": str(earlier) if earlier else ""}, head, rows)


_STOPPED = (PRUNED, "hopeless")
"""The second is how it was called in stores before."""


class TrialState(StrEnum):
    """Where a trial stands. Only `COMPLETE` and `FAILED` are evidence about its config."""

    WAITING = "waiting"  # enqueued: no worker has it yet
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    PREEMPTED = "preempted"  # its machine was taken away: it runs again
    CANCELLED = "cancelled"  # a person stopped it

    @property
    def pending(self) -> bool:
        """Whether a measurement may still come."""
        return self in (TrialState.WAITING, TrialState.RUNNING, TrialState.PREEMPTED)


_ASKED = "trial.config[name]: trials name their parameters only where the Problem has no Space"


@dataclass(frozen=True, repr=False)
class Trial:
    """One config at one fraction, with its state and what it measured.

    Attributes:
        number: Its place in the history, from 0.
        config: The value of each parameter.
        fraction: The share of the training data, in (0, 1].
        snapshots: Smaller fractions that the strategy would like reported on the way.
        state: Where it stands.
        outcome: What was told, if anything was.
        lost: What attempts have spent that were preempted, killed or repeated.
        retried: How many attempts failed and were repeated.
        reported: Snapshots by fraction that it told while it ran.
        enqueued: Whether a person asked for it.
        limit: Seconds after which it is better stopped, None for never: for whoever asks for it.
        asked_at: When it was last given out, in seconds since the epoch.
        told_at: When its outcome was told.
    """

    number: int
    config: Config
    fraction: float = 1.0
    snapshots: tuple[float, ...] = ()
    state: TrialState = TrialState.RUNNING
    outcome: Outcome | None = None
    lost: Metrics = field(default_factory=dict)
    retried: int = 0
    reported: dict[float, Metrics] = field(default_factory=dict)
    enqueued: bool = False
    limit: float | None = field(default=None, compare=False)
    asked_at: float | None = field(default=None, compare=False)
    told_at: float | None = field(default=None, compare=False)

    if not TYPE_CHECKING:  # what no trial has: whoever looks for it is told the line to write
        params = Instead("trial.config")
        value = Instead("trial.metrics")
        values = Instead("trial.metrics")
        user_attrs = Instead("trial.metrics")
        duration = Instead("trial.metrics['time'], in seconds")
        reason = Instead("trial.outcome.reason, which trials have that failed")
        suggest_float = Instead(_ASKED)
        suggest_int = Instead(_ASKED)
        suggest_categorical = Instead(_ASKED)
        report = Instead("study.report(trial, {'accuracy': 0.5}, fraction)")
        should_prune = Instead("study.verdict(trial, {fraction: {'accuracy': 0.5}})")

    @property
    def metrics(self) -> Metrics:
        """The metrics that were told, empty before that."""
        return self.outcome.metrics if self.outcome is not None else {}

    def __repr__(self) -> str:
        """Short, for people."""
        part = "" if self.fraction == 1 else f" at fraction {share_of_data(self.fraction)}"
        result = ", ".join(f"{name} {text}" for name, text in _shown(self.metrics).items())
        if isinstance(self.outcome, Failure):
            result = headline(self.outcome.reason)
        told = f"{self.status}{f': {result}' if result else ''}"
        return f"Trial({self.number}: {one_line(self.config)}{part}; {told})"

    def _repr_html_(self) -> str:
        """For notebooks."""
        return table_of([self], f"Trial {self.number}")

    @property
    def status(self) -> str:
        """Its state in a word for people.

        An attempt that failed and is repeated was not preempted, and what never began waits. One
        that was not worth finishing has not failed.
        """
        if self.given_up:
            return "pruned"
        if self.state is TrialState.PREEMPTED and self.retried:
            return "to be retried"
        if self.state is TrialState.PREEMPTED and not self.lost:
            return TrialState.WAITING.value
        return self.state.value

    @property
    def pruned(self) -> bool:
        """Whether its strategy stopped it, so that it may run again for longer."""
        return isinstance(self.outcome, TimedOut) and self.outcome.reason.startswith(_STOPPED)

    @property
    def pruned_itself(self) -> bool:
        """Whether its training ended it by rules of its own."""
        return self.pruned and str(getattr(self.outcome, "reason", "")).startswith(ITSELF)

    @property
    def given_up(self) -> bool:
        """Whether it was not worth finishing, as its strategy or the training itself said."""
        told = self.outcome
        return isinstance(told, TimedOut) and told.reason.startswith((*_STOPPED, OUTCLASSED))

    @property
    def measurement(self) -> Measurement | None:
        """The measurement of a complete trial."""
        return self.outcome if isinstance(self.outcome, Measurement) else None

    @property
    def spent(self) -> Metrics:
        """Cost and time booked for this trial, over all its attempts.

        What was resumed was booked for the attempt, or the trial, that left the checkpoint.
        """
        return {
            name: self.lost.get(name, 0.0) + self._new * self.metrics.get(name, 0.0)
            for name in BOOKED
            if name in self.lost or name in self.metrics
        }

    @property
    def _new(self) -> float:
        """The share of what it measured that was not paid for before."""
        resumed, time = self.metrics.get(RESUMED, 0.0), self.metrics.get("time", 0.0)
        return 1.0 - min(resumed / time, 1.0) if time > 0 else 1.0

    def told(self, outcome: Outcome, at: float | None = None) -> "Trial":
        """This trial with its outcome."""
        if isinstance(outcome, Preempted):
            lost = {k: self.lost.get(k, 0.0) + outcome.metrics.get(k, 0.0) for k in BOOKED}
            return replace(
                self,
                state=TrialState.PREEMPTED,
                lost={k: v for k, v in lost.items() if v},
                retried=self.retried + isinstance(outcome, Flaky),
            )
        state = TrialState.COMPLETE if isinstance(outcome, Measurement) else TrialState.FAILED
        if isinstance(outcome, Cancelled):
            state = TrialState.CANCELLED
        return replace(self, state=state, outcome=self.with_reports(outcome), told_at=at)

    def with_reports(self, outcome: Outcome) -> Outcome:
        """A measurement with the snapshots that were reported before, where it has none there."""
        if not isinstance(outcome, Measurement) or not self.reported:
            return outcome
        return replace(outcome, snapshots={**self.reported, **outcome.snapshots})
