"""The answer that needs no model: what was measured best."""

from tunewise.errors import StrategyError
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.strategy import SURE, Recommendation
from tunewise.surrogate import Normal


def best_measured(problem: Problem, history: History) -> Recommendation:
    """Recommend from measurements alone: no model, so no doubt but the measured one."""
    best = history.best(problem)
    if best is None:
        anywhere = problem.deploy == "any"
        complete = (history if anywhere else history.full).complete
        if not len(complete):
            where = "" if anywhere else " at the full data"
            raise StrategyError(f"nothing can be recommended: no trial{where} is complete")
        best = min(complete, key=lambda t: problem.violation(t.metrics))
    predicted = {name: Normal(value, 0.0) for name, value in best.metrics.items()}
    kept = float(problem.feasible(best.metrics))
    limited = bool(problem.constraints)
    return Recommendation(best.config, best.fraction, predicted, kept, least=SURE, limited=limited)
