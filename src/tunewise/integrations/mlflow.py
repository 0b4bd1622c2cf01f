"""MLflow: every trial a run, with its params, metrics, snapshots and what it cost.

Needs the extra `tunewise[mlflow]`. Hand `MlflowCallback()` to `study.optimize(callbacks=...)`, or
send a whole study at once with `MlflowCallback().log(study)`.
"""

from collections.abc import Iterator
from typing import Any

from mlflow.entities import Metric, Param, RunTag
from mlflow.tracking import MlflowClient

from tunewise.history import Failure, Measurement, Trial, TrialState
from tunewise.study import Study

PER_MILLE = 1000
"""MLflow's steps are whole numbers: a snapshot's is the share of the data in thousandths."""

_STATUS = {
    TrialState.COMPLETE: "FINISHED",
    TrialState.FAILED: "FAILED",
    TrialState.CANCELLED: "KILLED",
}
_LONGEST = 5000
"""Letters of a tag's value that every version of MLflow keeps."""


class MlflowCallback:
    """Sends each trial that has ended to MLflow, once."""

    def __init__(
        self,
        tracking_uri: str | None = None,
        experiment: str | None = None,
        tags: dict[str, str] | None = None,
    ) -> None:
        """Choose where runs go.

        Args:
            tracking_uri: A server or a store of MLflow's; by default what MLflow is set to.
            experiment: The name of the experiment; by default that of the study.
            tags: Further tags of every run.
        """
        self._client = MlflowClient(tracking_uri)
        self._experiment = experiment
        self._tags = tags or {}

    def __call__(self, study: Study, trial: Trial) -> None:
        """Send one trial; one that waits, runs or is to run again is left for later."""
        if trial.state in _STATUS and not self._known(study, trial):
            self._send(study, trial)

    def log(self, study: Study) -> int:
        """Send all trials that have ended and were not sent before; says how many."""
        ended = [t for t in study.history if t.state in _STATUS and not self._known(study, t)]
        for trial in ended:
            self._send(study, trial)
        return len(ended)

    def _send(self, study: Study, trial: Trial) -> None:
        run = self._client.create_run(
            self._experiment_id(study),
            start_time=_milliseconds(trial.asked_at),
            tags={**self._tags, **_identity(study, trial)},
            run_name=f"{study.name}-{trial.number}",
        )
        params = [Param(str(name), str(value)) for name, value in trial.config.items()]
        self._client.log_batch(
            run.info.run_id,
            metrics=list(_metrics(trial)),
            params=[*params, Param("fraction", repr(trial.fraction))],
            tags=[RunTag("tunewise.state", trial.state.value), *_reason(trial)],
        )
        ended = _milliseconds(trial.told_at)
        self._client.set_terminated(run.info.run_id, _STATUS[trial.state], ended)

    def _experiment_id(self, study: Study) -> str:
        name = self._experiment or study.name
        found = self._client.get_experiment_by_name(name)
        return str(found.experiment_id if found else self._client.create_experiment(name))

    def _known(self, study: Study, trial: Trial) -> bool:
        """Whether the trial was sent before: a run that is resumed sends nothing twice."""
        wanted = " and ".join(
            f"tags.`{tag}` = '{value}'" for tag, value in _identity(study, trial).items()
        )
        runs = self._client.search_runs([self._experiment_id(study)], wanted, max_results=1)
        return bool(runs)


def _identity(study: Study, trial: Trial) -> dict[str, str]:
    return {
        "tunewise.study": study.name.replace("'", "’"),
        "tunewise.trial": str(trial.number),
    }


def _reason(trial: Trial) -> list[RunTag]:
    if not isinstance(trial.outcome, Failure):
        return []
    return [RunTag("tunewise.reason", trial.outcome.reason[:_LONGEST])]


def _metrics(trial: Trial) -> Iterator[Metric]:
    """What was measured, at the step of its share of the data; what was spent over all attempts."""
    when = _milliseconds(trial.told_at) or 0
    passed: dict[float, Any] = dict(trial.reported)
    if isinstance(trial.outcome, Measurement):
        passed |= trial.outcome.snapshots
    passed[trial.fraction] = trial.metrics
    for fraction, metrics in sorted(passed.items()):
        for name, value in metrics.items():
            yield Metric(name, value, when, round(PER_MILLE * fraction))
    for name, value in trial.spent.items():
        yield Metric(f"spent_{name}", value, when, round(PER_MILLE * trial.fraction))


def _milliseconds(at: float | None) -> int | None:
    return None if at is None else int(1000 * at)
