"""A finished study as a table, so that another tool can search what was measured in it.

This is honest only where nearly all configs were measured: a tool that may choose among the trials
of another one's search is given the fruits of that search.
"""

import math
from collections import defaultdict
from copy import copy

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.table import Row, Table
from tunewise.errors import ExecutionError
from tunewise.history import History, Measurement, Trial
from tunewise.problem import Metrics, Problem

DENSE = 0.9
"""The part of a space's configs that must have been measured."""


def contest_of(name: str, problem: Problem, history: History) -> Contest:
    """A race over the measured configs of a study; refuses one that measured too few of them.

    Configs that were not measured take no part, and neither do slices that too few were tried on.
    """
    size = _size(name, problem)
    told = [trial for trial in history if isinstance(trial.outcome, Measurement)]
    dense = [s for s in problem.fractions if len(_configs(problem, told, s)) >= DENSE * size]
    if 1.0 not in dense:
        raise ExecutionError(
            f"the study {name!r} measured {len(_configs(problem, told, 1.0))} of {size} configs at"
            f" the full data; expected {math.ceil(DENSE * size)} or more: among few trials that"
            " one search chose, another one cannot show what it would have chosen. `tunewise"
            " collect` measures the others, and `tunewise replay` races on its table"
        )
    whole = set.intersection(*(_configs(problem, told, s) for s in dense))
    kept = [t for t in told if t.fraction in dense and problem.space.key(t.config) in whole]
    table = Table.of(name, _rows(problem, kept))
    asked = copy(problem.with_space(table.space))
    asked.fractions = tuple(dense)
    if table.best(asked) is None:
        raise ExecutionError(f"no measured config of the study {name!r} keeps its limits")
    return Contest(table, asked, len(table.configs) * len(dense))


def _size(name: str, problem: Problem) -> int:
    if len(problem.objectives) > 1 or problem.deploy != "full":
        raise ExecutionError(
            f"the study {name!r} has several objectives, or deploys at any fraction; expected one"
            " objective at the full data"
        )
    if problem.space.size is None:
        raise ExecutionError(
            f"the space of the study {name!r} has no list of configs; expected one whose configs"
            " can all be measured: what was not measured cannot be replayed"
        )
    return problem.space.size


def _configs(problem: Problem, told: list[Trial], fraction: float) -> set[tuple[object, ...]]:
    return {problem.space.key(t.config) for t in told if t.fraction == fraction}


def _rows(problem: Problem, told: list[Trial]) -> list[Row]:
    """A row for each config and fraction: the mean of its repeats."""
    found: dict[tuple[object, ...], list[Trial]] = defaultdict(list)
    for trial in told:
        found[(*problem.space.key(trial.config), trial.fraction)].append(trial)
    return [
        Row(same[0].config, same[0].fraction, _mean([t.metrics for t in same]), {}, True)
        for same in found.values()
    ]


def _mean(measured: list[Metrics]) -> Metrics:
    shared = set.intersection(*(set(metrics) for metrics in measured))
    return {
        name: math.fsum(metrics[name] for metrics in measured) / len(measured)
        for name in measured[0]
        if name in shared
    }
