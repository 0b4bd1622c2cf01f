"""The trial that a job is given: as the history knows it, and able to report while it runs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tunewise.data import subset
from tunewise.data.subsets import OWN
from tunewise.errors import MeasurementError
from tunewise.execution.checkpoints import offered
from tunewise.history import Trial
from tunewise.study.executor import Report

Channel = Callable[[Report], None]

_channel: Channel | None = None


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


@dataclass(frozen=True, eq=False)
class RunningTrial(Trial):
    """A trial in the hands of its job."""

    @classmethod
    def of(cls, trial: Trial) -> "RunningTrial":
        """The same trial, running."""
        return cls(**{field.name: getattr(trial, field.name) for field in fields(trial)})

    def report(
        self,
        metrics: Mapping[str, Any] | None = None,
        /,
        *,
        fraction: float | None = None,
        **named: Any,
    ) -> None:
        """Tell what is known by now, such as `trial.report(accuracy=0.62, fraction=0.1)`.

        With a fraction below the trial's own this is a snapshot: a free observation, kept even if
        the trial is killed a moment later. `cost` and `time` without a fraction say what the trial
        has spent until now, so that a budget is kept where only the job knows its cost.
        """
        report = Report({**(metrics or {}), **named}, fraction)
        if report.fraction is not None and report.fraction > self.fraction:
            raise MeasurementError(
                f"trial {self.number} runs at fraction {self.fraction:g} and cannot have a snapshot"
                f" at {report.fraction:g}"
            )
        send(report)

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
        return subset(*data, fraction=self.fraction, stratify=stratify, seed=seed)

    def __eq__(self, other: object) -> bool:
        """A trial is the same whether it runs or not."""
        names = [field.name for field in fields(Trial) if field.compare]
        return isinstance(other, Trial) and all(
            getattr(self, name) == getattr(other, name) for name in names
        )

    __hash__ = Trial.__hash__
