"""Which runs a grid is measured by, and in which order."""

from dataclasses import dataclass

from tunewise.data import order
from tunewise.errors import ExecutionError
from tunewise.history import Trial
from tunewise.problem import Problem
from tunewise.space import Config

_MOST = 1_000_000
"""Runs of a grid: nobody measures more."""


@dataclass(frozen=True)
class Run:
    """One config at one fraction, measured for the so-manieth time.

    Attributes:
        number: Tells the runs of a grid apart, and stays when repeats are added: jobs draw their
            random numbers by it.
        config: The config.
        fraction: The fraction.
        repeat: Which repeat, from 0.
        snapshots: The smaller fractions, which the job may report on its way.
    """

    number: int
    config: Config
    fraction: float
    repeat: int
    snapshots: tuple[float, ...]

    @property
    def trial(self) -> Trial:
        """The trial that a job is given for it."""
        return Trial(self.number, self.config, self.fraction, self.snapshots)


def planned(problem: Problem, repeats: int) -> list[Run]:
    """All runs of the problem's grid, in the order in which they are measured.

    One repeat comes after the other, each in an order of its own that looks random: a machine that
    is slower for a while then slows no config or fraction more than others.

    Raises:
        ExecutionError: When a space has no end, or the grid is too large to be meant.
    """
    size = problem.space.size
    if not problem.space.finite or size is None:
        raise ExecutionError(
            "the space holds a continuum, so that it has no grid; expected lists of values for"
            " every parameter"
        )
    fractions = problem.fractions
    if size * len(fractions) * repeats > _MOST:
        raise ExecutionError(
            f"the grid has {size * len(fractions) * repeats:,} runs; expected at most {_MOST:,}"
        )
    cells = [(config, fraction) for config in problem.space.configs for fraction in fractions]
    return [
        Run(repeat * len(cells) + i, config, fraction, repeat, _below(fractions, fraction))
        for repeat in range(repeats)
        for i in order.ranks(order.by_place(len(cells), seed=repeat)).tolist()
        for config, fraction in (cells[i],)
    ]


def _below(fractions: tuple[float, ...], fraction: float) -> tuple[float, ...]:
    return tuple(s for s in fractions if s < fraction)
