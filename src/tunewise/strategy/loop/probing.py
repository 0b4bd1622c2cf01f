"""One repeat that tells noise from what configs have of their own.

A surrogate cannot tell them apart: both look like values that no neighbour foretells. They ask for
different things, though. What a config has of its own is known once it was measured; noise makes
the best measurement a lucky one, and is worth repeating trials for. The cheapest trial, run once
more, says which of them it is.
"""

from dataclasses import dataclass

from tunewise.belief.posterior import Posterior
from tunewise.history.repeats import repeated
from tunewise.strategy.strategy import Suggestion

_LEAST_TRIALS = 8
"""Complete trials before a surrogate's noise says anything."""

_LEAST_OPEN = 100
"""Trials that could still be run: a space with fewer may as well be tried out."""

_LEAST_NOISE = 0.15
"""The noise that matters, as a part of how much the objective differs. A guess, as the two above:
no race has told them apart from others yet."""


@dataclass(frozen=True)
class Probe:
    """Repeats the cheapest trial once, where noise would matter."""

    def __call__(self, posterior: Posterior) -> Suggestion | None:
        """The trial to repeat, None where nothing is to be told apart."""
        problem, history, objective = posterior.problem, posterior.history, posterior.objective
        if len(history.complete) < _LEAST_TRIALS or len(posterior.open) < _LEAST_OPEN:
            return None
        if repeated(problem, history):
            return None
        if objective.surrogate.noise_ < _LEAST_NOISE * objective.surrogate.scale_:
            return None
        effort = posterior.effort
        cheapest = min(history.complete, key=lambda t: t.metrics[effort] if effort else t.fraction)
        return Suggestion(dict(cheapest.config), cheapest.fraction)
