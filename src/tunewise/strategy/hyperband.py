"""Hyperband (Li and others, 2018, algorithm 1) over slices of the data: no model steers it."""

from tunewise.problem import Problem
from tunewise.strategy.loop.options import takes
from tunewise.strategy.successive_halving.brackets import Brackets, by_chance


@takes()
def hyperband(problem: Problem, seed: int, *, eta: int = 3, stop_hopeless: bool = True) -> Brackets:
    """Random configs on slices of the data, of which 1 in eta goes on to the next larger slice.

    Args:
        problem: What is wanted, with slices of the data.
        seed: Of the configs drawn.
        eta: One in so many goes on to the next rung.
        stop_hopeless: Whether trials are stopped that can no longer become the answer.
    """
    return Brackets(problem, seed, "hyperband", eta, by_chance, stop_hopeless)
