"""Where a tool searches: a problem's parameters in plain words, and the accounts of its trials.

A tool only says which trial it runs. What the trial spends, and how good the config that it would
deploy truly is, is kept here, so that all tools are measured alike. Three gifts keep it favourable
to them: a config that goes on from a smaller slice pays for the rest only, a trial that passes
twice its part of the limit is stopped there, and its result counts as if it had ended.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tunewise as tw
from benchmarks.peers.axes import Axes
from benchmarks.quick.questions import Question
from benchmarks.rules import PATIENCE
from tunewise.history import Measurement, Trial
from tunewise.space import Config

SECONDS = 60.0
"""What a search may compute for, its trials apart."""

Point = Mapping[str, Any]


class Enough(Exception):
    """The money or the trials of a search are used up."""


@dataclass(frozen=True)
class Axis:
    """One parameter: a choice where it has values, or else a number between two bounds.

    Attributes:
        name: Of the parameter.
        values: What a choice may be.
        low: Least number.
        high: Largest number.
        log: Whether it is searched on a logarithmic scale.
        whole: Whether it is an integer.
        when: The values that other parameters must have for it to matter.
    """

    name: str
    values: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    whole: bool = False
    when: Mapping[str, tuple[Any, ...]] | None = None

    def active(self, point: Point) -> bool:
        """Whether it matters, given those before it."""
        return all(point.get(name) in values for name, values in (self.when or {}).items())


@dataclass(frozen=True)
class Seen:
    """What a tool is told of a trial.

    Attributes:
        accuracy: What is maximised.
        over: The logarithm of what was spent over its part of the limit: above 0 breaks it. None
            where there is no limit.
    """

    accuracy: float
    over: float | None

    @property
    def penalised(self) -> float:
        """The accuracy, less as much as the limit is broken by: for tools that know no limits."""
        return self.accuracy * math.exp(-max(self.over or 0.0, 0.0))


class Ground:
    """One search of one tool on a world: runs its trials, and keeps its accounts."""

    def __init__(self, asked: Question, seed: int, most: int) -> None:
        """Begin with nothing spent, and a config by chance."""
        self.world, self.units, self.most = asked.world, asked.marks[-1], most
        self.contest, world = asked.contest, asked.world
        self.fractions: Sequence[float] = world.problem.fractions
        self.limited = bool(world.problem.constraints)
        self.axes, self.config = _plain(world.problem.space)
        self.answer: Config | None = None
        """What a tool with a model of its own would deploy; else its best measured config."""
        self.cpu = 0.0
        self._job, self._runs = world.job(seed), 0
        self._seen: dict[tuple[Any, float], tuple[Config, Seen]] = {}
        self._paid: dict[Any, float] = {}
        blind = world.problem.space.sample(1, np.random.default_rng([seed, 99]))[0]
        self.course = [[0.0, world.regret(blind)]]
        self._since = time.process_time()

    @property
    def trials(self) -> int:
        """How many were run."""
        return self._runs

    def at(self, mark: float) -> float:
        """The regret after the last trial that ended by then."""
        return [regret for units, regret in self.course if units <= mark][-1]

    def steps(self) -> list[int]:
        """The fractions as whole resources, of which the smallest is 1."""
        return [max(1, round(s / self.fractions[0])) for s in self.fractions]

    def nearest(self, step: float) -> float:
        """The fraction nearest to a resource, by their ratio."""
        return min(self.fractions, key=lambda s: abs(math.log(step * self.fractions[0] / s)))

    def run(self, point: Point, fraction: float = 1.0) -> Seen:
        """Run a trial at a point of the axes."""
        return self.train(self.config(point), fraction)

    def train(self, config: Config, fraction: float = 1.0) -> Seen:
        """Run a trial of a config; raises Enough where nothing is left to pay it with."""
        self.cpu += time.process_time() - self._since
        spent = self.course[-1][0] >= self.units or self._runs >= self.most
        if spent or self.cpu > SECONDS:
            raise Enough
        outcome = self._job(Trial(self._runs, config, fraction))
        assert isinstance(outcome, Measurement)
        seen = self._told(outcome.metrics, fraction)
        self._book(config, fraction, seen, outcome.metrics[self.world.spending])
        self._since = time.process_time()
        return seen

    def _told(self, metrics: Mapping[str, float], fraction: float) -> Seen:
        over = [math.log(metrics[c.metric] / (fraction * c.bound))
                for c in self.world.problem.constraints]  # fmt: skip
        return Seen(metrics["accuracy"], max(over, default=None))

    def _book(self, config: Config, fraction: float, seen: Seen, spent: float) -> None:
        key = self.world.problem.space.key(config)
        if seen.over is not None:
            spent = min(spent, PATIENCE * spent / math.exp(seen.over))
        before = self._paid.get(key, 0.0)
        self._paid[key] = max(before, spent)
        self._seen[key, fraction] = config, seen
        self._runs += 1
        units = self.course[-1][0] + max(spent - before, 0.0) / self.world.unit
        self.course.append([units, self.world.regret(self.answer or self._best())])

    def _best(self) -> Config:
        """On the largest slice tried, the best config within the limit, else the nearest to it."""
        largest = max(fraction for _, fraction in self._seen)
        there = [told for (_, fraction), told in self._seen.items() if fraction == largest]
        return max(there, key=lambda told: (-max(told[1].over or 0.0, 0.0), told[1].accuracy))[0]


def _plain(space: tw.Space) -> tuple[list[Axis], Callable[[Point], Config]]:
    """A space's axes, and what turns a point into a config; ranks where configs are listed."""
    order = space.activity.order
    if all(p.size is not None for p in order) and not space.activity.conditional:
        configs = list(space.configs)
        ranks = Axes.of(configs)
        axes = [
            Axis(name, high=size - 1, whole=True)
            if ordered and size > 1
            else Axis(name, tuple(range(size)))
            for name, size, ordered in zip(ranks.names, ranks.sizes, ranks.ordered, strict=True)
        ]
        return axes, lambda point: configs[ranks.nearest(tuple(point[n] for n in ranks.names))]
    return [_axis(parameter) for parameter in order], lambda point: _pruned(space, point)


def _axis(parameter: Any) -> Axis:
    when = parameter.when or None
    if isinstance(parameter, tw.Real | tw.Integer):
        whole = isinstance(parameter, tw.Integer)
        low, high = parameter.low, parameter.high
        return Axis(parameter.name, (), low, high, parameter.log, whole, when)
    return Axis(parameter.name, tuple(parameter.values()), when=when)


def _pruned(space: tw.Space, point: Point) -> Config:
    config: Config = {}
    for parameter in space.activity.order:
        if space.activity.active(parameter, config):
            config[parameter.name] = point[parameter.name]
    return config
