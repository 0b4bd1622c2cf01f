"""The trial that a job is given: as the history knows it, and able to report while it runs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from numbers import Integral
from pathlib import Path
from typing import Any

from tunewise.data import subset
from tunewise.data.subsets import OWN
from tunewise.errors import MeasurementError, WrongForm
from tunewise.execution.checkpoints import offered
from tunewise.execution.suggesting import leave_unused, note, noted_before
from tunewise.history import Trial
from tunewise.space import Parameter
from tunewise.space.parameter import Value
from tunewise.study.define_by_run.context import TrialContext
from tunewise.study.define_by_run.suggesting import SuggestingTrial
from tunewise.study.executor import Report

Channel = Callable[[Report], None]

_channel: Channel | None = None

_INSTEAD = {
    "params": "write trial.config",
    "user_attrs": "return what it would have as metrics",
    "suggest_uniform": "write trial.suggest_float(name, low, high)",
    "suggest_loguniform": "write trial.suggest_float(name, low, high, log=True)",
    "suggest_discrete_uniform": "write trial.suggest_float(name, low, high, step=...)",
}


@contextmanager
def reporting(channel: Channel) -> Iterator[None]:
    """Reports of the trial that runs in this process meanwhile go to the channel."""
    global _channel  # noqa: PLW0603 - a process runs one trial at a time
    before, _channel = _channel, channel
    try:
        yield
    finally:
        _channel = before


def send(report: Report) -> None:
    """Report for the trial that runs in this process; where none does, nobody hears it."""
    if _channel is not None:
        _channel(report)


@dataclass(frozen=True, eq=False, repr=False)
class RunningTrial(SuggestingTrial):
    """A trial in the hands of its job."""

    @classmethod
    def of(cls, trial: Trial) -> "RunningTrial":
        """The same trial, running."""
        return cls(**{field.name: getattr(trial, field.name) for field in fields(Trial)})

    def knowing(self, context: TrialContext) -> "RunningTrial":
        """The same trial, with what it knows of its study."""
        return replace(self, context=context)

    @property
    def epochs(self) -> int:
        """How many epochs this trial trains for, where fractions are counted in epochs."""
        return round(self.fraction * self._all_epochs())

    def _all_epochs(self) -> int:
        if self.context is None or self.context.epochs is None:
            raise WrongForm(
                "trials of this problem differ in their data, not in epochs; for epochs write"
                " tunewise.Problem(..., resource='epochs', fractions=(1, 3, 9, 27))"
            )
        return self.context.epochs

    def _found(self, asked: Parameter, seed: int) -> Value:
        value = noted_before(asked)
        if value is None:
            value = self._new_value(asked, seed)
            note(asked, value)
        return value

    def note_unused(self, asked: set[str]) -> None:
        """Have the study know which parameters of the config were not asked for."""
        leave_unused(self.config, asked)

    def __getattr__(self, name: str) -> Any:
        """Answer what trials of other tools have with the line to write."""
        if name in _INSTEAD:
            raise AttributeError(f"a trial has no {name!r}; {_INSTEAD[name]}")
        raise AttributeError(f"a trial has no {name!r}")

    def report(
        self,
        metrics: Mapping[str, Any] | float | None = None,
        /,
        step: int | None = None,
        *,
        fraction: float | None = None,
        **named: Any,
    ) -> None:
        """Tell what is known by now, such as `trial.report(accuracy=0.62, fraction=0.1)`.

        Where fractions are counted in epochs, `trial.report(accuracy=0.62, step=3)` is after three
        of them, and a bare number is the objective.

        With a fraction below the trial's own this is a snapshot: a free observation, kept even if
        the trial is killed a moment later. `cost` and `time` without a fraction say what the trial
        has spent until now, so that a budget is kept where only the job knows its cost.
        """
        if step is not None:
            fraction = self._checked_step(step) / self._all_epochs()
        report = Report({**self._named(metrics), **named}, fraction)
        if report.fraction is not None and report.fraction > self.fraction:
            raise MeasurementError(
                f"trial {self.number} runs at fraction {self.fraction:g} and cannot have a snapshot"
                f" at {report.fraction:g}"
            )
        send(report)

    def _checked_step(self, step: int) -> int:
        epochs = self.epochs
        if isinstance(step, bool) or not isinstance(step, Integral) or step < 1:
            raise MeasurementError(
                f"reported at step {step!r}; expected the number of epochs that have ended, from 1"
                " on: in a loop over range, step=epoch + 1"
            )
        if step > epochs:
            raise MeasurementError(
                f"trial {self.number} trains for trial.epochs = {epochs} and cannot report step"
                f" {step}"
            )
        return int(step)

    def _named(self, metrics: Mapping[str, Any] | float | None) -> Mapping[str, Any]:
        if metrics is None or isinstance(metrics, Mapping):
            return metrics or {}
        if self.context is None:
            raise MeasurementError(
                f"reported {metrics!r} without a name; expected such as"
                f" trial.report(accuracy={metrics!r})"
            )
        if len(self.context.objectives) > 1:
            names = ", ".join(f"{name}=..." for name in self.context.objectives)
            raise WrongForm(
                f"reported {metrics!r}, and there are several objectives; expected such as"
                f" trial.report({names})"
            )
        return {self.context.objectives[0]: metrics}

    def should_prune(self) -> bool:
        """Whether the job had better stop by itself: never, for the study stops it from outside.

        A trial that cannot win any more is stopped when it reports, so what still runs goes on.
        """
        return False

    def set_user_attr(self, key: str, value: Any) -> None:
        """Tell a metric by the way: the same as returning it, where the job returns no other."""
        if self.context is None:
            raise MeasurementError(
                f"nobody hears {key!r} = {value!r}; return it as a metric: numbers that nothing"
                " needs are kept, too"
            )
        self.context.attributes[str(key)] = value

    @property
    def checkpoints(self) -> Path | None:
        """A folder that outlives this attempt, with what an earlier one has left there.

        Trials of the same config and fraction share it until one of them has measured it. A job
        that goes on from a checkpoint tells the seconds of training that this had taken as
        `resumed`, so that they count for its time and are not paid again.
        """
        return offered()

    def subset(self, *data: Any, stratify: Any = OWN, seed: int = 0) -> Any:
        """The slice of the data that this trial may use; see `tunewise.data.subset`.

        `images, labels = trial.subset(images, labels, stratify=labels)`. All trials of a study get
        the same slice at a fraction, and smaller slices are inside larger ones.
        """
        if self.context is not None and self.context.epochs is not None:
            raise MeasurementError(
                "trials of this problem differ in epochs and use all the data; train for"
                " trial.epochs epochs on it"
            )
        return subset(*data, fraction=self.fraction, stratify=stratify, seed=seed)
