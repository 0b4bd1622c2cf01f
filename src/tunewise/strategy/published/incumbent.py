"""Which config a paper deploys: the argmax of its models, or the best run.

No caution of ours: `loop.recommender` has that.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.choice import even_chances, highest
from tunewise.belief.posterior import Posterior
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.loop.recommender import described
from tunewise.strategy.strategy import Recommendation


@dataclass(frozen=True)
class Incumbent:
    """The config of the best predicted objective on the full data among the feasible ones.

    TrimTuner's algorithm 1, line 20, and Fabulinus' algorithm 4, line 12. Where none is feasible,
    which the papers do not speak of, it is the most probably feasible one.

    Attributes:
        least: A config is feasible whose predicted probability to keep all limits is at least
            this; None: limits are unseen (FABOLAS).
        tested: Whether only configs of complete trials are considered (FABOLAS).
    """

    least: float | None = 0.9
    tested: bool = False

    def __call__(self, posterior: Posterior) -> Recommendation:
        """The recommendation, at the full data."""
        predicted = posterior.worth_of(posterior.predict(posterior.problem.objective)[:, -1])
        feasible = np.asarray(posterior.feasible()[:, -1], float)
        considered = _tested(posterior) if self.tested else np.ones(len(predicted), bool)
        safe = considered if self.least is None else considered & (feasible >= self.least)
        score = np.where(safe, predicted, -np.inf)
        if not safe.any():
            score = np.where(considered, feasible, -np.inf)
        chosen = highest(score, even_chances(len(score)))
        return described(posterior, posterior.grid.candidates.configs[chosen], 1.0, 0.0)


def best_run(posterior: Posterior) -> Recommendation:
    """The best measured run within the limits, at any fraction (Nephele's algorithm 2, line 16)."""
    best = best_measured(posterior.problem, posterior.history)
    return described(posterior, best.config, best.fraction, 0.0)


def best_full_run(posterior: Posterior) -> Recommendation:
    """The best measured run within the limits on the full data (CherryPick, Lynceus)."""
    best = best_measured(posterior.problem, posterior.history.full)
    return described(posterior, best.config, 1.0, 0.0)


def _tested(posterior: Posterior) -> NDArray[np.bool_]:
    """Which configs have a complete trial on any fraction, (n,); all where the pool has none."""
    key = posterior.problem.space.key
    tried = {key(trial.config) for trial in posterior.history.complete}
    found = np.array([key(c) in tried for c in posterior.grid.candidates.configs], bool)
    return found if found.any() else np.ones(len(found), bool)
