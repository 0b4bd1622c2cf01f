"""The posterior of a problem over every trial that could be run: configs times fractions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from statistics import NormalDist

import numpy as np

from tunewise.belief.candidates import Candidates
from tunewise.belief.choice import even_chances, highest, highest_few
from tunewise.belief.grid import (
    Grid,
    Index,
    bounds,
    measured_at_full,
    open_trials,
)
from tunewise.belief.metric_belief import MetricBelief, expected_of_log, holds, on_scale
from tunewise.belief.model import SUCCESS, Learned, Model
from tunewise.belief.prior_mean import PriorMeans
from tunewise.belief.worth import above_floor, worth_of
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.normal import TINY, from_log
from tunewise.surrogate.slope import LEAST

HOPE = 1.5
"""Standard deviations by which an optimist may be right: one config in fifteen does better. It only
orders the configs that may be targets, of which there are many more than are likely to win."""


class Doubt(Enum):
    """What a prediction is about; the answers differ in their standard deviations."""

    METRIC = "the metric itself, free of what the surrogate calls noise"
    MEASUREMENT = "what a new trial would measure, which is known where repeats agree"


@dataclass(frozen=True, eq=False)
class Posterior:
    """All that is believed about a grid of n configs and F fractions, given a history.

    Predictions are made for the whole grid when they are first asked for, once.

    Attributes:
        problem: What is wanted.
        history: What was measured.
        grid: The trials that could be run.
        learned: The belief about each metric.
        open: (m,) which of the trials may still be run.
        waiting: Trials that are assumed to have come out as expected.
    """

    problem: Problem
    history: History
    grid: Grid
    learned: Learned
    open: Index
    waiting: tuple[tuple[Config, float], ...] = ()
    _cache: dict[tuple[str, Doubt], Normal] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        problem: Problem,
        history: History,
        grid: Grid,
        model: Model,
        prior: PriorMeans | None = None,
        open: Index | None = None,
    ) -> "Posterior":
        """Learn from a history in which at least one trial is complete, and from other studies.

        Args:
            problem: What is wanted.
            history: What was measured.
            grid: The trials that could be run.
            model: What is assumed of every metric.
            prior: What other studies say.
            open: Which trials may still be run; by default all that the history does not have.
        """
        learned = model.learn(problem, history, len(grid.fractions) > 1, prior)
        left = open_trials(problem, history, grid) if open is None else open
        return cls(problem, history, grid, learned, left)

    def assuming(self, waiting: Iterable[tuple[Config, float]]) -> "Posterior":
        """The posterior once these trials had come out as expected."""
        trials = tuple(waiting)
        if not trials:
            return self
        awaited = Candidates.of(self.problem, [config for config, _ in trials])
        learned = self.learned.assuming(awaited, np.array([s for _, s in trials]))
        key = self.problem.space.key
        taken = self.grid.numbers(self.problem, ((key(c), s) for c, s in trials))
        left = np.setdiff1d(self.open, taken, assume_unique=True)
        return replace(self, learned=learned, open=left, waiting=trials, _cache={})

    def over(self, grid: Grid | Candidates, open: Index | None = None) -> "Posterior":
        """The same belief about other trials, or configs on the full data; none open by default."""
        grid = Grid(grid, np.ones(1)) if isinstance(grid, Candidates) else grid
        left = np.empty(0, np.intp) if open is None else open
        return replace(self, grid=grid, open=left, _cache={})

    @cached_property
    def stated(self) -> "Posterior":
        """The posterior as it is said to people: with beliefs that doubt more."""
        return replace(self, learned=self.learned.careful(), _cache={})

    @cached_property
    def tested(self) -> "Posterior":
        """The same belief about the configs of complete trials, trained to their end once more."""
        key = self.problem.space.key
        configs = {key(trial.config): trial.config for trial in self.history.complete}
        tried = Candidates.of(self.problem, list(configs.values()))
        trained = replace(self, learned=self.learned.deployed())
        return trained.over(Grid(tried, self.grid.fractions))

    @property
    def sign(self) -> float:
        """1 where more of the objective is better, else -1."""
        return 1.0 if self.problem.maximize else -1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Configs and fractions, (n, F)."""
        return len(self.grid.candidates), len(self.grid.fractions)

    @property
    def objective(self) -> MetricBelief:
        """The belief about what is maximised or minimised."""
        return self.learned.metrics[self.problem.objective]

    @property
    def effort(self) -> str | None:
        """The metric that a trial spends, None where nothing is told."""
        return self.learned.effort

    @property
    def spent(self) -> float:
        """How much of it all trials have spent so far; 0 where nothing is told."""
        return self.history.spent[self.effort] if self.effort else 0.0

    @property
    def related(self) -> bool:
        """Whether configs predict each other."""
        return self.learned.related

    def believed(self, name: str) -> MetricBelief:
        """The belief about one metric, or about success."""
        if name == SUCCESS.name and self.learned.success is not None:
            return self.learned.success
        return self.learned.metrics[name]

    def predict(self, name: str, doubt: Doubt = Doubt.METRIC) -> Normal:
        """A metric on its modelled scale, (n, F)."""
        if (name, doubt) not in self._cache:
            self._cache[name, doubt] = self._predicted(name, doubt)
        return self._cache[name, doubt]

    def _predicted(self, name: str, doubt: Doubt) -> Normal:
        metric = self.believed(name)
        if doubt is Doubt.METRIC:
            return metric.predict_grid(self.grid.candidates, self.grid.fractions)
        latent = self.predict(name)
        mean, std = np.array(latent.mean, float), np.array(latent.std, float)
        std = np.hypot(std, metric.surrogate.noise_)
        if not metric.exact:
            return Normal(mean, std)
        known = self.known(name)
        told = ~np.isnan(known)
        mean[told, -1], std[told, -1] = known[told], 0.0
        return Normal(mean, std)

    def known(self, name: str) -> Array:
        """What was measured of a metric on the full data, on its modelled scale, NaN elsewhere."""
        known = measured_at_full(self.problem, self.history, self.grid, name)
        told, believed = ~np.isnan(known), self.believed(name)
        known[told] = on_scale(self.problem, believed.metric, known[told], believed.scale)
        return known

    def value(self, doubt: Doubt = Doubt.METRIC) -> Normal:
        """The objective on the modelled scale, turned so that more is better, (n, F)."""
        predicted = self.predict(self.problem.objective, doubt)
        return Normal(self.sign * np.asarray(predicted.mean), predicted.std)

    @cached_property
    def best_expected(self) -> float:
        """The best expected objective on the full data, on the modelled scale: a reference."""
        mean = np.asarray(self.predict(self.problem.objective, Doubt.MEASUREMENT).mean)[:, -1]
        return float(mean.max() if self.problem.maximize else mean.min())

    def worth_of(self, modelled: Normal) -> Array:
        """What beliefs about the objective on its modelled scale are worth: 0 and up."""
        return worth_of(modelled, self.objective, self.problem.maximize, self.best_expected)

    @cached_property
    def worth(self) -> Array:
        """What each trial's own objective is worth, (n, F)."""
        return self.worth_of(self.predict(self.problem.objective, Doubt.MEASUREMENT))

    def success(self, doubt: Doubt = Doubt.METRIC) -> Array:
        """The probability that each trial ends with a measurement, (n, F)."""
        if self.learned.success is None:
            return np.ones(self.shape)
        return self.predict(SUCCESS.name, doubt).probability_above(0.5)

    def feasible(self, doubt: Doubt = Doubt.METRIC) -> Array:
        """The probability that each trial succeeds and keeps every limit, (n, F)."""
        predicted = {c.metric: self.predict(c.metric, doubt) for c in self.problem.constraints}
        return self._feasibility(predicted) * self.success(doubt)

    def keeps(self, sure: float) -> Array:
        """The probability that new trainings of each config keep every limit so surely, (n, F).

        A metric whose repeats differ is taken to be as much worse as its noise may make it.
        """
        away, probability = NormalDist().inv_cdf(sure), self.success()
        for constraint in self.problem.constraints:
            metric, latent = self.believed(constraint.metric), self.predict(constraint.metric)
            noise = 0.0 if metric.exact else away * metric.surrogate.noise_
            worse = latent.mean + (noise if constraint.sign == "<=" else -noise)
            probability = probability * holds(constraint, Normal(worse, latent.std), metric.scale)
        return probability

    def _feasibility(self, predicted: Mapping[str, Normal]) -> Array:
        """The probability that beliefs of any shape keep all limits."""
        probability = np.ones(())
        for constraint in self.problem.constraints:
            scale = self.learned.metrics[constraint.metric].scale
            probability = probability * holds(constraint, predicted[constraint.metric], scale)
        return probability

    def spending(self, doubt: Doubt = Doubt.METRIC) -> Array:
        """What each trial is expected to spend, (n, F): 1 where nothing is told."""
        if self.effort is None:
            return np.ones(self.shape)
        return expected_of_log(self.predict(self.effort, doubt))

    def spending_at_most(self, deviations: float) -> Array:
        """What a trial spends if it measures so many deviations more than expected, (n, F)."""
        if self.effort is None:
            return np.ones(self.shape)
        modelled = self.predict(self.effort, Doubt.MEASUREMENT)
        return from_log(modelled.mean + deviations * modelled.std)

    def expected_usd(self, trial: int) -> float | None:
        """What a trial is expected to cost, None where costs are not told."""
        return float(self.spending().ravel()[trial]) if self.effort == "cost" else None

    @property
    def timed(self) -> bool:
        """Whether a clock tells what a trial has spent: time itself, or cost at a known price."""
        return self.effort == "time" or (self.effort == "cost" and self.problem.price is not None)

    def seconds(self, config: Config, spending: float) -> float:
        """After how many seconds a trial has spent so much, where that is timed."""
        if self.effort == "time":
            return spending
        hourly = self.problem.hourly(config)
        return 3600 * spending / hourly if hourly > 0 else np.inf

    @cached_property
    def pruned_at(self) -> Array:
        """What trials had spent when they were pruned, (n, F): 0 where none was."""
        if self.effort is None:
            return np.zeros(self.shape)
        return bounds(self.problem, self.history, self.grid, self.effort)

    @cached_property
    def floor(self) -> float:
        """What an answer that breaks a limit is worth; nothing where configs predict each other.

        Of unrelated configs it is little less than what a middling one is worth. Were it nothing
        at all, the last doubt about a limit would weigh more than the difference between a good
        config and a fair one, and a search would make sure of limits rather than find what is
        best within them. Where configs are related, learning what larger slices cost serves all
        of them, and that doubt is what drives a search there. Where less is better, what breaks a
        limit is worth nothing: half of all configs cost more than a middling one, and among them
        are most that keep limits on what is learned.
        """
        wanted = self.problem.maximize and self.problem.constraints
        if not wanted or self.related:
            return 0.0
        return float(max(np.median(self.worth[:, -1]) - LEAST, 0.0))

    @cached_property
    def rewards(self) -> Array:
        """What recommending each config brings, times the chance that it is feasible, (n,)."""
        gained = above_floor(self.worth[:, -1], self.floor)
        return np.asarray(gained * self.feasible(Doubt.MEASUREMENT)[:, -1], float)

    def plausible(self, most: int | None, limited: bool = True) -> Index:
        """The configs that could turn out best, by an optimistic view of objective and limits."""
        count = len(self.grid.candidates)
        if most is None or count <= most:
            return np.arange(count)
        score = self.hopeful(HOPE, limited)
        now = self.rewards if limited else self.worth[:, -1]
        chance = even_chances(count)
        return np.union1d(highest_few(score, most, chance), [highest(now, chance)])

    def hopeful(self, deviations: float, limited: bool = True) -> Array:
        """What each config may be worth if it is so much better than believed, (n,).

        Without any hope that is what recommending it is worth.
        """
        if deviations == 0 and limited:
            return self.rewards
        hopeful = self._hopeful(self.problem.objective, deviations, self.problem.maximize)
        worth = self.worth_of(Normal(hopeful.mean, np.zeros(len(self.grid.candidates))))
        if not limited:
            return worth
        limits = {
            c.metric: self._hopeful(c.metric, deviations, c.sign == ">=")
            for c in self.problem.constraints
        }
        return np.asarray(worth * self._feasibility(limits), float)

    def _hopeful(self, name: str, deviations: float, upwards: bool) -> Normal:
        full = self.predict(name, Doubt.MEASUREMENT)[:, -1]
        std = np.asarray(full.std, float)
        return Normal(full.mean + (deviations if upwards else -deviations) * std, std)

    def value_at(self, config: Config, fraction: float) -> float:
        """The expected objective of one trial, on the modelled scale, more being better."""
        here = Candidates.of(self.problem, [config])
        return self.sign * float(np.asarray(self.objective.predict(here, fraction).mean)[0])

    def describe(self, config: Config, fraction: float) -> "Described":
        """What is believed about a new training of a config, in the metrics' own units."""
        here = Candidates.of(self.problem, [config])
        names = self.learned.metrics
        modelled = {name: self._trained(name, here, fraction) for name in names}
        natural = {name: self._natural(name, config, fraction, modelled[name]) for name in names}
        needed = {*self.problem.needed}
        vague = {name for name, n in natural.items() if names[name].metric.vague(*_first(n))}
        probability = self._feasibility(modelled)
        if self.learned.success is not None:
            certain = self._trained(SUCCESS.name, here, fraction)
            probability = probability * certain.probability_above(0.5)
        predicted = {
            name: Normal(*_first(normal))
            for name, normal in natural.items()
            if name in needed or name not in vague
        }
        kept = float(np.broadcast_to(probability, 1)[0])
        if any(np.max(modelled[c.metric].std) > 0 for c in self.problem.constraints):
            kept = min(max(kept, TINY), 1 - TINY)
        return Described(
            predicted,
            kept,
            self._note([name for name in names if name in vague & needed], config, fraction),
        )

    def _note(self, vague: list[str], config: Config, fraction: float) -> str:
        """What to say instead of numbers that nothing supports."""
        if not vague:
            return ""
        names, key = " and ".join(vague), self.problem.space.key
        tried = [t.fraction for t in self.history.complete if key(t.config) == key(config)]
        if told := [share for share in tried if share < fraction]:
            return f"measured on {self.problem.part(max(told))} only: {names} is not known beyond"
        return f"no trial supports a prediction of {names} there yet"

    def _natural(self, name: str, config: Config, fraction: float, trained: Normal) -> Normal:
        """What a new training would measure of a metric, in its own unit, (1,)."""
        known = self._again(name, config, fraction)
        if known is not None:  # a zero, too, which no scale brings back
            return Normal(known, np.zeros(1))
        return self.believed(name).scale.natural(trained)

    def _trained(self, name: str, here: Candidates, fraction: float) -> Normal:
        """What a new training would measure of a metric, on its modelled scale, (1,)."""
        belief = self.believed(name)
        known = self._again(name, here.configs[0], fraction)
        if known is not None:
            return Normal(on_scale(self.problem, belief.metric, known), np.zeros(1))
        latent = belief.predict(here, fraction)
        return Normal(latent.mean, np.hypot(latent.std, belief.surrogate.noise_))

    def _again(self, name: str, config: Config, fraction: float) -> Array | None:
        """What a trial measured of a metric that repeats do not change, (1,); None for neither."""
        if not self.believed(name).exact:
            return None
        key = self.problem.space.key
        told = [
            trial.metrics[name]
            for trial in self.history.complete
            if trial.fraction == fraction and key(trial.config) == key(config)
        ]
        return np.array(told[:1]) if told else None


@dataclass(frozen=True)
class Described:
    """What is believed about one trial: each metric in its own unit, and whether limits hold.

    The note says which metrics nothing supports: their numbers mean little.
    """

    predicted: dict[str, Normal]
    feasible: float
    note: str = ""


def _first(normal: Normal) -> tuple[float, float]:
    return float(np.ravel(normal.mean)[0]), float(np.ravel(normal.std)[0])
