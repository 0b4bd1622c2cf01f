"""How a search begins: which trials before any model, and how many of them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tunewise.belief.prior_mean import PriorMeans
from tunewise.errors import StrategyError
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.loop.options import check
from tunewise.strategy.strategy import Suggestion
from tunewise.surrogate.surrogate import FEW

_EACH = 0.5
"""Of a full training, for one look at each of the unrelated configs. The twenty learners of LCDB
take a third of one; more than a half would be felt. Not tuned (NOTEBOOK.md)."""

Layout = Callable[[Problem, int, np.random.Generator], list[Suggestion]]
"""From a problem and a number of configs to the trials that begin."""

_BLOCK = 16
"""Configs of one latin hypercube where money says how many: a further one begins when it is used
up. Smaller ones spread less well, larger ones leave more of the last one unused."""


def _all_on(fraction: Callable[[Problem], float]) -> Layout:
    """Configs of a latin hypercube, all on the same fraction."""

    def layout(problem: Problem, count: int, rng: np.random.Generator) -> list[Suggestion]:
        configs = problem.space.latin(count, rng)
        return [Suggestion(config, fraction(problem)) for config in configs]

    return layout


on_full = _all_on(lambda problem: 1.0)
on_smallest = _all_on(lambda problem: problem.fractions[0])
on_cheapest = _all_on(lambda problem: problem.fractions[0] if problem.deploy == "any" else 1.0)


def at_random(problem: Problem, count: int, rng: np.random.Generator) -> list[Suggestion]:
    """CherryPick's: configs by chance, on the full data."""
    return [Suggestion(config) for config in problem.space.sample(count, rng)]


def snapshots(problem: Problem, count: int, rng: np.random.Generator) -> list[Suggestion]:
    """TrimTuner's: each config on the largest slice, the smaller ones as snapshots of its run."""
    slices = slices_of(problem)
    return [
        Suggestion(config, slices[-1], tuple(slices[:-1]))
        for config in problem.space.latin(count, rng)
    ]


def in_turn(problem: Problem, count: int, rng: np.random.Generator) -> list[Suggestion]:
    """Configs of a latin hypercube, each on a slice of its own turn."""
    slices = slices_of(problem)
    turns = rng.permutation(np.arange(count) % len(slices))
    configs = problem.space.latin(count, rng)
    return [Suggestion(c, slices[t]) for c, t in zip(configs, turns, strict=False)]


def on_all_slices(problem: Problem, count: int, rng: np.random.Generator) -> list[Suggestion]:
    """Fabulinus' (algorithm 4, lines 4 to 6): each config on every slice, a trial each."""
    configs, slices = problem.space.latin(count, rng), slices_of(problem)
    return [Suggestion(config, fraction) for config in configs for fraction in slices]


def hypercube(problem: Problem, count: int, rng: np.random.Generator) -> list[Suggestion]:
    """Nephele's (algorithm 2, lines 7 to 10): a latin hypercube over configs and fractions."""
    fractions = problem.fractions if problem.deploy == "any" else (1.0,)
    configs = problem.space.latin(count, rng)
    places = rng.permutation(len(configs)) * len(fractions) // len(configs)
    return [Suggestion(c, fractions[place]) for c, place in zip(configs, places, strict=True)]


def slices_of(problem: Problem) -> tuple[float, ...]:
    """The fractions below 1; where there are none, the full data."""
    return problem.fractions[:-1] or problem.fractions


@dataclass(frozen=True)
class Amount:
    """How large a design is: a count of configs, a share of the space, or USD to spend on it.

    Attributes:
        configs: How many configs; where money decides, how many at most if trials cost nothing.
        share: Of all configs of a space that lists them.
        usd: New configs begin until so much is spent.
    """

    configs: int | None = None
    share: float | None = None
    usd: float | None = None

    @classmethod
    def of(cls, given: Any) -> "Amount":
        """From 4, "3%" (of the space) or "5 USD"."""
        if isinstance(given, Amount):
            return given
        if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
            return cls(given)
        if isinstance(given, str):
            told = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%|USD)\s*", given, re.IGNORECASE)
            if told and float(told[1]) > 0:
                number = float(told[1])
                if told[2].upper() == "USD":
                    return cls(usd=number)
                if number <= 100:
                    return cls(share=number / 100)
        raise StrategyError(
            f"initial is {given!r}; expected a whole number, 1 or above, a share of the space such"
            " as '3%', or money such as '5 USD'"
        )

    def of_space(self, problem: Problem) -> int:
        """How many configs that is."""
        if self.share is None:
            return self.configs or _BLOCK
        if problem.space.size is None:
            raise StrategyError(
                f"initial is '{100 * self.share:g}%' of a space that has no end; expected a whole"
                " number, or money such as '5 USD'"
            )
        return max(1, round(self.share * problem.space.size))


