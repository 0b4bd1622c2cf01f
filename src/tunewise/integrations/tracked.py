"""What trackers of experiments are told of a trial."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from tunewise.errors import StorageError
from tunewise.history import Measurement, Trial, TrialState
from tunewise.problem import Metrics, Problem
from tunewise.study import Study

ENDED = (TrialState.COMPLETE, TrialState.FAILED, TrialState.CANCELLED)
"""Where a trial stands whose outcome will not change."""

PER_MILLE = 1000
"""Steps are whole numbers: a snapshot's is its epoch, or the share of the data in thousandths."""


def steps_of(problem: Problem, trial: Trial) -> Iterator[tuple[int, Metrics]]:
    """What was measured on the way and at the end, by step."""
    passed = dict(trial.reported)
    if isinstance(trial.outcome, Measurement):
        passed |= trial.outcome.snapshots
    passed[trial.fraction] = trial.metrics
    for fraction, metrics in sorted(passed.items()):
        if metrics:
            yield round((problem.epochs or PER_MILLE) * fraction), metrics


def plain_config(trial: Trial) -> dict[str, Any]:
    """The config with the fraction; what is no number, text or truth value as text."""
    config = {**trial.config, "fraction": trial.fraction}
    return {k: v if isinstance(v, bool | int | float | str) else str(v) for k, v in config.items()}


class Tracker(ABC):
    """Sends each trial that has ended to a tracker of experiments, once.

    A study never ends for it: what could not be sent is warned of, and sent by `log`.
    """

    def __call__(self, study: Study, trial: Trial) -> None:
        """Send one trial; one that waits, runs or is to run again is left for later."""
        try:
            self._send_ended(study, trial)
        except Exception as error:  # whatever tracking runs into, the study goes on
            logging.getLogger("tunewise").warning(
                "trial %d was not tracked (%s); the study goes on, and %s.log(study) sends what is"
                " missing",
                trial.number,
                error,
                type(self).__name__,
            )

    def log(self, study: Study) -> int:
        """Send all trials that have ended and were not sent before; says how many.

        Raises:
            StorageError: When the tracker cannot be reached or written, or refuses one.
        """
        try:
            return sum(self._send_ended(study, trial) for trial in study.history)
        except Exception as error:
            raise StorageError(
                f"{type(self).__name__} could not track study {study.name!r}: {error}"
            ) from error

    def _send_ended(self, study: Study, trial: Trial) -> bool:
        return trial.state in ENDED and self._send_once(study, trial)

    @abstractmethod
    def _send_once(self, study: Study, trial: Trial) -> bool:
        """Send a trial that has ended; False where it was sent before."""
