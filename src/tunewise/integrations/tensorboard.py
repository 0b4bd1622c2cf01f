"""TensorBoard: every trial a run, with its config, metrics and snapshots.

Needs the extra `tunewise[tensorboard]`, which brings tensorboardX: it writes event files and needs
no TensorFlow. Hand `TensorBoardCallback("runs")` to `study.optimize(callbacks=...)`, or write a
whole study at once with `TensorBoardCallback("runs").log(study)`.
"""

import re
from pathlib import Path

from tunewise.errors import optional
from tunewise.history import Trial
from tunewise.integrations.tracked import Tracker, plain_config, steps_of
from tunewise.study import Study

optional("tensorboardX", "tensorboard")

from tensorboardX import SummaryWriter  # noqa: E402 - its absence has its own sentence
from tensorboardX.summary import hparams  # noqa: E402


class TensorBoardCallback(Tracker):
    """Writes each trial that has ended into a folder of its own, once.

    A study never ends for it: what could not be written is warned of, and written by `log`.
    """

    def __init__(self, folder: str | Path) -> None:
        """Choose the folder that `tensorboard --logdir` is given."""
        self._folder = Path(folder)

    def _send_once(self, study: Study, trial: Trial) -> bool:
        place = self._folder / _folder_name(study.name) / f"trial-{trial.number}"
        if place.exists():
            return False
        place.mkdir(parents=True)
        with SummaryWriter(str(place), write_to_disk=True) as writer:
            for summary in hparams(plain_config(trial), dict(trial.metrics)):
                writer.file_writer.add_summary(summary)
            for step, metrics in steps_of(study.problem, trial):
                for name, value in metrics.items():
                    writer.add_scalar(name, value, step)
        return True


def _folder_name(study: str) -> str:
    """The name of a study as that of one folder, below the one that was chosen."""
    return re.sub(r"[^\w.-]", "_", study).lstrip(".") or "_"
