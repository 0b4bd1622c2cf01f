"""The configs a strategy chooses from, encoded once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.surrogate.normal import Array


@dataclass(frozen=True, eq=False)
class Candidates:
    """Configs with their encoding x (n, d) and the logarithm of their hourly price (n,).

    The price is 0 everywhere where it is not known: only differences from it are modelled then.
    Places that are only weighed, and never tried, may be without configs.
    """

    configs: Sequence[Config]
    x: Array
    log_price: Array

    def __len__(self) -> int:
        """How many configs there are."""
        return len(self.x)

    @classmethod
    def of(cls, problem: Problem, configs: Sequence[Config]) -> "Candidates":
        """Encode configs and look their prices up."""
        return cls(configs, problem.space.encode(configs), log_price(problem, configs))

    def at(self, positions: NDArray[np.intp]) -> "Candidates":
        """Those at the positions, in that order."""
        configs = [self.configs[i] for i in positions.tolist()]
        return Candidates(configs, self.x[positions], self.log_price[positions])


def log_price(problem: Problem, configs: Sequence[Config]) -> Array:
    """Logarithm of the USD per hour of each config, (n,); 0 where prices are not known."""
    if problem.price is None:
        return np.zeros(len(configs))
    hourly = np.fromiter((problem.hourly(c) for c in configs), float, len(configs))
    return np.asarray(np.log(np.maximum(hourly, 1e-12)))


def pool(problem: Problem, history: History, seed: int, most: int) -> Candidates:
    """All configs of a space that lists them, else a pool around the best ones so far.

    What was tried may be in it, to be tried on more data, but nothing else that is the same to
    three digits: such a trial would teach nothing.
    """
    space = problem.space
    if space.size is not None and space.size <= most:
        return Candidates.of(problem, space.configs)
    rng, good = np.random.default_rng([seed, len(history)]), _good(problem, history)
    tried = {space.key(trial.config) for trial in history}
    drawn = space.pool(most, rng, around=good)
    near = space.near(drawn, [trial.config for trial in history])
    if near.all():
        # A pool this small is filled by the good ones: only a larger one has something new.
        drawn = space.pool(most + len(tried), rng, around=good)
        near = space.near(drawn, [trial.config for trial in history])
    kept = [c for c, same in zip(drawn, near, strict=True) if not same or space.key(c) in tried]
    return Candidates.of(problem, drawn if near.all() else kept)


def _good(problem: Problem, history: History, most: int = 5) -> list[Config]:
    """The most promising measured configs: feasible first, then by objective."""
    sign = -1 if problem.maximize else 1
    ranked = sorted(
        history.complete,
        key=lambda t: (problem.violation(t.metrics), sign * t.metrics[problem.objective]),
    )
    return [t.config for t in ranked[:most]]
