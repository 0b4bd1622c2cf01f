"""What trackers of experiments are told of a trial."""

from collections.abc import Iterator
from typing import Any

from tunewise.history import Measurement, Trial, TrialState
from tunewise.problem import Metrics, Problem

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
