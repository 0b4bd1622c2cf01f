"""Lynceus (Casimiro and others, 2019): the cheapest config within limits, found cheaply.

In each step the trial is run that promises most per USD it is expected to cost, among those that
what is left of the budget surely pays for. That is the paper's; with `surrogate="trees"` or "gp"
and a horizon all of it is. The default believes with a model that knows machines, has no beginning
at random, weighs the probability of being the optimum instead of the improvement, and stops trials
that have become hopeless.
"""

import math

import numpy as np

from tunewise.acquisition.choice import highest
from tunewise.acquisition.lookahead import Outlay
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.belief import Belief
from tunewise.strategy.candidates import pool
from tunewise.strategy.evidence import Times, bills, priced, prices
from tunewise.strategy.long_sighted import LongSighted
from tunewise.strategy.machine_pool import MachinePool
from tunewise.strategy.measured import best_measured
from tunewise.strategy.options import check_choice, check_number, check_whole
from tunewise.strategy.prospect import Mask, Prospect, Wanted
from tunewise.strategy.strategy import Recommendation, Suggestion
from tunewise.surrogate.registered import SURROGATES

MACHINES = "machines"
_INITIAL = 4
_SURE = 0.99
"""The probability with which what is left of the budget must pay for a trial."""
_LIKELY = 0.5
"""As much is enough for the surest one where none is sure: early beliefs are too vague for more."""


