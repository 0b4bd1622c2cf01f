"""Hugging Face: callbacks of its `Trainer` that report: to a trial, or to a tuner as it runs.

Needs transformers, which comes with the extra `tunewise[transformers]`.
"""

from collections.abc import Mapping
from typing import Any

from tunewise.errors import optional
from tunewise.history import Trial
from tunewise.integrations.progress import Reporter
from tunewise.online import Tuner

optional("transformers", "transformers")

from transformers import TrainerCallback  # noqa: E402 - its absence has its own sentence


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


class TunerCallback(TrainerCallback):  # type: ignore[misc] # transformers is not always installed
    """Reports each logged loss of a training to its tuner, and stops where the setting changes.

    The trainer tells losses only when it logs: `logging_steps=1` reports each step.

    ```python
    for setting in tuner:
        make_trainer(setting, callbacks=[TunerCallback(tuner)]).train()
    ```
    """

    def __init__(self, tuner: Tuner) -> None:
        """Keep the tuner whose loop the training runs in."""
        self._tuner, self._step = tuner, 0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Count steps from here."""
        self._step = state.global_step

    def on_log(
        self,
        args: Any,
        state: Any,
        control: Any,
        logs: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Report the loss, where it is one of training; training stops when the setting changes."""
        if logs is None or "loss" not in logs:
            return
        steps, self._step = state.global_step - self._step, state.global_step
        rows = args.train_batch_size * args.gradient_accumulation_steps * args.world_size
        self._tuner.report(float(logs["loss"]), samples=steps * rows)
        if self._tuner.changed:
            control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Tell the tuner that a crash loses nothing of what was before."""
        self._tuner.saved()
