"""The filter of a strategy: which trials the acquisition weighs, and the best of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from tunewise.acquisition.acquisition import Acquisition, at
from tunewise.acquisition.entropy import constrained_expected_accuracy
from tunewise.belief.choice import highest_few, told_apart, top
from tunewise.belief.future import futures
from tunewise.belief.grid import Grid, Index
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.filtering import FILTERS, Filter, cea
from tunewise.filtering.filter import how_many
from tunewise.strategy.loop.options import check
from tunewise.surrogate import Array

P = TypeVar("P")
Rank = Callable[[P, Index], Array]


@dataclass(frozen=True)
class ChosenFilter(Generic[P]):
    """A registered filter at work on the trials of a posterior.

    Attributes:
        name: Which filter.
        share: How many trials it lets through, as a share of all.
        rank: The cheap stand-in for the acquisition that some filters choose by.
        of_configs: Whether it lets configs through by their highest rank, each with all trials of
            it (Fabulinus, algorithm 5), instead of trials.
    """

    name: str = "none"
    share: float = 1.0
    rank: Rank[P] | None = None
    of_configs: bool = False

    def __post_init__(self) -> None:
        """Refuse unknown names and shares that cannot be."""
        if self.name != "none":
            FILTERS.load(self.name)
        check(share=self.share)

    @cached_property
    def _filter(self) -> Filter:
        """Looked up once."""
        loaded: Filter = FILTERS.load(self.name)
        return loaded

    def best(
        self,
        posterior: P,
        trials: Index,
        acquisition: Acquisition[P],
        chance: Array,
        drawn: np.random.Generator,
        rng: np.random.Generator,
    ) -> tuple[int, Array]:
        """The trial of most worth among those that are let through, and what each is worth, (c,).

        Each is weighed once; NaN where it was not.

        Args:
            posterior: What is believed.
            trials: (c,) what may be run.
            acquisition: What a trial is worth.
            chance: (c,) what decides between trials of equal worth.
            drawn: What the acquisition draws from.
            rng: What the filter draws from.
        """
        scores = np.full(len(trials), np.nan)

        def score(chosen: Index) -> Array:
            new = chosen[np.isnan(scores[chosen])]
            if len(new):
                worth = acquisition(posterior, trials[new], drawn)
                scores[new] = told_apart(worth, chance[new], logarithms=acquisition.logarithms)
            return scores[chosen]

        def cheap() -> Array:
            assert self.rank is not None, f"filter {self.name!r} has nothing to rank by"
            return self.rank(posterior, trials)

        grid: Grid = posterior.grid  # type: ignore[attr-defined] # every posterior has one
        if self.of_configs:
            chosen = self._whole_configs(grid.config(trials), cheap(), rng)
        else:
            chosen = self._filter(unit_cube(grid, trials), score, cheap, self.share, rng)
        return int(trials[chosen[top(score(chosen), chance[chosen])]]), scores

    def _whole_configs(self, config: Index, ranks: Array, rng: np.random.Generator) -> Index:
        """The trials whose configs (c,) have the highest ranks (c,) of a trial of theirs."""
        each, place = np.unique(config, return_inverse=True)
        highest = np.full(len(each), -np.inf)
        np.maximum.at(highest, place, ranks)
        kept = highest_few(highest, how_many(self.share, len(each)), rng.random(len(each)))
        return np.flatnonzero(np.isin(place, kept))


ALL: ChosenFilter[Any] = ChosenFilter()


def unit_cube(grid: Grid, trials: Index) -> Array:
    """The trials as rows for filters that search: fractions evenly apart, (n, d + 1)."""
    steps = max(len(grid.fractions) - 1, 1)
    place = (trials % len(grid.fractions)) / steps
    return np.column_stack([grid.candidates.x[grid.config(trials)], place])


def expected_accuracy(posterior: Posterior, trials: Index) -> Array:
    """TrimTuner's CEA (equation 6): how good a trial is itself, (c,)."""
    feasible = posterior.feasible(Doubt.MEASUREMENT)
    return cea(at(posterior.worth, trials), at(feasible, trials))


def next_incumbents_accuracy(least: float) -> Rank[Posterior]:
    """Fabulinus' CEA (equation 4.5): how good the incumbent is after a trial as expected."""

    def rank(posterior: Posterior, trials: Index) -> Array:
        future = futures(posterior, trials, posterior.plausible(None))
        return constrained_expected_accuracy(future, least, 1)

    return rank
