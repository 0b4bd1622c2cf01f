"""Weights & Biases: every trial a run, with its config, metrics, snapshots and outcome.

Needs the extra `tunewise[wandb]`. Hand `WandbCallback("project")` to
`study.optimize(callbacks=...)`, or send a whole study with `WandbCallback("project").log(study)`.
"""

from typing import Any

from tunewise.errors import optional
from tunewise.history import Failure, Trial, TrialState
from tunewise.integrations.tracked import Tracker, plain_config, steps_of
from tunewise.study import Study

optional("wandb", "wandb")

import wandb  # noqa: E402 - its absence has its own sentence


class WandbCallback(Tracker):
    """Sends each trial that has ended, as a run in the group of its study.

    A study never ends for it: what could not be sent is warned of, and sent by `log`.
    """

    def __init__(self, project: str | None = None, **options: Any) -> None:
        """Choose where runs go.

        Args:
            project: The name of the project; by default what W&B is set to.
            **options: Of `wandb.init`, such as `mode="offline"`, `dir=` or `entity=`.
        """
        self._project, self._options = project, options
        self._sent: set[tuple[str, int]] = set()

    def _send_once(self, study: Study, trial: Trial) -> bool:
        if (study.name, trial.number) in self._sent:
            return False
        run = wandb.init(
            **{
                "project": self._project,
                "group": study.name,
                "name": f"{study.name}-{trial.number}",
                "config": plain_config(trial),
                "reinit": "create_new",
                **self._options,
            }
        )
        for step, metrics in steps_of(study.problem, trial):
            run.log(metrics, step=step)
        run.summary["state"] = trial.state.value
        if isinstance(trial.outcome, Failure):
            run.summary["reason"] = trial.outcome.reason
        run.finish(exit_code=0 if trial.state is TrialState.COMPLETE else 1)
        self._sent.add((study.name, trial.number))
        return True
