"""How a search over (config, fraction) begins."""

from collections.abc import Callable

import numpy as np

from tunewise.problem import Problem
from tunewise.strategy.strategy import Suggestion

Beginning = Callable[[Problem, int, np.random.Generator], list[Suggestion]]


def cheap(problem: Problem, initial: int, rng: np.random.Generator) -> list[Suggestion]:
    """Configs of a latin hypercube on the smallest fraction."""
    return [
        Suggestion(config, problem.fractions[0]) for config in problem.space.latin(initial, rng)
    ]


def paper(problem: Problem, initial: int, rng: np.random.Generator) -> list[Suggestion]:
    """TrimTuner's: each config on the largest slice, the smaller ones as snapshots of its run."""
    slices = problem.fractions[:-1] or problem.fractions
    return [
        Suggestion(config, slices[-1], tuple(slices[:-1]))
        for config in problem.space.latin(initial, rng)
    ]


BEGINNINGS: dict[str, Beginning] = {"cheap": cheap, "paper": paper}
