"""Hyperband (Li and others, 2018, algorithm 1) over slices of the data: no model is needed."""

from tunewise.problem import Problem
from tunewise.strategy.successive_halving.brackets import Brackets, by_chance


def hyperband(problem: Problem, seed: int, *, eta: int = 3) -> Brackets:
    """Random configs on slices of the data, of which 1 in eta goes on to the next larger slice.

    Args:
        problem: What is wanted, with slices of the data.
        seed: Of the configs drawn.
        eta: One in so many goes on to the next rung.
    """
    return Brackets(problem, seed, "hyperband", eta, by_chance)
