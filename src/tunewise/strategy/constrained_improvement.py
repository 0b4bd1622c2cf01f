"""Constrained expected improvement on the full data, per trial or per USD.

A latin hypercube begins; then a surrogate for each metric says which untried config is expected to
improve most on the best feasible one, weighed by the probability that its limits hold.
CherryPick, EIc and EIc per USD are this with different settings.
"""

from functools import cached_property

import numpy as np

from tunewise.acquisition.choice import chances, highest
from tunewise.acquisition.improvement import (
    expected_improvement,
    log_constrained_expected_improvement,
)
from tunewise.errors import StrategyError
from tunewise.history import History
from tunewise.problem import Metric, Problem
from tunewise.space import Config
from tunewise.strategy.belief import Belief, single, surrogate_for
from tunewise.strategy.candidates import Candidates, pool
from tunewise.strategy.measured import best_measured
from tunewise.strategy.prior_mean import PriorMeans
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.surrogate import Normal, Surrogate
from tunewise.surrogate.registered import SURROGATES


class ConstrainedImprovement(Strategy):
    """Constrained expected improvement on one surrogate a metric, at fraction 1."""

    per_usd = False
    """Whether improvement counts per USD (or second) that a trial is expected to spend."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        initial: int = 4,
        surrogate: str = "gp",
        candidates: int = 4096,
    ) -> None:
        """Choose how it begins and what it believes with.

        Args:
            problem: What is wanted.
            seed: Of the initial design and of candidate pools.
            initial: Configs of the latin hypercube that begins.
            surrogate: What models each metric.
            candidates: How many configs are weighed where the space has more than that.
        """
        super().__init__(problem, seed)
        if initial < 1 or candidates < 1:
            raise StrategyError(
                f"initial and candidates must be 1 or more, not {initial} and {candidates}"
            )
        self._initial, self._most = initial, candidates
        self._surrogate = SURROGATES.load(surrogate)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """The rest of the initial design, then the configs of most expected improvement."""
        picks = self._untried_design(history)[:count]
        if len(picks) < count:
            picks += self._improving(history, picks, count - len(picks))
        return [Suggestion(config) for config in picks]

    def recommend(self, history: History) -> Recommendation:
        """The best measured feasible config, with what the model expects of it."""
        measured = best_measured(self.problem, _full(history))
        belief, chosen = self._belief(history), Candidates.of(self.problem, [measured.config])
        predicted = {
            name: single(metric.natural(chosen, 1.0)) for name, metric in belief.metrics.items()
        }
        probability = float(belief.feasible(chosen, 1.0)[0])
        return Recommendation(measured.config, 1.0, predicted, probability)

    def expected_gain(self, history: History) -> float | None:
        """The largest constrained expected improvement, in the objective's own unit."""
        best = _full(history).best(self.problem)
        if best is None or self._untried_design(history):
            return None
        belief, left = self._belief(history), self._untried(history, [])
        if not len(left):
            return 0.0
        value = belief.objective.natural(left, 1.0)
        sign = 1.0 if self.problem.maximize else -1.0
        incumbent = sign * best.metrics[self.problem.objective]
        improvement = expected_improvement(Normal(sign * value.mean, value.std), incumbent)
        return float(np.max(improvement * belief.feasible(left, 1.0)))

    def _untried_design(self, history: History) -> list[Config]:
        """What is left of the initial design, which is the same whenever it is asked for."""
        suggested = sum(not t.enqueued for t in history)
        if suggested >= self._initial:
            return []
        design = self.problem.space.latin(self._initial, np.random.default_rng(self.seed))
        if self._prior_means is not None:
            design = self._prior_means.begun(design)
        tried = {self.problem.space.key(t.config) for t in history}
        left = [c for c in design if self.problem.space.key(c) not in tried]
        return left[: self._initial - suggested]

    def _improving(self, history: History, picks: list[Config], count: int) -> list[Config]:
        left = self._untried(history, picks)
        if not len(left):
            return []
        if not len(history.complete):
            order = np.random.default_rng([self.seed, len(history)]).permutation(len(left))
            return [left.configs[i] for i in order[:count]]
        belief = self._belief(history)
        awaited = Candidates.of(self.problem, [t.config for t in history.pending] + picks)
        found: list[Config] = []
        for _ in range(min(count, len(left))):
            score = self._score(history, belief.assumed(awaited, 1.0), left)
            chance = chances(len(left), self.seed, len(history), len(awaited))
            chosen = highest(score, chance, logarithms=True)
            found.append(left.configs[chosen])
            awaited = Candidates.of(self.problem, [*awaited.configs, left.configs[chosen]])
            left = left.at(np.delete(np.arange(len(left)), chosen))
        return found

    def _score(self, history: History, belief: Belief, left: Candidates) -> np.ndarray:
        best = _full(history).best(self.problem)
        incumbent = None
        if best is not None:
            here = Candidates.of(self.problem, [best.config])
            incumbent = float(np.asarray(belief.value(here, 1.0).mean)[0])
        feasible = belief.feasible(left, 1.0)
        score = log_constrained_expected_improvement(belief.value(left, 1.0), incumbent, feasible)
        return score - np.log(belief.spending(left, 1.0)) if self.per_usd else score

    def _untried(self, history: History, picks: list[Config]) -> Candidates:
        key = self.problem.space.key
        known = {key(t.config) for t in history} | {key(c) for c in picks}
        every = pool(self.problem, history, self.seed, self._most)
        return every.at(np.flatnonzero([key(c) not in known for c in every.configs]))

    def _belief(self, history: History) -> Belief:
        return Belief.of(self.problem, _full(history), self._make, self._prior_means)

    @cached_property
    def _prior_means(self) -> PriorMeans | None:
        return PriorMeans(self.problem, self.prior) if self.prior else None

    def _make(self, metric: Metric) -> Surrogate:
        return surrogate_for(metric, self._surrogate)


def _full(history: History) -> History:
    return History(t for t in history if t.fraction == 1.0)
