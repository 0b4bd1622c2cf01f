"""When a running trial cannot become the answer any more, by what it has reported so far.

Its reports are snapshots: observations of its config at smaller fractions, which the belief learns
from like any other. The trial is outclassed when another config that was measured is all but
certainly better on the full data. What is left of it would only confirm that.
"""

import math

import numpy as np

from tunewise.belief.candidates import Candidates
from tunewise.belief.grid import Grid
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.belief.usual.slopes import DOUBT
from tunewise.format import percent
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.strategy import SURE
from tunewise.surrogate.normal import SURELY, TINY
from tunewise.surrogate.scale import SCALES
from tunewise.surrogate.surrogate import FEW

_PASSED = 0.1
"""The share of a trial that has to be over: what it is worth for other configs shows by then."""


def outclassed(problem: Problem, history: History, trial: Trial, model: Model) -> str | None:
    """Why the trial cannot become the answer any more; None while it may.

    Args:
        problem: What is wanted.
        history: What was measured and reported, the trial's own reports included.
        trial: A trial that runs.
        model: What is assumed of every metric.
    """
    least = _PASSED * trial.fraction * (1 - 1e-3)  # 1/60 is written as 0.016667
    told = [s for s, m in trial.reported.items() if problem.objective in m and s >= least]
    ended = [t for t in history.complete if t.fraction >= trial.fraction]
    if not told or len(ended) < FEW or problem.deploy == "any" or len(problem.objectives) > 1:
        return None
    rivals = _rivals(problem, history, trial)
    if not rivals:
        return None
    from scipy.special import ndtr

    everyone = Candidates.of(problem, [trial.config, *rivals])
    learned, grid = model.learn(problem, history, True, None), Grid(everyone, np.ones(1))
    chance = _chance(Posterior(problem, history, grid, learned, np.empty(0, np.intp)), max(told))
    if chance > ndtr(-SURELY):
        return None
    passed = problem.part(max(told))
    return f"after {passed} the chance that it is the best is {percent(chance)}"


def _rivals(problem: Problem, history: History, trial: Trial) -> list[Config]:
    """The other configs that were measured, each once."""
    key = problem.space.key
    found = {key(t.config): t.config for t in history.complete}
    found.pop(key(trial.config), None)
    return list(found.values())


def _chance(posterior: Posterior, passed: float) -> float:
    """That the first config is feasible and better than the rival that is hardest to beat."""
    from scipy.special import ndtr

    objective, value = posterior.objective, posterior.value()[:, 0]
    mean, std = np.asarray(value.mean), np.asarray(value.std)
    spread = SCALES[objective.metric.kind].spread or float(np.std(mean[1:]))
    # Curves cross, which a smooth belief does not expect.
    doubt = DOUBT * spread * math.log10(1 / passed)
    own = math.sqrt(std[0] ** 2 + objective.surrogate.noise_**2 + doubt**2)
    better = ndtr((mean[0] - mean[1:]) / np.maximum(np.hypot(own, std[1:]), TINY))
    keeps = posterior.feasible()[:, 0]
    serious = keeps[1:] >= SURE
    return float(keeps[0] * better[serious].min()) if serious.any() else 1.0
