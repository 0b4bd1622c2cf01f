"""What a trial can end with, and its one form as plain data."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from tunewise.errors import MeasurementError, WrongForm
from tunewise.history.bounds import LONGEST_NAME, is_name
from tunewise.problem import Metrics

_LONGEST = 200
"""Characters that are kept of what is ignored."""

LARGEST = 1e100
"""What is further from zero cannot be learned from: variances are squares of such numbers, and what
is made of them must stay a number. Nothing that anybody measures comes near it."""


@dataclass(frozen=True)
class Measurement:
    """What a trial measured.

    Attributes:
        metrics: Named finite numbers, such as `accuracy`, `time` (seconds), `cost` (USD).
        snapshots: Metrics at smaller fractions that the trial passed on its way.
        deviations: Standard deviations of metrics, where the job measured more than once.
        ignored: What a job told besides that is no number, as text: see `of`.
        clocked: Seconds that this attempt took, where its `time` is made of them and of what the
            job says to have resumed.
        overran: Whether the trial had passed the limit that it was given, and nobody stopped it.
    """

    metrics: Metrics
    snapshots: dict[float, Metrics] = field(default_factory=dict)
    deviations: Metrics = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    clocked: float | None = field(default=None, compare=False, repr=False)
    overran: bool = False

    @classmethod
    def of(cls, told: Mapping[str, Any], **others: Any) -> "Measurement":
        """What a job told, with what is no number (a note, a flag) set aside.

        Whether anybody needed that as a number is for the problem to say.
        """
        metrics, ignored = numbers_of(told)
        return cls(metrics, **others, ignored=ignored) if metrics else cls(dict(told), **others)

    def __post_init__(self) -> None:
        """Refuse what is not a finite number, by name."""
        object.__setattr__(self, "metrics", checked_metrics(self.metrics))
        object.__setattr__(self, "deviations", checked_metrics(self.deviations))
        if not self.metrics:
            raise MeasurementError("a measurement needs at least one metric, got none")
        snapshots = {
            _checked_snapshot_fraction(s): checked_metrics(m) for s, m in self.snapshots.items()
        }
        object.__setattr__(self, "snapshots", dict(sorted(snapshots.items())))
        if negative := [k for k, v in self.deviations.items() if v < 0]:
            wrong = self.deviations[negative[0]]
            raise MeasurementError(
                f"the deviation of {negative[0]!r} is {wrong:g}; expected 0 or more"
            )


@dataclass(frozen=True)
class Failure:
    """A trial that gave no result, with what it cost all the same."""

    reason: str
    metrics: Metrics = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse metrics that are not finite numbers, by name."""
        object.__setattr__(self, "reason", str(self.reason))
        object.__setattr__(self, "metrics", checked_metrics(self.metrics))


class Misused(Failure):
    """The job itself is wrong: with no other config would it do better."""


class Preempted(Failure):
    """The machine was taken away: the trial runs again, and its config is not to blame."""


class Flaky(Preempted):
    """The attempt failed, but the trial runs again: a failure counts only when it repeats."""


class Cancelled(Failure):
    """A person stopped the trial: it does not run again, and its config is not to blame."""


class Unaffordable(Cancelled):
    """What is left of the budget does not pay for the trial: another is asked for instead."""


class TimedOut(Failure):
    """The trial reached a limit of time or money: its metrics are lower bounds of the full ones."""


PRUNED = "pruned"
"""How the reason begins with which a strategy, or the training itself, prunes a trial: it may run
again, for longer."""

ITSELF = f"{PRUNED}: the training"
"""How the reason begins with which a training prunes itself: it would do so again."""

OUTCLASSED = "outclassed"
"""How the reason begins with which a trial is stopped that cannot become the answer any more."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def alike(reason: str) -> str:
    """The first line of why a trial failed, whatever numbers it names.

    >>> alike("no file /tmp/x0.25") == alike("no file /tmp/x1e-05")
    True
    """
    return _NUMBER.sub("#", reason.partition("\n")[0])


Outcome: TypeAlias = Measurement | Failure

# What extends another kind comes before it: the first that fits names an outcome.
_FAILURES: dict[str, type[Failure]] = {
    "flaky": Flaky,
    "preempted": Preempted,
    "unaffordable": Unaffordable,
    "cancelled": Cancelled,
    "timed out": TimedOut,
    "misused": Misused,
    "failure": Failure,
}


def outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data, for stores, files and messages alike."""
    if isinstance(outcome, Measurement):
        return {
            "kind": "measurement",
            "metrics": outcome.metrics,
            "snapshots": {repr(s): metrics for s, metrics in outcome.snapshots.items()},
            "deviations": outcome.deviations,
            **({"ignored": outcome.ignored} if outcome.ignored else {}),
            **({} if outcome.clocked is None else {"clocked": outcome.clocked}),
            **({"overran": True} if outcome.overran else {}),
        }
    kind = next(k for k, failure in _FAILURES.items() if isinstance(outcome, failure))
    return {"kind": kind, "reason": outcome.reason, "metrics": outcome.metrics}


def outcome_from_json(data: Any) -> Outcome:
    """The outcome that `outcome_as_json` described; anything else is a MeasurementError."""
    try:
        if data["kind"] == "measurement":
            snapshots = {float(s): metrics for s, metrics in data["snapshots"].items()}
            ignored = {str(k): str(v) for k, v in data.get("ignored", {}).items()}
            clocked = None if (told := data.get("clocked")) is None else float(told)
            overran = bool(data.get("overran", False))
            return Measurement(
                data["metrics"], snapshots, data["deviations"], ignored, clocked, overran
            )
        return _FAILURES[data["kind"]](data["reason"], data["metrics"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MeasurementError(f"expected an outcome as JSON, got {data!r}") from error


def numbers_of(told: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """What is a number, finite or not, and the rest as text."""
    if not isinstance(told, Mapping):
        return told, {}  # refused where it is checked
    numbers = {k: v for k, v in told.items() if _is_number(_plain(v)) and is_name(k)}
    texts = {
        repr(k)[1:-1][:_LONGEST]: repr(v)[:_LONGEST] for k, v in told.items() if k not in numbers
    }
    return numbers, texts


def checked_metrics(metrics: Mapping[str, Any]) -> Metrics:
    """The metrics as plain floats; what is not a finite number is refused by name."""
    if not isinstance(metrics, Mapping):
        raise MeasurementError(f"expected metrics as a mapping of name to number, got {metrics!r}")
    for name in metrics:
        if not is_name(name):
            raise MeasurementError(
                f"a metric is called {str(name)[:_LONGEST]!r}; expected a name of at most"
                f" {LONGEST_NAME} characters, without halves of characters"
            )
    return {str(name): _finite(name, value) for name, value in metrics.items()}


def _finite(name: object, value: Any) -> float:
    number = _plain(value)
    if not _is_number(number):
        raise WrongForm(f"metric {name!r} is {value!r}; expected a number")
    try:
        found = float(number)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise MeasurementError(
            f"metric {name!r} is {found}; expected a finite number"
            " (a training that diverged has failed: it has no measurement)"
        )
    return found


def _plain(value: Any) -> Any:
    """A number of numpy or of a framework as Python's."""
    item = getattr(value, "item", None)
    return item() if callable(item) and np.ndim(value) == 0 else value


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _checked_snapshot_fraction(fraction: Any) -> float:
    if isinstance(fraction, bool) or not isinstance(fraction, Real) or not 0 < float(fraction) < 1:
        raise MeasurementError(
            f"snapshot at fraction {fraction!r}; expected a number above 0 and below 1"
        )
    return float(fraction)
