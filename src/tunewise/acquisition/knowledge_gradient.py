"""Knowledge gradient of the constrained full-data recommendation.

How much better is the recommendation expected to be once a candidate was measured? Each target is
worth its expected objective times the probability that it is feasible; the best target stands for
the recommendation, now and after every outcome. The reward is linear in the probability, so that
making sure of a limit has a value of its own.
"""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from tunewise.acquisition.acquisition import at, with_overhead
from tunewise.acquisition.outcomes import ends, fineness, middles, outcomes
from tunewise.belief.candidates import Candidates
from tunewise.belief.future import futures
from tunewise.belief.grid import Index
from tunewise.belief.metric_belief import expected_of_log
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.belief.worth import in_own_unit
from tunewise.space import Config
from tunewise.surrogate import Array
from tunewise.surrogate.normal import TINY, from_log

TARGETS = 30
"""Configs that may become the recommendation while trials are weighed: the most promising ones by
an optimist's view. Time grows in proportion to their number; with 30 an ask over 1,440 trials takes
about 0.03 s, and with 60 half as much again. Not tuned for quality."""

LONGER = 2.0
"""A trial that was pruned runs again only if it may take so many times as long; while none is
complete the first takes so many times its part of the limit. With the rules of this kind taken out
the loss on continuous problems is .13 higher."""


@dataclass(frozen=True)
class KnowledgeGradient:
    """The knowledge gradient of the constrained full-data recommendation, per unit of spending.

    A trial that may be stopped is worth the best of all times to stop it: what it teaches by then
    per unit of what it is expected to spend. So a trial that may take very long is begun where it
    may also end soon, and pruned when it does not.

    Attributes:
        roots: Gauss-Hermite roots of the outcomes; None takes more where there are few trials.
        overhead: What a trial costs besides its own spending, as a share of all spent so far.
        targets: How many configs may become the recommendation; None for all.
        stops: Whether trials are stopped.
        least: What is recommended keeps the limits with this probability. It counts where the least
            cost or time of unrelated configs is wanted: there one that costs little and is likely
            enough would already be the answer, and nothing would be worth making sure of it.
    """

    roots: int | None = None
    overhead: float = 0.1
    targets: int | None = TARGETS
    stops: bool = True
    least: float = 0.0

    logarithms: ClassVar[bool] = False

    def __call__(self, posterior: Posterior, trials: Index, rng: np.random.Generator) -> Array:
        """The worth of each trial, (c,)."""
        return np.asarray(self._scored(posterior, trials)[0].max(1), float)

    def most(self, posterior: Posterior, trial: int) -> float:
        """What a trial may spend before it is pruned; infinite for all it takes."""
        scores, caps = self._scored(posterior, np.array([trial]))
        return float(caps[0, int(scores[0].argmax())])

    def _scored(self, posterior: Posterior, trials: Index) -> tuple[Array, Array]:
        """What each trial is worth if it is pruned at each cap, and the caps: (c, k) both."""
        future = futures(posterior, trials, posterior.plausible(self.targets))
        count = self.roots or fineness(future)
        # Where configs predict each other, one that runs to its end teaches about all of them.
        unrelated, alone = not posterior.related, posterior.history.unstopped
        if not self.stops or not posterior.timed or not unrelated or alone:
            gain = outcomes(future, count).gain()
            spent = with_overhead(posterior, trials, self.overhead)
            if unrelated and alone:
                # A few giants, which nobody stops, would make every new config look too dear.
                usual = at(posterior.spending_at_most(0.0), trials)
                spent = usual + self.overhead * posterior.spent
            return (np.maximum(gain, TINY) / spent)[:, None], np.full((len(gain), 1), inf)
        times = 2 * count + 1
        gains = outcomes(future, count, middles(times), self.least if future.spent else 0.0).gains()
        caps, spending = _until(posterior, trials, times)
        # The sooner a trial is pruned, the less it tells even where nothing is expected of it.
        least = TINY * np.arange(1, times + 1) / times
        worth = np.maximum(gains, least) / (spending + self.overhead * posterior.spent)
        return np.where(caps >= _soonest(posterior, trials)[:, None], worth, 0.0), caps


def _soonest(posterior: Posterior, trials: Index) -> Array:
    """The least that a trial may spend before it is pruned, (c,).

    That is its part of a limit, and more than when it was pruned before.
    """
    problem, effort = posterior.problem, posterior.effort
    assert effort is not None, "what is timed is spent"
    again = LONGER * at(posterior.pruned_at, trials)
    limits = [c.bound for c in problem.constraints if c.metric == effort and c.sign == "<="]
    part = min(limits, default=0.0) * posterior.grid.fraction(trials)
    return np.asarray(np.maximum(again, part), float)


def _until(posterior: Posterior, trials: Index, times: int) -> tuple[Array, Array]:
    """Caps on what a trial spends, and what is expected to be spent with each: (c, k) both."""
    assert posterior.effort is not None, "what is timed is spent"
    believed = at(posterior.predict(posterior.effort, Doubt.MEASUREMENT), trials)
    again = at(posterior.pruned_at, trials)[:, None]

    def spent(deviations: Array) -> Array:
        logarithm = believed.mean[:, None] + believed.std[:, None] * deviations
        return from_log(logarithm)

    caps = np.append(spent(ends(times)[:-1]), np.full((len(trials), 1), inf), axis=1)
    each = np.maximum(spent(middles(times)[0]), again)
    whole = np.maximum(expected_of_log(believed)[:, None], again)
    cut = np.minimum(each[:, None, :], caps[:, :-1, None]).mean(2)
    return caps, np.append(cut, whole, axis=1)


def knowledge_gain(
    posterior: Posterior, recommended: Config, targets: int | None = TARGETS
) -> float:
    """How much the most useful open trial betters what is recommended, in the objective's unit."""
    if not len(posterior.open):
        return 0.0
    future = futures(posterior, posterior.open, posterior.plausible(targets))
    gains = outcomes(future, 3).gain()
    here = Candidates.of(posterior.problem, [recommended])
    natural = posterior.objective.natural(here, 1.0)
    mean = float(np.asarray(natural.mean)[0])
    return in_own_unit(float(gains.max()), posterior.objective, mean)
