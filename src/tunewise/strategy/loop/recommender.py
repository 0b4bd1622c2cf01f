"""Which config to deploy: what was measured best, or what the posterior holds to be best."""

from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from tunewise.acquisition.acquisition import at
from tunewise.acquisition.improving import full
from tunewise.belief.candidates import Candidates
from tunewise.belief.choice import even_chances, highest
from tunewise.belief.grid import Index
from tunewise.belief.metric_belief import holds
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.history import History, Trial
from tunewise.history.repeats import differs
from tunewise.problem import Constraint
from tunewise.space import Config
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.strategy import SURE, Recommendation

_LIKELY = 0.5
"""What was measured within the limits is recommended if the model thinks so too, or doubts: one
measurement may have been luck."""

Belief = TypeVar("Belief", contravariant=True)


class Recommender(Protocol[Belief]):
    """Chooses the config to deploy."""

    def __call__(self, posterior: Belief) -> Recommendation:
        """The recommendation, given at least one complete trial."""


@dataclass(frozen=True)
class PredictedBest:
    """The best expected objective among configs of which a new training likely keeps all limits.

    Where there is none, the config that most likely keeps them. Where any fraction may be deployed
    the best measured trial that keeps the limits is the answer, and the other stands beside it.

    Attributes:
        least: The probability with which the config keeps the limits; None: limits are unseen.
        tested: Whether only configs of complete trials are considered (FABOLAS).
    """

    least: float | None = SURE
    tested: bool = False

    def __call__(self, posterior: Posterior) -> Recommendation:
        """The recommendation."""
        problem, history = posterior.problem, posterior.history
        foreseen = described(posterior, self.config(posterior), 1.0, self.least or 0.0)
        if problem.deploy == "any" and history.best(problem) is not None:
            return replace(best_measured(problem, history), predicted_best=foreseen)
        return foreseen

    def config(self, posterior: Posterior) -> Config:
        """The config that is recommended."""
        best = posterior.worth[:, -1]
        considered = _tested(posterior) if self.tested else np.ones(len(best), bool)
        if self.least is not None:
            feasible = posterior.feasible(Doubt.DEPLOYMENT)[:, -1]
            safe = considered & (feasible >= self.least)
            considered, best = (safe, best) if safe.any() else (considered, _likely(posterior))
        chosen = highest(np.where(considered, best, -np.inf), even_chances(len(best)))
        return dict(posterior.grid.candidates.configs[chosen])


def _likely(posterior: Posterior) -> np.ndarray:
    """The probability that each config keeps the limits; of equally likely ones the best leads.

    A share is worth itself, so that the better config leads by little. Of what has no upper end a
    config may be worth many times as much as another, and would lead however unlikely it is.
    """
    feasible = posterior.feasible(Doubt.DEPLOYMENT)[:, -1]
    endless = posterior.objective.metric.kind == "positive"
    return np.asarray(feasible if endless else feasible * posterior.worth[:, -1], float)


def _tested(posterior: Posterior) -> np.ndarray:
    """Which configs have a complete trial on any fraction, (n,); all where the pool has none."""
    key = posterior.problem.space.key
    tried = {key(t.config) for t in posterior.history.complete}
    found = np.array([key(c) in tried for c in posterior.grid.candidates.configs])
    return found if found.any() else np.ones(len(found), bool)


def measured_at_full_data(posterior: Posterior) -> Recommendation:
    """The best measured config on the full data, with what the model expects of it."""
    measured = best_measured(posterior.problem, trusted(posterior, full(posterior.history)))
    return described(posterior, measured.config, 1.0)


def measured_and_predicted(posterior: Posterior) -> Recommendation:
    """The best measured feasible trial, and beside it what the models hold to be best."""
    measured = best_measured(posterior.problem, trusted(posterior, posterior.history))
    answer = described(posterior, measured.config, measured.fraction)
    return replace(answer, predicted_best=_better(posterior, answer) or answer)


def trusted(posterior: Posterior, history: History) -> History:
    """The best trial within the limits that the model holds to keep them, by itself.

    Where measurements are noisy, the best one within the limits is mostly one that luck brought
    there. If the model holds none to keep them, the one that most likely does; if none was
    measured within the limits, all of the history.
    """
    limits = [c for c in posterior.problem.constraints if _may_be_luck(posterior, c.metric)]
    within = history.deployable(posterior.problem)
    if not limits or not within:
        return history
    name, sign = posterior.problem.objective, posterior.sign
    within.sort(key=lambda t: -sign * t.metrics[name])
    chances = [_chance(posterior, limits, within[0])]
    while chances[-1] < _LIKELY and len(chances) < len(within):
        chances.append(_chance(posterior, limits, within[len(chances)]))
    best = len(chances) - 1 if chances[-1] >= _LIKELY else int(np.argmax(chances))
    return History([within[best]])


def _may_be_luck(posterior: Posterior, metric: str) -> bool:
    """Whether a measurement need not come again.

    Configs of a list may be rough, and are held to have what was measured until one that was run
    again had another result. Among the infinitely many of a range, what no neighbour has is noise.
    """
    problem = posterior.problem
    return not problem.space.finite or differs(problem, posterior.history, metric)


def _chance(posterior: Posterior, limits: list[Constraint], trial: Trial) -> float:
    """The probability that a trial keeps the limits."""
    here, chance = Candidates.of(posterior.problem, [trial.config]), 1.0
    for limit in limits:
        belief = posterior.believed(limit.metric)
        modelled = belief.predict(here, trial.fraction)
        chance *= float(holds(limit, modelled, belief.scale)[0])
    return chance


def _better(posterior: Posterior, answer: Recommendation) -> Recommendation | None:
    """The open trial that is predicted best, if it is better than the best measured one."""
    trials: Index = posterior.open
    if posterior.problem.deploy == "full":
        trials = trials[posterior.grid.fraction(trials) == 1.0]
    if not len(trials):
        return None
    seen = Doubt.MEASUREMENT
    feasible, value = at(posterior.feasible(seen), trials), at(posterior.value(seen), trials).mean
    safe = feasible >= SURE
    ranked = np.where(safe, value, -np.inf) if safe.any() else feasible
    chosen = highest(ranked, even_chances(len(trials)))
    known = posterior.value_at(answer.config, answer.fraction)
    if answer.feasible and (not safe.any() or value[chosen] <= known):
        return None
    return described(posterior, *posterior.grid.trial(int(trials[chosen])))


def described(
    posterior: Posterior, config: Config, fraction: float, least: float = SURE
) -> Recommendation:
    """One trial as a recommendation, with what is believed about a new training of it."""
    told = posterior.describe(config, fraction)
    return Recommendation(
        dict(config), fraction, told.predicted, told.feasible, note=told.note, least=least
    )
