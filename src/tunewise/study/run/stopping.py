"""When a study has done enough. A rule is a function of the progress so far."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tunewise.errors import StudyError
from tunewise.history import Failure, History, Misused, TimedOut, Trial, alike
from tunewise.problem import Problem
from tunewise.strategy.loop.gain import LeastGain


@dataclass(frozen=True)
class Progress:
    """What a stop rule may look at.

    Attributes:
        problem: What is wanted.
        history: All trials so far.
        elapsed: Seconds since this run began, on the executor's clock.
        expected_gain: Asks the strategy how much one more trial is expected to bring.
    """

    problem: Problem
    history: History
    elapsed: float
    expected_gain: Callable[[], float | None]


StopRule = Callable[[Progress], str | None]
"""Returns why to stop, or None to go on."""


def after_seconds(seconds: float) -> StopRule:
    """Start no trial once the run has lasted so long."""

    def rule(progress: Progress) -> str | None:
        over = progress.elapsed >= seconds
        return f"the time of {seconds:g} s is over" if over else None

    return rule


def budget_spent(progress: Progress) -> str | None:
    """Stop once the booked cost has reached the problem's budget."""
    budget, spent = progress.problem.budget, progress.history.spent["cost"]
    if budget is None or spent < budget * (1 - 1e-9):
        return None
    return f"the budget of {budget:g} USD is spent"


def target_reached(target: float) -> StopRule:
    """Stop once a feasible trial at the full data is at least as good as the target."""

    def rule(progress: Progress) -> str | None:
        problem = progress.problem
        best = progress.history.best(problem)
        reached = best is not None and not problem.better(target, best.metrics[problem.objective])
        return f"the target of {target:g} is reached" if reached else None

    return rule


_ALL_FAILED = 3
"""So many trials of a run may fail alike, when none ever worked, before it is left to a person."""


def nothing_works(before: History) -> StopRule:
    """Stop a run whose trials fail alike while none ever worked: mostly the job is wrong.

    Where it is known to be wrong, whatever the config, one such trial is enough. A trial that a
    limit stopped did work as far as it got.
    """
    known = {trial.number for trial in before.failed}

    def rule(progress: Progress) -> str | None:
        new = [trial for trial in progress.history.failed if trial.number not in known]
        alike = Counter(_kind(trial) for trial in new if not isinstance(trial.outcome, TimedOut))
        most = max(alike.values(), default=0)
        if len(progress.history.complete):
            return None
        if any(isinstance(trial.outcome, Misused) for trial in new):
            return "the job is wrong, whatever config it gets"
        if most < _ALL_FAILED:
            return None
        if most == len(new):
            return f"all {most} trials of this run failed"
        return f"{most} of {len(new)} trials of this run failed alike, and none worked"

    return rule


def _kind(trial: Trial) -> str:
    """The reason of a failure in its first line, whatever numbers it names."""
    reason = trial.outcome.reason if isinstance(trial.outcome, Failure) else ""
    return alike(reason)


def no_gain(least: LeastGain) -> StopRule:
    """Stop once one more trial is expected to better the objective by less."""
    return lambda progress: least.missed(progress.problem, progress.history, progress.expected_gain)


def least_gain(gain: float | str, trials: int | None = None) -> LeastGain:
    """From an amount of the objective, or a share of the best one such as "10 %"."""
    text = str(gain).strip()
    relative = text.endswith("%")
    try:
        amount = math.nan if isinstance(gain, bool) else float(text.removesuffix("%"))
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise StudyError(
            f"min_gain is {gain!r}; expected a number, 0 or above, or a share of the best"
            " objective such as '10 %'"
        )
    return LeastGain(amount / 100 if relative else amount, relative, trials or 0)
