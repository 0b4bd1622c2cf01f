"""How far a training has passed through its data, and what it measured there, as a snapshot."""

from collections.abc import Mapping
from typing import Any

from tunewise.errors import MeasurementError, nearest
from tunewise.execution.running_trial import RunningTrial
from tunewise.history import Trial


class Reporter:
    """Reports to a trial what a trainer logs, under the names that the problem knows.

    A training that has made the share `done` of its steps has passed that share of the trial's
    data: it is a snapshot at `done` times the trial's fraction.
    """

    def __init__(self, trial: Trial, metrics: Mapping[str, str]) -> None:
        """Keep to whom to report, and which logged name stands for which metric."""
        if not isinstance(trial, RunningTrial):
            raise MeasurementError(
                f"trial is {trial!r}; expected the trial that the job was called with"
            )
        if not metrics:
            raise MeasurementError(
                "metrics is empty; expected the metrics to report and what the trainer calls them,"
                " such as {'accuracy': 'val_acc'}"
            )
        self._trial, self._metrics = trial, dict(metrics)
        self.last: dict[str, float] = {}

    def report(self, logged: Mapping[str, Any], done: float) -> None:
        """Report what is there; the end of a training is for its job to return."""
        told = {
            ours: float(logged[theirs])
            for ours, theirs in self._metrics.items()
            if theirs in logged
        }
        if not told and logged:
            wanted = next(iter(self._metrics.values()))
            raise MeasurementError(
                f"the trainer logged no {wanted!r}{nearest(wanted, [str(name) for name in logged])}"
            )
        self.last = told
        fraction = done * self._trial.fraction
        if told and 0 < fraction < self._trial.fraction:
            self._trial.report(told, fraction=fraction)
