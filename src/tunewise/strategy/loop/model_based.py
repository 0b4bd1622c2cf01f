"""The one loop of all strategies with a model, composed of parts.

An *initial design* begins. Then the *belief* makes a posterior of the history, the *affordability*
rule says which open trials may be risked, the *filter* which of them are weighed, the *acquisition*
what each is worth, and the *recommender* which config to deploy. A published system is a choice of
these parts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from tunewise.acquisition.acquisition import Acquisition
from tunewise.acquisition.modelled import POOL
from tunewise.belief.choice import chances
from tunewise.belief.grid import Grid, Index, open_trials
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.belief.prior_mean import PriorMeans
from tunewise.errors import StrategyError
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.loop.affordability import Affordability
from tunewise.strategy.loop.chosen_filter import ALL, ChosenFilter
from tunewise.strategy.loop.gain import LeastGain
from tunewise.strategy.loop.initial_design import InitialDesign
from tunewise.strategy.loop.outclassed import outclassed
from tunewise.strategy.loop.patience import before_anything
from tunewise.strategy.loop.recommender import Recommender
from tunewise.strategy.pruner import Pruner
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.surrogate import Array

P = TypeVar("P", Posterior, MachinePosterior)
Made = TypeVar("Made", covariant=True)


class Belief(Protocol[Made]):
    """Makes a posterior of a history."""

    def grid(self, problem: Problem, history: History, seed: int) -> Grid:
        """The trials that could be run."""

    def posterior(
        self, problem: Problem, history: History, seed: int, prior: PriorMeans | None
    ) -> Made | None:
        """What is believed, None while the history says too little."""


@dataclass(frozen=True)
class Parts(Generic[P]):
    """What a strategy with a model is made of.

    Attributes:
        belief: Makes the posterior.
        design: What begins, before there is one.
        acquisition: What a trial is worth.
        recommender: Which config to deploy.
        gain: What one more trial is expected to bring, in the objective's own unit.
        affordability: Which trials may be risked.
        filter: Which of these are weighed.
        else_random: Whether a trial is drawn by chance when none may be risked.
        stop: When one more trial brings too little.
        pays: Why one more trial costs more than it is expected to save.
        iterations: Trials after the initial design that end the search; None for no such end.
        time_limit: After how many seconds a trial is pruned; None for never.
        patience: The same by the posterior.
        reports: What is assumed of the metrics when a trial's reports say whether it goes on; None
            to let it run whatever it reports.
    """

    belief: Belief[P]
    design: InitialDesign
    acquisition: Acquisition[P]
    recommender: Recommender[P]
    gain: Callable[[P, Recommender[P]], float | None]
    affordability: Affordability[P]
    filter: ChosenFilter[P] = ALL
    else_random: bool = True
    stop: LeastGain | None = None
    pays: Callable[[P], str | None] | None = None
    iterations: int | None = None
    time_limit: Callable[[Problem, History, Trial, int], float | None] | None = None
    patience: Callable[[P, Trial], float | None] | None = None
    reports: Model | None = None


class ModelBased(Strategy, Generic[P]):
    """Begin, believe, weigh what may be risked, recommend."""

    def __init__(self, problem: Problem, seed: int, parts: Parts[P]) -> None:
        """Put the parts to work on a problem."""
        super().__init__(problem, seed)
        self.parts: Parts[P] = parts
        self._kept: tuple[History, P | None] | None = None
        self.pruner = ByPosterior(self)

    @cached_property
    def _prior_means(self) -> PriorMeans | None:
        return PriorMeans(self.problem, self.prior) if self.prior else None

    def posterior(self, history: History) -> P | None:
        """What the history teaches, None while it says too little.

        The last answer is kept: a trial is suggested, timed and followed by a recommendation.
        """
        if self._kept is None or self._kept[0] != history:
            made = self.parts.belief.posterior(self.problem, history, self.seed, self._prior_means)
            self._kept = (history, made)
        return self._kept[1]

    def unbegun(self, history: History) -> list[Suggestion]:
        """What is left of the initial design; where nobody stops trials, each is weighed first."""
        if history.unstopped:
            return []
        return self.parts.design.left(self.problem, history, self.seed, self._prior_means)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """The rest of the initial design, then the trials that are worth most."""
        picks = self.unbegun(history)[:count]
        if len(picks) < count:
            picks += self._worthwhile(history, picks, count - len(picks))
        return picks

    def _worthwhile(
        self, history: History, picks: list[Suggestion], count: int
    ) -> list[Suggestion]:
        posterior = self.posterior(history)
        if posterior is None:
            return self._blind(history, picks, count)
        waiting: list[tuple[Config, float]] = [(t.config, t.fraction) for t in history.pending]
        waiting += [(s.config, s.fraction) for s in picks]
        found: list[Suggestion] = []
        contenders: Index | None = None
        while len(found) < count:
            assumed: P = posterior.assuming(waiting)
            weighed = self._weighed(history, assumed, len(found), contenders)
            if weighed is None:
                break
            chosen, trials, worth = weighed
            if contenders is None and count > 1:
                contenders = best_of(trials, worth, max(POOL, count))
            config, fraction = assumed.grid.trial(chosen)
            found.append(Suggestion(config, fraction, cost=assumed.expected_usd(chosen)))
            waiting.append((config, fraction))
        return found

    def _weighed(
        self, history: History, posterior: P, turn: int, among: Index | None
    ) -> tuple[int, Index, Array] | None:
        """The trial that is worth most of those that may be risked; all that were weighed.

        Args:
            history: What was measured.
            posterior: What is believed.
            turn: Which of a batch is sought.
            among: Only these are weighed, if any of them may be risked; None for all.
        """
        if not len(posterior.open):
            return None
        allowed = self.parts.affordability(posterior, posterior.open)
        chance = np.random.default_rng([self.seed, len(history), 1])
        if not len(allowed):
            drawn = int(chance.choice(posterior.open)) if self.parts.else_random else None
            return None if drawn is None else (drawn, np.empty(0, np.intp), np.empty(0))
        if among is not None and len(few := np.intersect1d(allowed, among)):
            allowed = few
        rng = np.random.default_rng([self.seed, len(history), turn])
        ties = chances(len(allowed), self.seed, len(history), 3)
        best = self.parts.filter.best
        chosen, worth = best(posterior, allowed, self.parts.acquisition, ties, rng, chance)
        known = ~np.isnan(worth)
        return chosen, allowed[known], worth[known]

    def _blind(self, history: History, picks: list[Suggestion], count: int) -> list[Suggestion]:
        """Without any measurement yet: the smallest fraction first, configs at random.

        A fraction on which all trials have failed so far may itself be too small: of every two
        failures on it the next larger one gets its turn.
        """
        grid = self.parts.belief.grid(self.problem, history, self.seed)
        key = self.problem.space.key
        taken = grid.numbers(self.problem, ((key(s.config), s.fraction) for s in picks))
        trials = np.setdiff1d(open_trials(self.problem, history, grid), taken)
        tried = grid.numbers(self.problem, ((key(t.config), t.fraction) for t in history))
        trials = new if len(new := np.setdiff1d(trials, tried)) else trials
        rng = np.random.default_rng([self.seed, len(history)])
        failed = np.array([t.fraction for t in history.failed if not t.pruned])
        failures = (failed[:, None] == grid.fractions).sum(0) // 2
        turn = failures[trials % len(grid.fractions)]
        order = np.lexsort([rng.random(len(trials)), grid.fraction(trials), turn])
        return [Suggestion(*grid.trial(t)) for t in trials[order][:count]]

    def recommend(self, history: History) -> Recommendation:
        """The config to deploy, as the recommender says."""
        posterior = self.posterior(history)
        if posterior is None or not len(history.complete):
            raise StrategyError("nothing can be recommended: no trial is complete")
        return self.parts.recommender(posterior)

    def expected_gain(self, history: History) -> float | None:
        """How much one more trial is expected to better the recommendation's objective."""
        if self.unbegun(history):
            return None
        posterior = self.posterior(history)
        return None if posterior is None else self.parts.gain(posterior, self.parts.recommender)

    def stops(self, history: History) -> str | None:
        """Once the iterations are over, or one more trial is expected to bring too little."""
        most = self.parts.iterations
        if most is not None and not self.unbegun(history):
            begun = self.parts.design.begun(self.problem, history, self.seed)
            ended = sum(not t.enqueued and not t.state.pending for t in history)
            if ended >= begun + most:
                return f"all {most} iterations after the initial design were run"
        if self.parts.pays is not None and (posterior := self.posterior(history)) is not None:
            return self.parts.pays(posterior)
        if self.parts.stop is None:
            return None
        return self.parts.stop.missed(self.problem, history, lambda: self.expected_gain(history))


class ByPosterior(Pruner):
    """Stops trials by what the posterior of a strategy says of them."""

    def __init__(self, strategy: ModelBased[Any]) -> None:
        """Ask this strategy."""
        self._strategy = strategy

    def limit(self, history: History, trial: Trial) -> float | None:
        """Seconds after which a trial about to start is pruned."""
        strategy, parts = self._strategy, self._strategy.parts
        if parts.time_limit is not None:
            return parts.time_limit(strategy.problem, history, trial, strategy.seed)
        if parts.patience is None:
            return None
        before = History(t for t in history if t.number != trial.number)
        posterior = strategy.posterior(before)
        if posterior is None:
            return before_anything(strategy.problem, before, trial)
        return parts.patience(posterior, trial)

    def verdict(self, history: History, trial: Trial) -> str | None:
        """Why a running trial cannot become the answer any more, by its reports."""
        strategy, reports = self._strategy, self._strategy.parts.reports
        return None if reports is None else outclassed(strategy.problem, history, trial, reports)


def best_of(trials: Index, worth: Array, most: int) -> Index | None:
    """The trials of the highest worth, ascending; None where all of them are few enough."""
    if len(trials) <= most:
        return None
    return np.sort(trials[np.argsort(-worth, kind="stable")[:most]])
