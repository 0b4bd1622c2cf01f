"""MLflow: every trial a run, with its params, metrics, snapshots and what it cost.

Needs the extra `tunewise[mlflow]`. Hand `MlflowCallback()` to `study.optimize(callbacks=...)`, or
send a whole study at once with `MlflowCallback().log(study)`.
"""

import logging
import os
import posixpath
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tunewise.errors import StorageError, optional
from tunewise.history import Failure, Measurement, Trial, TrialState
from tunewise.study import Study

optional("mlflow", "mlflow")

from mlflow.entities import Metric, Param, RunTag  # noqa: E402 - its absence has its own sentence
from mlflow.tracking import MlflowClient  # noqa: E402

PER_MILLE = 1000
"""MLflow's steps are whole numbers: a snapshot's is the share of the data in thousandths."""

PAUSE = 30.0
"""Seconds without a further try after one has failed: a server that is away must not slow a study
down by a timeout for each trial."""

_STATUS = {
    TrialState.COMPLETE: "FINISHED",
    TrialState.FAILED: "FAILED",
    TrialState.CANCELLED: "KILLED",
}
_LONGEST = 5000
"""Letters of a tag's value that every version of MLflow keeps."""
_LONGEST_NAME = 240
"""Letters of a param's or metric's name: MLflow takes 250, and a number may have to follow."""
_PARAMS_AT_ONCE, _METRICS_AT_ONCE = 100, 1000
"""What MLflow takes in one request."""
_IMPATIENT = {"MLFLOW_HTTP_REQUEST_TIMEOUT": "5", "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0"}
"""While a study runs: MLflow's own settings wait for a server that is away for several minutes."""


class MlflowCallback:
    """Sends each trial that has ended to MLflow, once.

    A study never waits or ends for it: what could not be sent is warned of, tried again after the
    next trials, and sent by `log`.
    """

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
        self._missed: list[Trial] = []
        self._paused_until = 0.0

    def __call__(self, study: Study, trial: Trial) -> None:
        """Send one trial; one that waits, runs or is to run again is left for later."""
        if trial.state not in _STATUS:
            return
        self._missed.append(trial)
        if time.monotonic() < self._paused_until:
            return
        try:
            with _impatient():
                while self._missed:
                    self._send_once(study, self._missed[0])
                    del self._missed[0]
        except Exception as error:  # whatever tracking runs into, the study goes on
            self._paused_until = time.monotonic() + PAUSE
            # The one that MLflow may refuse for itself does not hold up the others.
            self._missed.append(self._missed.pop(0))
            logging.getLogger("tunewise").warning(
                "trial %d was not sent to MLflow (%s); the study goes on, and"
                " MlflowCallback.log(study) sends what is missing",
                self._missed[-1].number,
                _brief(error),
            )

    def log(self, study: Study) -> int:
        """Send all trials that have ended and were not sent before; says how many.

        Raises:
            StorageError: When MLflow cannot be reached, or refuses one.
        """
        sent = 0
        try:
            with _impatient():
                self._experiment_id(study)
            for trial in study.history:
                sent += trial.state in _STATUS and self._send_once(study, trial)
        except Exception as error:
            raise StorageError(
                f"MLflow took {sent} trials of study {study.name!r} and then no more:"
                f" {_brief(error)}"
            ) from error
        self._missed.clear()
        return sent

    def _send_once(self, study: Study, trial: Trial) -> bool:
        """Send a trial unless it was sent before; what began to be sent is completed."""
        experiment = self._experiment_id(study)
        wanted = " and ".join(
            f"tags.`{tag}` = '{value}'" for tag, value in _identity(study, trial).items()
        )
        found = self._client.search_runs([experiment], wanted, max_results=1)
        if found and found[0].info.status != "RUNNING":
            return False
        run = found[0] if found else self._begun(study, trial, experiment)
        self._fill(run.info.run_id, trial)
        return True

    def _begun(self, study: Study, trial: Trial, experiment: str) -> Any:
        return self._client.create_run(
            experiment,
            start_time=_milliseconds(trial.asked_at),
            tags={**self._tags, **_identity(study, trial)},
            run_name=f"{study.name}-{trial.number}",
        )

    def _fill(self, run_id: str, trial: Trial) -> None:
        names = _allowed(trial.config, taken=["fraction"])
        params = [Param(names[name], str(value)) for name, value in trial.config.items()]
        params.append(Param("fraction", repr(trial.fraction)))
        metrics = list(_metrics(trial))
        for start in range(0, len(params), _PARAMS_AT_ONCE):
            self._client.log_batch(run_id, params=params[start : start + _PARAMS_AT_ONCE])
        for start in range(0, len(metrics), _METRICS_AT_ONCE):
            self._client.log_batch(run_id, metrics=metrics[start : start + _METRICS_AT_ONCE])
        tags = [RunTag("tunewise.state", trial.state.value), *_reason(trial)]
        self._client.log_batch(run_id, tags=tags)
        self._client.set_terminated(run_id, _STATUS[trial.state], _milliseconds(trial.told_at))

    def _experiment_id(self, study: Study) -> str:
        name = self._experiment or study.name
        found = self._client.get_experiment_by_name(name)
        return str(found.experiment_id if found else self._client.create_experiment(name))


@contextmanager
def _impatient() -> Iterator[None]:
    """Requests to MLflow that give up soon, unless the user has set how long they wait."""
    ours = {name: value for name, value in _IMPATIENT.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def _brief(error: Exception) -> str:
    """The first line of what MLflow says: the rest is a protocol of its tries."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")[:300]


def _identity(study: Study, trial: Trial) -> dict[str, str]:
    """What tells a trial from all others: studies in two stores may have one name."""
    return {
        "tunewise.study": study.name.replace("'", "’"),
        "tunewise.created": repr(study.record.created_at),
        "tunewise.trial": str(trial.number),
    }


def _allowed(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Each name as MLflow takes it; two that become alike are numbered."""
    found: dict[str, str] = {}
    for name in map(str, names):
        plain = re.sub(r"[^\w.\- :/]", "_", name)[:_LONGEST_NAME] or "_"
        if posixpath.normpath(plain) != plain or plain.startswith((".", "/")):
            plain = re.sub(r"[./]", "_", plain)  # MLflow takes it for a path
        unique, count = plain, 2
        while unique in {*taken, *found.values()}:
            unique, count = f"{plain}_{count}", count + 1
        found.setdefault(name, unique)
    return found


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
    spent = {f"spent_{name}": value for name, value in trial.spent.items()}
    names = _allowed([*(name for metrics in passed.values() for name in metrics), *spent])
    for fraction, metrics in sorted(passed.items()):
        for name, value in metrics.items():
            yield Metric(names[name], value, when, round(PER_MILLE * fraction))
    for name, value in spent.items():
        yield Metric(names[name], value, when, round(PER_MILLE * trial.fraction))


def _milliseconds(at: float | None) -> int | None:
    return None if at is None else int(1000 * at)
