"""What is believed about every trial of a grid, each metric predicted once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunewise.acquisition.choice import even_chances, highest, highest_few
from tunewise.strategy.belief import Belief, MetricBelief, expected_of_log, modelled_bound
from tunewise.strategy.grid import Grid, Index, Measured
from tunewise.surrogate import Array, Normal

_HOPE = 1.5
"""Standard deviations by which an optimist may be right."""

_FEAR = 2.0
"""Standard deviations by which spending may turn out higher than believed."""

_STEEPEST = 1.15
"""The power of the data with which spending grows at most: hardly more than in proportion."""


@dataclass(frozen=True, eq=False)
class Survey:
    """A belief laid over a grid of n configs and F fractions.

    On the full data it says what would be measured: with the surrogate's noise where nothing was,
    and exactly where something was.
    """

    belief: Belief
    grid: Grid
    measured: Measured

    @cached_property
    def predicted(self) -> dict[str, Normal]:
        """Each metric on its modelled scale, (n, F)."""
        return {name: self._laid(metric) for name, metric in self.belief.metrics.items()}

    @cached_property
    def success(self) -> Normal | None:
        """Whether trials succeed, (n, F); None while none has failed."""
        return None if self.belief.success is None else self._laid(self.belief.success)

    def _laid(self, metric: MetricBelief) -> Normal:
        candidates, fractions = self.grid.candidates, self.grid.fractions
        modelled = metric.surrogate.predict_grid(candidates.x, fractions)
        offsets = np.stack([metric.offset(candidates, s) for s in fractions], axis=1)
        mean, std = np.asarray(modelled.mean + offsets), np.array(modelled.std, float)
        std[:, -1] = np.hypot(std[:, -1], metric.surrogate.noise_)
        known = self.known(metric)
        told = ~np.isnan(known)
        mean[told, -1], std[told, -1] = known[told], 0.0
        return Normal(mean, std)

    def known(self, metric: MetricBelief) -> Array:
        """What was measured of a metric on the full data, on its modelled scale, NaN elsewhere."""
        known = np.full(len(self.grid.candidates), np.nan)
        if (told := self.measured.metrics.get(metric.metric.name)) is not None:
            known[self.measured.configs] = metric.scale.forward(told)
        return known

    @cached_property
    def best_value(self) -> float:
        """The best expected objective on the full data, on the modelled scale: a reference."""
        mean = np.asarray(self.predicted[self.belief.problem.objective].mean)[:, -1]
        return float(mean.max() if self.maximize else mean.min())

    @cached_property
    def worth(self) -> Array:
        """What each trial's own objective is worth, (n, F)."""
        return self.worth_of(self.predicted[self.belief.problem.objective])

    def worth_of(self, modelled: Normal) -> Array:
        """What beliefs about the objective on its modelled scale are worth: 0 and up.

        A share counts as itself, the expectation of a logit-normal by the probit approximation; a
        positive metric by its ratio to the best one expected; any other by where it lies between
        poor and good, in units of how much it differs.
        """
        mean, std = np.asarray(modelled.mean, float), np.asarray(modelled.std, float)
        kind, sign = self.belief.objective.metric.kind, 1.0 if self.maximize else -1.0
        if kind == "share":
            share = _expit(mean / np.sqrt(1 + np.pi / 8 * std**2))
            return share if self.maximize else 1 - share
        above = sign * (mean - self.best_value)
        if kind == "positive":
            return np.asarray(np.exp(np.clip(above, -60.0, 20.0)), float)
        return _expit(above / (self.belief.objective.surrogate.scale_ or 1.0))

    @cached_property
    def spending(self) -> Array:
        """What each trial is expected to spend, (n, F): 1 where nothing is known."""
        if self.belief.effort is None:
            return np.ones((len(self.grid.candidates), len(self.grid.fractions)))
        return expected_of_log(self.predicted[self.belief.effort])

    def at_worst(self, in_proportion: bool) -> Array:
        """What each trial may spend if the belief about it is unlucky, (n, F).

        Where only the smallest slices are known a belief fears anything of larger ones. With
        `in_proportion` no trial spends much more than in proportion to its data.
        """
        if self.belief.effort is None:
            return self.spending
        modelled = self.predicted[self.belief.effort]
        std = np.hypot(modelled.std, self.belief.metrics[self.belief.effort].surrogate.noise_)
        feared = np.asarray(np.exp(np.minimum(modelled.mean + _FEAR * std, 60.0)), float)
        if not in_proportion:
            return feared
        fractions = self.grid.fractions
        steepest = feared[:, :1] * (fractions / fractions[0]) ** _STEEPEST
        return np.asarray(np.minimum(feared, steepest), float)

    @cached_property
    def feasible(self) -> Array:
        """The probability that each trial itself would keep the limits, (n, F)."""
        shape = (len(self.grid.candidates), len(self.grid.fractions))
        probability = self.belief.feasibility(self.predicted, self.success, measured=False)
        return np.broadcast_to(probability, shape)

    @property
    def maximize(self) -> bool:
        """Whether more of the objective is better."""
        return self.belief.problem.maximize

    @property
    def rewards(self) -> Array:
        """What recommending each config is worth, times the chance that it is feasible, (n,)."""
        return np.asarray(self.worth[:, -1] * self.feasible[:, -1], float)

    def plausible(self, most: int, limited: bool = True) -> Index:
        """The configs that could turn out best, by an optimistic view of objective and limits."""
        count = len(self.grid.candidates)
        if count <= most:
            return np.arange(count)
        hopeful = self._hopeful(self.belief.problem.objective, upwards=self.maximize)
        score = self.worth_of(Normal(hopeful.mean, np.zeros(count)))
        now = self.rewards if limited else self.worth[:, -1]
        if limited:
            score = score * self._hopeful_feasibility()
        chance = even_chances(count)
        return np.union1d(highest_few(score, most, chance), [highest(now, chance)])

    def _hopeful(self, name: str, upwards: bool) -> Normal:
        full = self.predicted[name][:, -1]
        std = np.asarray(full.std, float)
        return Normal(full.mean + (_HOPE if upwards else -_HOPE) * std, std)

    def _hopeful_feasibility(self) -> Array:
        probability = np.ones(len(self.grid.candidates))
        for constraint in self.belief.problem.constraints:
            above = constraint.sign == ">="
            bound = modelled_bound(constraint, self.belief.metrics[constraint.metric].scale)
            believed = self._hopeful(constraint.metric, upwards=above)
            kept = believed.probability_above if above else believed.probability_below
            probability *= kept(bound)
        return probability


def _expit(value: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -60.0, 60.0))), float)
