"""What one more trial is expected to bring, in the objective's own unit."""

import math
from collections.abc import Callable

from tunewise.acquisition.improving import improvement_gain
from tunewise.acquisition.knowledge_gradient import knowledge_gain
from tunewise.acquisition.optimality import improvement as cluster_improvement
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.history.prior import LEAST
from tunewise.strategy.loop.affordability import payable_clusters
from tunewise.strategy.strategy import Recommendation

Recommend = Callable[[Posterior], Recommendation]


def knowledge(posterior: Posterior, recommender: Recommend) -> float | None:
    """The largest knowledge gradient of an open trial, at what is recommended."""
    if len(posterior.history.complete) < LEAST:
        return None
    foreseen = recommender(posterior)
    return knowledge_gain(posterior, (foreseen.predicted_best or foreseen).config)


def improvement(posterior: Posterior, recommender: Recommend) -> float | None:
    """The largest constrained expected improvement of an open trial."""
    return improvement_gain(posterior)


def measured_improvement(posterior: Posterior, recommender: Recommend) -> float | None:
    """The same, with limits that must hold for what would be measured."""
    return improvement_gain(posterior, Doubt.MEASUREMENT)


def on_clusters(
    posterior: MachinePosterior, recommender: Callable[[MachinePosterior], Recommendation]
) -> float | None:
    """The largest expected improvement on the incumbent, of what the budget pays for."""
    if not math.isfinite(posterior.best):
        return None
    left = payable_clusters(posterior, posterior.open)
    return math.exp(posterior.best) * float(cluster_improvement(posterior, left).max(initial=0.0))
