"""How a trial stands against the problem: the one classification that all charts share."""

from enum import StrEnum

from tunewise.history import Trial, TrialState
from tunewise.problem import Problem


class Standing(StrEnum):
    """What a trial says about the config that will be deployed."""

    KEEPS = "keeps the limits"
    BREAKS = "breaks a limit"
    PARTIAL = "part of the data"  # limits are on the deployed config: not known from here
    FAILED = "failed"
    CANCELLED = "cancelled"
    PENDING = "pending"


_UNMEASURED = {
    TrialState.FAILED: Standing.FAILED,
    TrialState.CANCELLED: Standing.CANCELLED,
}


def standing(problem: Problem, trial: Trial) -> Standing:
    """How the trial stands against the problem."""
    if trial.measurement is None:
        return _UNMEASURED.get(trial.state, Standing.PENDING)
    if not problem.deployable(trial.fraction):
        return Standing.PARTIAL
    return Standing.KEEPS if problem.feasible(trial.metrics) else Standing.BREAKS


def feasible(problem: Problem, trial: Trial) -> bool | None:
    """Whether the trial keeps the limits; None where it does not tell."""
    return {Standing.KEEPS: True, Standing.BREAKS: False}.get(standing(problem, trial))


def label(problem: Problem, stands: Standing) -> str:
    """The standing in words that fit the problem: without limits there is nothing to keep."""
    if stands is Standing.KEEPS and not problem.constraints:
        return "complete"
    return stands.value


def objective(problem: Problem, trial: Trial) -> float | None:
    """The measured objective of a complete trial."""
    return trial.measurement.metrics.get(problem.objective) if trial.measurement else None


def candidates(problem: Problem, trials: "list[Trial]") -> list[tuple[Trial, float]]:
    """The trials that could be the answer as they are, with their objective."""
    valued = ((t, objective(problem, t)) for t in trials)
    return [(t, y) for t, y in valued if y is not None and feasible(problem, t)]


def best(problem: Problem, trials: "list[Trial]") -> Trial | None:
    """The best feasible measured trial at a deployed fraction, the earliest of equals."""
    found = candidates(problem, trials)
    if not found:
        return None
    return (max if problem.maximize else min)(found, key=lambda pair: pair[1])[0]