class Lynceus(LongSighted):
    """Reward per USD at the full data, with a model of machines where cost and time are wanted."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        surrogate: str = MACHINES,
        horizon: int = 0,
        roots: int = 3,
        discount: float = 0.9,
        stop_hopeless: float | None = 1.5,
        initial: int | None = None,
        candidates: int = 400,
    ) -> None:
        """Choose what it believes with and how far it looks ahead.

        Args:
            problem: What is wanted.
            seed: Of all that is drawn.
            surrogate: "machines", or what models each metric: "gp", "gp_mcmc" or "trees".
            horizon: Steps to look ahead; "machines" looks at the next one only.
            roots: Gauss-Hermite roots of an outcome on the way ahead.
            discount: The weight of each step relative to the one before.
            stop_hopeless: How much longer a trial may run than one that could still win, as a
                factor of 1 or more; None lets all trials run to their end.
            initial: Configs of the latin hypercube that begins, 4 by default; not for "machines".
            candidates: How many configs are weighed where the space has more than that.
        """
        check_choice("surrogate", surrogate, [MACHINES, *SURROGATES.names()])
        if initial is not None:
            check_whole("initial", initial)
        if stop_hopeless is not None:
            check_number("stop_hopeless", stop_hopeless, 1.0)
        believed = "gp" if surrogate == MACHINES else surrogate
        outlay = Outlay(horizon, roots, 1, discount)
        super().__init__(problem, seed, surrogate=believed, outlay=outlay, candidates=candidates)
        self._grace, self._candidates = stop_hopeless, candidates
        self._initial = _INITIAL if initial is None else initial
        by_machines = surrogate == MACHINES and horizon == 0
        self._wanted = Wanted.of(problem) if by_machines else None
        self._last: tuple[History, MachinePool] | None = None

    @property
    def fractions(self) -> tuple[float, ...]:
        """The full data only."""
        return (1.0,)

    def beginning(self) -> list[Suggestion]:
        """A latin hypercube; the model of machines needs none."""
        rng = np.random.default_rng(self.seed)
        return [Suggestion(config) for config in self.problem.space.latin(self._initial, rng)]

    def belief(self, history: History) -> Belief:
        """What trials on the full data teach."""
        return super().belief(History(t for t in history if t.fraction == 1.0))

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """The configs that most probably are the optimum, per USD."""
        if self._wanted is None:
            return super().suggest(history, count)
        places, picks = self._pool(history), list[int]()
        for _ in range(count):
            prospect = self._prospect(self._wanted, history, places, picks)
            open_ = self._open(history, places, prospect, picks)
            if not open_.any():
                break
            rng = np.random.default_rng([self.seed, len(history), len(picks)])
            picks.append(highest(prospect.score(open_, rng), rng.random(len(open_))))
        return [Suggestion(dict(places.configs[i])) for i in picks]

    def recommend(self, history: History) -> Recommendation:
        """The best measured feasible config: what is measured is known."""
        if self._wanted is None:
            return super().recommend(history)
        return best_measured(self.problem, history)

    def expected_gain(self, history: History) -> float | None:
        """The largest expected improvement on the incumbent, in the objective's own unit."""
        if self._wanted is None:
            return super().expected_gain(history)
        best = self._wanted.incumbent(self.problem, history)
        if not math.isfinite(best):
            return None
        places = self._pool(history)
        prospect = self._prospect(self._wanted, history, places, [])
        left = np.flatnonzero(self._open(history, places, prospect, []))
        return math.exp(best) * float(prospect.improvement(left).max(initial=0.0))

    def time_limit(self, history: History, trial: Trial) -> float | None:
        """When a trial has broken a limit or lost to the incumbent, and its grace is over.

        List prices alone stop nothing: before the first bill only a limit on time does.
        """
        if self._wanted is None or self._grace is None or trial.fraction != 1.0:
            return None
        few = MachinePool(self.problem, self._wanted, [trial.config, *_at_full(history)], self.seed)
        billed = len(bills(self.problem, history, few.place)[0])
        price = np.asarray(prices(self.problem, history, few.place, few.prices).mean)[:1]
        if self.problem.price is None and not billed:
            price = np.full(1, -math.inf)
        best = self._wanted.incumbent(self.problem, history)
        hopeless = float(self._wanted.hopeless(price, best)[0])
        return self._grace * math.exp(hopeless) if math.isfinite(hopeless) else None

    def _prospect(
        self, wanted: Wanted, history: History, places: MachinePool, picks: list[int]
    ) -> Prospect:
        price = prices(self.problem, history, places.place, places.prices)
        times = Times.of(self.problem, history, places.place, price, wanted.time)
        pending = [places.at(config) for config in _at_full(history.pending)]
        believed = times.believed(places.ensemble, [*pending, *picks])
        best = wanted.incumbent(self.problem, history)
        return Prospect(wanted, believed, price, best, self._grace, places.prices.least)

    def _open(
        self, history: History, places: MachinePool, prospect: Prospect, picks: list[int]
    ) -> Mask:
        """Configs that are untried and surely paid for; else the one that most probably is."""
        open_ = np.ones(len(places.configs), bool)
        open_[picks] = False
        open_[[places.at(config) for config in _at_full(history)]] = False
        if self.problem.budget is None:
            return open_
        left = self.problem.budget - history.spent["cost"]
        if not (any(t.metrics for t in history) and priced(self.problem, history)):
            return open_ & prospect.payable(left)
        pending = [places.at(config) for config in _at_full(history.pending)]
        left -= float(prospect.spending()[[*pending, *picks]].sum())
        paid = np.where(open_, prospect.within(left), 0.0)
        surest = float(paid.max(initial=0.0))
        # What others may still spend is vague too, and will soon be known: only alone is it dared.
        sure = surest >= _SURE or pending or picks
        return np.asarray(paid >= (_SURE if sure else max(surest, _LIKELY)), bool)

    def _pool(self, history: History) -> MachinePool:
        """All configs of a small space, always the same; else a new pool for each history."""
        assert self._wanted is not None
        size = self.problem.space.size
        listed = size is not None and size <= self._candidates
        if self._last is None or (not listed and self._last[0] != history):
            tried = _at_full(history)
            most = max(self._candidates - len(tried), self._candidates // 4, 1)
            drawn = pool(self.problem, history, self.seed, self._candidates if listed else most)
            configs = drawn.configs if listed else [*drawn.configs, *tried]
            self._last = history, MachinePool(self.problem, self._wanted, configs, self.seed)
        return self._last[1]


def _at_full(history: History) -> list[Config]:
    return [trial.config for trial in history if trial.fraction == 1.0]
