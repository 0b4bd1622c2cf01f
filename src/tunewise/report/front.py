"""The Pareto front of a study with several objectives: as data, and for a terminal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tunewise.format import MISSING, measured, share_of_data, value
from tunewise.format.printable import printable
from tunewise.history import History
from tunewise.problem import Metrics, Problem
from tunewise.space import Config

if TYPE_CHECKING:
    from rich.table import Table as RichTable


@dataclass(frozen=True)
class FrontTrial:
    """A measured trial that keeps the limits, and that no other one beats in every objective.

    Attributes:
        number: The trial's.
        config: The value of each parameter.
        fraction: The share of the data it may be deployed with.
        objectives: Its value of each objective.
    """

    number: int
    config: Config
    fraction: float
    objectives: Metrics

    def describe(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "number": self.number,
            "config": self.config,
            "fraction": self.fraction,
            "objectives": self.objectives,
        }


def front(problem: Problem, history: History) -> tuple[FrontTrial, ...]:
    """The front, best value of the first objective first; empty with a single objective."""
    if len(problem.objectives) < 2:
        return ()
    wanted = [o.metric for o in problem.objectives]
    return tuple(
        FrontTrial(t.number, t.config, t.fraction, {name: t.metrics[name] for name in wanted})
        for t in history.front(problem)
    )


def front_table(problem: Problem, data: tuple[FrontTrial, ...]) -> "RichTable":
    """The front for a terminal."""
    from rich.table import Table as RichTable
    from rich.text import Text

    head, rows = cells(problem, data)
    table = RichTable(*head, title="Pareto front", title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def cells(problem: Problem, data: tuple[FrontTrial, ...]) -> tuple[list[str], list[list[str]]]:
    """The front as text: the names of its columns, and its rows."""
    several = problem.deploy == "any" and len(problem.fractions) > 1
    wanted = [o.metric for o in problem.objectives]
    head = ["trial", *wanted, *["data"] * several, *problem.space.names]
    rows = [
        [
            str(trial.number),
            *(measured(problem.metrics[name], trial.objectives[name]) for name in wanted),
            *[share_of_data(trial.fraction)] * several,
            *(value(trial.config.get(name, MISSING)) for name in problem.space.names),
        ]
        for trial in data
    ]
    return head, rows
