"""Hugging Face: a callback of its `Trainer` that reports each evaluation as a snapshot.

Needs transformers, which comes with the extra `tunewise[transformers]`.
"""

from collections.abc import Mapping
from typing import Any

from transformers import TrainerCallback

from tunewise.history import Trial
from tunewise.integrations.progress import Reporter


class TunewiseCallback(TrainerCallback):  # type: ignore[misc] # transformers is not always installed
    """Reports to a trial after each evaluation.

    `TunewiseCallback(trial, {"accuracy": "eval_accuracy"})`. What was measured last is in `last`,
    for the job to return.
    """

    def __init__(self, trial: Trial, metrics: Mapping[str, str]) -> None:
        """Keep the trial that the job was given, and the names of its metrics in the log."""
        self._reporter = Reporter(trial, metrics)

    @property
    def last(self) -> dict[str, float]:
        """The metrics of the last evaluation."""
        return self._reporter.last

    def on_evaluate(
        self,
        args: Any,
        state: Any,
        control: Any,
        metrics: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Report what was evaluated."""
        done = state.global_step / state.max_steps if state.max_steps > 0 else 0.0
        self._reporter.report(metrics or {}, done)
