"""BOHB (Falkner and others, 2018): Hyperband's brackets with new configs from a model.

The model is ours instead of a kernel density: one surrogate a metric over (config, fraction), and
constrained expected improvement at the largest fraction that enough is known about.
"""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from tunewise.acquisition.choice import chances, highest
from tunewise.acquisition.improvement import log_constrained_expected_improvement
from tunewise.errors import StrategyError
from tunewise.history import History
from tunewise.problem import Metric, Problem
from tunewise.space import Config
from tunewise.strategy.belief import Belief, surrogate_for
from tunewise.strategy.candidates import Candidates, pool
from tunewise.strategy.foresight import Foresight
from tunewise.strategy.hyperband import Hyperband
from tunewise.strategy.options import check_number, check_whole
from tunewise.strategy.prior_mean import PriorMeans
from tunewise.strategy.succession import Climber
from tunewise.surrogate import Surrogate
from tunewise.surrogate.registered import SURROGATES


class Bohb(Hyperband):
    """Hyperband whose new configs come from a model; some stay random, so that none is ruled out.

    The model is asked once one fraction has more measurements than the space has parameters.
    """

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        eta: int = 3,
        random: float = 1 / 3,
        surrogate: str = "gp",
        candidates: int = 2000,
    ) -> None:
        """Choose the brackets and what new configs come from.

        Args:
            problem: What is wanted, with slices of the data.
            seed: Of the configs drawn.
            eta: One in so many goes on to the next rung.
            random: The share of new configs that is drawn by chance.
            surrogate: What models each metric.
            candidates: How many configs are weighed where the space has more than that.
        """
        super().__init__(problem, seed, eta=eta)
        check_number("random", random)
        if random > 1:
            raise StrategyError(f"random is {random!r}; expected a share, from 0 to 1")
        check_whole("candidates", candidates)
        self._random, self._most = random, candidates
        self._surrogate = SURROGATES.load(surrogate)

    def newcomer(
        self, history: History, known: Mapping[tuple[object, ...], Climber]
    ) -> Config | None:
        """The untried config of most constrained expected improvement, or a random one."""
        fraction = self._best_known_fraction(history)
        chance = np.random.default_rng([self.seed, len(history), 1]).random() < self._random
        if fraction is None or chance:
            return super().newcomer(history, known)
        every = pool(self.problem, history, self.seed, self._most)
        key = self.problem.space.key
        left = every.at(np.flatnonzero([key(c) not in known for c in every.configs]))
        if not len(left):
            return super().newcomer(history, known)
        score = self._score(history, left, fraction)
        return left.configs[highest(score, chances(len(left), self.seed), logarithms=True)]

    def _best_known_fraction(self, history: History) -> float | None:
        """The largest fraction with more measurements than parameters, None for none."""
        seen = history.observations(self.problem.objective).fractions
        enough = len(self.problem.space.parameters) + 1
        return max(
            (s for s in self.problem.fractions if np.count_nonzero(seen == s) >= enough),
            default=None,
        )

    def _score(self, history: History, left: Candidates, fraction: float) -> np.ndarray:
        pending = history.pending
        awaited = Candidates.of(self.problem, [t.config for t in pending])
        known = Belief.of(self.problem, history, self._make, self._prior_means)
        belief = known.assumed(awaited, np.array([t.fraction for t in pending]))
        deployed = fraction if self.problem.deploy == "any" else 1.0
        return log_constrained_expected_improvement(
            belief.value(left, fraction),
            self._incumbent(history, belief, fraction),
            belief.feasible(left, deployed),
        )

    def _incumbent(self, history: History, belief: Belief, fraction: float) -> float | None:
        """What the model makes of the best config there that is expected to keep the limits."""
        foresight = Foresight.of(self.problem, history)
        there = (t for t in history.complete if t.fraction == fraction)
        ranked = [(foresight.standing(t), t) for t in there]
        kept = [(rank, t) for rank, t in ranked if rank[0] == 0]
        if not kept:
            return None
        best = min(kept, key=lambda pair: pair[0])[1]
        here = Candidates.of(self.problem, [best.config])
        return float(np.asarray(belief.value(here, fraction).mean)[0])

    @cached_property
    def _prior_means(self) -> PriorMeans | None:
        return PriorMeans(self.problem, self.prior) if self.prior else None

    def _make(self, metric: Metric) -> Surrogate:
        return surrogate_for(metric, self._surrogate)
