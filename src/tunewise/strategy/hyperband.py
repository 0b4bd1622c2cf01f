"""Hyperband (Li and others, 2018, algorithm 1) over slices of the data: no model steers it."""

from tunewise.problem import Problem
from tunewise.strategy.loop.options import takes
from tunewise.strategy.successive_halving.brackets import Brackets, by_chance


@takes()
def hyperband(problem: Problem, seed: int, *, eta: int = 3, prune: bool = True) -> Brackets:
    """Random configs on slices of the data, of which 1 in eta goes on to the next larger slice."""
    return Brackets(problem, seed, "hyperband", eta, by_chance, prune)
