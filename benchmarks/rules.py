"""Rules of a few lines, as strategies: what every search has to beat where slices are cheap.

A trial is stopped once it has taken more than twice its part of the limit on time.
"""

import math
from typing import NamedTuple

import numpy as np

from tunewise.errors import StrategyError
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.pruner import Pruner
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion

PATIENCE = 2.0
NEAR = 0.03
KEPT = 0.5


class Known(NamedTuple):
    """A config that is still in the race: its largest slice, and its score and time there."""

    place: int
    score: float
    time: float


class _Parts(Pruner):
    """Stops a trial after its part of so many seconds for the full data."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def limit(self, history: History, trial: Trial) -> float | None:
        seconds = self._seconds * trial.fraction
        return seconds if math.isfinite(seconds) else None


class Rule(Strategy):
    """What the rules share: configs by chance, the stop, and scores of those still in the race."""

    def __init__(self, problem: Problem, seed: int, stops: bool = True) -> None:
        """Put the configs into an order by chance."""
        super().__init__(problem, seed)
        self.configs = list(problem.space.configs)
        np.random.default_rng(seed).shuffle(self.configs)
        limits = [c.bound for c in problem.constraints if c.metric == "time"]
        self.limit = min(limits, default=math.inf)
        self.pruner = _Parts(PATIENCE * self.limit if stops else math.inf)

    def recommend(self, history: History) -> Recommendation:
        """The best score so far."""
        known = self.known(history)
        if not known:
            raise StrategyError("nothing can be recommended: no trial is complete")
        return Recommendation(self.configs[max(known, key=lambda i: known[i].score)])

    def known(self, history: History) -> dict[int, Known]:
        """The configs that completed all their trials, by position."""
        place, known = self.places(), dict[int, Known]()
        for trial in history.complete:
            known[place[self.problem.space.key(trial.config)]] = Known(
                self.problem.fractions.index(trial.fraction),
                self._score(trial),
                trial.metrics["time"],
            )
        for trial in history.failed:
            known.pop(place[self.problem.space.key(trial.config)], None)
        return known

    def places(self) -> dict[tuple[object, ...], int]:
        """The position of each config."""
        return {self.problem.space.key(config): i for i, config in enumerate(self.configs)}

    def untried(self, history: History) -> list[Config]:
        """Configs without any trial."""
        tried = {self.problem.space.key(trial.config) for trial in history}
        return [c for c in self.configs if self.problem.space.key(c) not in tried]

    def _score(self, trial: Trial) -> float:
        """The objective; below all others where the full data would take longer than the limit."""
        over = trial.metrics["time"] > trial.fraction * self.limit
        return trial.metrics[self.problem.objective] - (1.0 if over else 0.0)


class CheapestNext(Rule):
    """All configs on the smallest slice, then the cheapest next slice among those near the best."""

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """A config without a trial, or the next slice of one."""
        fractions = self.problem.fractions
        if untried := self.untried(history):
            return [Suggestion(untried[0], fractions[0])]
        known = self.known(history)
        below = {i: one for i, one in known.items() if one.place < len(fractions) - 1}
        if not below:
            return []
        best = max(one.score for one in known.values())
        near = {i: one for i, one in below.items() if one.score >= best - NEAR}
        # When all near the best are done, the best of the others goes on.
        following = list(near) or [max(below, key=lambda i: below[i].score)]

        def cost(i: int) -> float:
            one = below[i]
            return one.time * fractions[one.place + 1] / fractions[one.place]

        chosen = min(following, key=cost)
        return [Suggestion(self.configs[chosen], fractions[below[chosen].place + 1])]


class SuccessiveHalving(Rule):
    """All configs on the smallest slice, the better half of them on the next, and so on."""

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """A config of this rung that has not run on it yet."""
        if untried := self.untried(history):
            return [Suggestion(untried[0], self.problem.fractions[0])]
        known, place = self.known(history), self.places()
        rung = list(range(len(self.configs)))
        for fraction in self.problem.fractions:
            here = [trial for trial in history if trial.fraction == fraction]
            ran = {place[self.problem.space.key(trial.config)]: trial for trial in here}
            if waiting := [i for i in rung if i not in ran]:
                return [Suggestion(self.configs[waiting[0]], fraction)]
            ended = [i for i in rung if i in known]
            ended.sort(key=lambda i: -self._score(ran[i]))
            rung = ended[: math.ceil(KEPT * len(ended))]
        return []


class AtFullData(Rule):
    """Configs by chance on the full data, stopped at the limit."""

    def __init__(self, problem: Problem, seed: int) -> None:
        """Stop at the limit itself."""
        super().__init__(problem, seed)
        self.pruner = _Parts(self.limit)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """A config without a trial."""
        return [Suggestion(config) for config in self.untried(history)[:count]]
