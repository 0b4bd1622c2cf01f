"""Which trial a strategy is asked for next, where money is short too."""

from collections.abc import Callable

from tunewise.errors import StrategyError, StudyError
from tunewise.history import History, Trial, Unaffordable
from tunewise.problem import Problem
from tunewise.strategy.strategy import Strategy, Suggestion
from tunewise.study.run.threads import one_thread

_SUGGESTIONS = 20
"""How many suggestions are looked at for one that the money left may pay for."""

TooDear = Callable[[Trial, float | None], bool]
"""Whether what is left does not pay for a trial, which may be expected to cost so many USD."""


def suggested(strategy: Strategy, history: History, too_dear: TooDear | None) -> Suggestion | None:
    """The first suggestion that is not too dear; where all are, the first of them.

    One that the strategy itself expects to cost more than is left is none.
    """
    first, passed = None, history
    for _ in range(_SUGGESTIONS):
        with one_thread():
            suggestions = strategy.suggest(passed, 1)
        if not suggestions:
            break
        new = suggestions[0]
        trial = Trial(len(passed), new.config, new.fraction)
        if too_dear is None:
            return new
        expected = new.cost is not None and too_dear(trial, new.cost)
        if not expected and not too_dear(trial, None):
            return new
        first = first if expected else first or new
        passed = History([*passed, trial.told(Unaffordable("not affordable"))])
    return first


def full_training(
    problem: Problem, strategy: Strategy, history: History, too_dear: TooDear | None
) -> Suggestion | None:
    """What would be recommended, trained on all data; None where it was, or is being.

    Before anything is measured it is what the strategy would begin with. None, too, where it is too
    dear: all data cost at least as much as the cheapest slice does in proportion.
    """
    if problem.deploy == "any" or len(problem.fractions) == 1:
        return None
    with one_thread():
        try:
            config = strategy.recommend(history).config
        except StrategyError:
            begun = strategy.suggest(history, 1)
            config = begun[0].config if begun else {}
    full = [t.config for t in history if t.fraction == 1.0 and (t.state.pending or t.measurement)]
    if config in full:
        return None
    costs = [t.metrics["cost"] / t.fraction for t in history.complete if "cost" in t.metrics]
    trial = Trial(len(history), config)
    if not config or (too_dear and too_dear(trial, min(costs, default=None))):
        return None
    return Suggestion(config)


def why_none(problem: Problem, history: History) -> str:
    """Why there is no trial left to suggest."""
    space, budget = problem.space, problem.budget
    if not space.parameters:
        if any(trial.state.pending for trial in history):
            return "its first trial shows what may be chosen: tell it before you ask for the next"
        return (
            "the training asked for no parameter; call trial.suggest_float, suggest_int or"
            " suggest_categorical in it, or give the Problem a Space"
        )
    tried = {space.key(trial.config) for trial in history if trial.config in space}
    if space.size is not None and len(tried) >= space.size:
        return "every config of the space was tried"
    if budget is None:
        return "no further trial is worth its cost"
    left = max(budget - history.spent["cost"], 0.0)
    return f"no further trial is worth or sure to be paid for by the {left:.3g} USD left"


def refuse_overspending(problem: Problem, study: str, history: History) -> None:
    """Refuse to ask for a trial of a study whose budget is spent."""
    budget = problem.budget
    if budget is not None and (spent := history.spent["cost"]) >= budget * (1 - 1e-9):
        raise StudyError(
            f"study {study!r} has spent {spent:g} USD of its budget of {budget:g} USD;"
            " give it a larger budget to go on"
        )


def refuse_lost(problem: Problem, study: str, purpose: str, *needed: str) -> None:
    """Refuse what needs a function of the problem that only the original code knows.

    Args:
        problem: The study's, as far as it is known.
        study: Its name.
        purpose: What the functions are needed for.
        needed: The functions, by the argument of `Problem` or `Space` that takes them.
    """
    if gone := [name for name in needed if name in problem.lost]:
        raise StudyError(
            f"study {study!r} was loaded without the function {gone[0]!r} of its problem,"
            f" which a store cannot keep; to {purpose}, open it with its problem:"
            f" tunewise.Study(problem, storage=..., name={study!r})"
        )
