"""Lightning: a callback that reports each validation of a training as a snapshot of its trial.

Needs Lightning, which comes with the extra `tunewise[lightning]`.
"""

from collections.abc import Mapping
from typing import Any

from lightning.pytorch.callbacks import Callback

from tunewise.history import Trial
from tunewise.integrations.progress import Reporter


class TunewiseCallback(Callback):  # type: ignore[misc] # Lightning is not always installed
    """Reports to a trial after each validation.

    `TunewiseCallback(trial, {"accuracy": "val_acc"})`, where `val_acc` is what the module logs.
    What was measured last is in `last`, for the job to return.
    """

    def __init__(self, trial: Trial, metrics: Mapping[str, str]) -> None:
        """Keep the trial that the job was given, and the names of its metrics in the log."""
        self._reporter = Reporter(trial, metrics)

    @property
    def last(self) -> dict[str, float]:
        """The metrics of the last validation."""
        return self._reporter.last

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Report, unless it was the check before the training."""
        if trainer.sanity_checking:
            return
        steps = trainer.estimated_stepping_batches
        done = trainer.global_step / steps if steps and steps != float("inf") else 0.0
        self._reporter.report(trainer.callback_metrics, done)
