"""Lightning: callbacks that report a training: to its trial, or to a tuner while it runs.

Needs Lightning, which comes with the extra `tunewise[lightning]`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tunewise.errors import optional
from tunewise.history import Trial
from tunewise.integrations.progress import Reporter
from tunewise.online import Tuner

optional("lightning", "lightning")

from lightning.pytorch.callbacks import Callback  # noqa: E402 - its absence has its own sentence


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


class TunerCallback(Callback):  # type: ignore[misc] # Lightning is not always installed
    """Reports each batch of a training to its tuner, and stops where the setting changes.

    ```python
    for setting in tuner:
        trainer = Trainer(max_epochs=100, callbacks=[TunerCallback(tuner)])
        trainer.fit(module, make_loader(setting))
    ```
    """

    def __init__(self, tuner: Tuner) -> None:
        """Keep the tuner whose loop the training runs in."""
        self._tuner = tuner

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Report the loss of the batch; the epoch ends here when the setting changes."""
        loss = outputs.get("loss") if isinstance(outputs, Mapping) else outputs
        self._tuner.report(None if loss is None else float(loss), samples=_rows(batch))
        if self._tuner.changed:
            trainer.should_stop = True

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: Any) -> None:
        """Tell the tuner that a crash loses nothing of what was before."""
        self._tuner.saved()


def _rows(batch: Any) -> int:
    """Rows of a batch: the length of its first part that has one."""
    while isinstance(batch, Mapping | list | tuple) and len(batch):
        batch = next(iter(batch.values())) if isinstance(batch, Mapping) else batch[0]
    shape: Sequence[int] = getattr(batch, "shape", ())
    return int(shape[0]) if len(shape) else 1
