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
from tunewise.strategy.strategy import Recommendation

_LIKELY = 0.5
"""What was measured within the limits is recommended if the model thinks so too, or doubts: one
measurement may have been luck."""

_CAUTION = 1.0
"""Standard deviations that a config nobody has tried must be better by: among thousands of them the
one that looks best is mostly one that the model is wrong about."""

_PREFERENCE = 0.25
"""The same for one tried on slices alone: what was measured on the full data wins by a hair. Not
tuned: who deploys a config would rather have seen it run."""

_DOUBTED = 0.9
"""As sure as this the belief that doubts must be that limits are kept, where more is asked for of
the one that steers. Slices alone hardly ever make it surer, and what they do is nearly worthless:
at the price of the last hundredth of doubt a fair config is left for one that learns nothing."""

_LEAST_FEASIBLE = 0.9
"""What stands beside the best measured trial keeps the limits with this probability or more."""

_HARDLY = 1e-12
"""What is worth less is worth nothing."""

Belief = TypeVar("Belief", contravariant=True)


class Recommender(Protocol[Belief]):
    """Chooses the config to deploy."""

    def __call__(self, posterior: Belief) -> Recommendation:
        """The recommendation, given at least one complete trial."""


@dataclass(frozen=True)
class PredictedBest:
    """The best predicted config on the full data among those that safely keep the limits.

    Safe is what the belief that steers holds so, and the one that doubts as well, if not surer than
    0.9.
    Where none is safe enough the one of most expected worth, less the further it is expected to
    break limits: so it lies near what was tried nearest to them. A config nobody has tried must be
    better by more than a standard deviation. Where any fraction may be deployed
    the best measured trial that keeps the limits is the answer, and the other stands beside it.

    Attributes:
        least: The probability with which the config keeps the limits; None: limits are unseen.
        tested: Whether only configs of complete trials are considered (FABOLAS).
    """

    least: float | None = 0.9
    tested: bool = False

    def __call__(self, posterior: Posterior) -> Recommendation:
        """The recommendation."""
        problem, history = posterior.problem, posterior.history
        foreseen = described(posterior.stated, self.config(posterior), 1.0, noisy=True)
        if problem.deploy == "any" and history.best(problem) is not None:
            return replace(best_measured(problem, history), predicted_best=foreseen)
        return foreseen

    def config(self, posterior: Posterior) -> Config:
        """The config that is recommended."""
        steers, posterior = posterior, posterior.stated
        worth, tested = posterior.worth[:, -1], _tested(posterior)
        cautious = np.where(
            tested,
            posterior.hopeful(-_PREFERENCE, limited=False),
            posterior.hopeful(-_CAUTION, limited=False),
        )
        cautious[posterior.measured.configs] = worth[posterior.measured.configs]
        considered = tested if self.tested else np.ones(len(tested), bool)
        best = cautious
        if self.least is not None:
            safe = considered & _safe(posterior, min(self.least, _DOUBTED))
            safe &= steers.feasible(Doubt.DEPLOYMENT)[:, -1] >= self.least
            considered = safe if safe.any() else considered
            doubted = cautious / np.maximum(worth, _HARDLY)
            best = cautious if safe.any() else posterior.lenient * doubted
        chosen = highest(np.where(considered, best, -np.inf), even_chances(len(best)))
        return dict(posterior.grid.candidates.configs[chosen])


def _safe(posterior: Posterior, least: float) -> np.ndarray:
    """Which configs keep the limits, (n,)."""
    safe = posterior.feasible(Doubt.DEPLOYMENT)[:, -1] >= least
    # One measurement within the limits may have been luck, which the model can tell.
    measured = posterior.measured.configs
    safe[measured] &= posterior.feasible()[measured, -1] >= _LIKELY
    return safe


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
    safe = feasible >= _LEAST_FEASIBLE
    ranked = np.where(safe, value, -np.inf) if safe.any() else feasible
    chosen = highest(ranked, even_chances(len(trials)))
    known = posterior.value_at(answer.config, answer.fraction)
    if answer.feasible and (not safe.any() or value[chosen] <= known):
        return None
    return described(posterior, *posterior.grid.trial(int(trials[chosen])))


def described(
    posterior: Posterior, config: Config, fraction: float, noisy: bool = False
) -> Recommendation:
    """One trial as a recommendation, with what is believed about it."""
    told = posterior.describe(config, fraction, noisy)
    return Recommendation(dict(config), fraction, told.predicted, told.feasible, note=told.note)