@dataclass(frozen=True)
class InitialDesign:
    """The trials to begin with, the same whenever they are asked for.

    A config that a person has enqueued and that was measured takes the place of the last one.

    Attributes:
        layout: Which trials.
        amount: How many.
        warm: How many where other studies say which are good; None for as many.
    """

    layout: Layout
    amount: Amount
    warm: Amount | None = None

    def left(
        self, problem: Problem, history: History, seed: int, prior: PriorMeans | None
    ) -> list[Suggestion]:
        """What is left to begin with."""
        if self.amount.usd is not None:
            return self._until_spent(self.amount.usd, problem, history, seed)
        amount = self.warm if prior is not None and self.warm is not None else self.amount
        begin = self.layout(problem, amount.of_space(problem), np.random.default_rng(seed))
        begin = _spared(problem, history, _with_best(begin, prior))
        if sum(not t.enqueued for t in history) >= len(begin):
            return []
        return _untried(problem, history, begin)

    def begun(self, problem: Problem, history: History, seed: int) -> int:
        """How many trials it has; where money decides, how many there were until it was spent."""
        if self.amount.usd is None:
            return len(self.left(problem, History(), seed, None))
        trials, usd = list(history), self.amount.usd
        counts = (n for n in range(len(trials)) if History(trials[:n]).spent["cost"] >= usd)
        return next(counts, len(trials))

    def _until_spent(
        self, usd: float, problem: Problem, history: History, seed: int
    ) -> list[Suggestion]:
        """Hypercube after hypercube until the money is spent, or nothing ever costs any."""
        spent = history.spent["cost"]
        free = not spent and len(history.complete) >= (self.amount.configs or _BLOCK)
        if spent >= usd or free:
            return []
        first = len(history) // _BLOCK
        drawn = [
            suggestion
            for block in (first, first + 1)
            for suggestion in self.layout(problem, _BLOCK, np.random.default_rng([seed, block]))
        ]
        return _untried(problem, history, drawn)


BOOTSTRAPS = {"cheap": on_smallest, "paper": snapshots}
"""On slices: which trials begin."""


def begun_by(bootstrap: str, initial: Any, problem: Problem, unrelated: bool) -> InitialDesign:
    """A design by its name, with as many configs as are asked for; None for as many as usual.

    Where no config predicts another, all of them begin on the smallest fraction, if that is cheap:
    they may take half of a training, in proportion to the data. Where other studies say which are
    good, one is enough then.
    """
    check(bootstrap=bootstrap)
    # Three of 1 to 6 were best (NOTEBOOK.md).
    layout, usual = BOOTSTRAPS[bootstrap], FEW if bootstrap == "cheap" else 1
    if initial is not None or bootstrap != "cheap" or not unrelated:
        return InitialDesign(layout, Amount.of(usual if initial is None else initial))
    cheap = min(problem.space.size or usual, int(_EACH / problem.fractions[0]))
    return InitialDesign(layout, Amount(max(usual, cheap)), warm=Amount(1))


NOTHING = InitialDesign(lambda problem, count, rng: [], Amount())
"""For beliefs that need no measurement to begin."""


def _with_best(begin: list[Suggestion], prior: PriorMeans | None) -> list[Suggestion]:
    """Up to half of the configs replaced by the best ones of other studies."""
    if prior is None:
        return begin
    configs = prior.begun([s.config for s in begin])
    return [replace(s, config=c) for s, c in zip(begin, configs, strict=True)]


def _spared(problem: Problem, history: History, begin: list[Suggestion]) -> list[Suggestion]:
    """Without the last configs, one for each other config that a person had measured.

    On less data than any trial of the design uses, such a measurement does not count.
    """
    key, least = problem.space.key, min((s.fraction for s in begin), default=1.0)
    told = {key(t.config) for t in history.complete if t.enqueued and t.fraction >= least}
    configs = list(dict.fromkeys(key(s.config) for s in begin))
    kept = configs[: max(len(configs) - len(told.difference(configs)), 0)]
    return [s for s in begin if key(s.config) in kept]


def _untried(
    problem: Problem, history: History, suggested: Sequence[Suggestion]
) -> list[Suggestion]:
    key = problem.space.key
    tried = {(key(t.config), t.fraction) for t in history}
    return [s for s in suggested if (key(s.config), s.fraction) not in tried]
