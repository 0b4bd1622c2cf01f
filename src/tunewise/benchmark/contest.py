"""What strategies are raced on."""

from dataclasses import dataclass

from tunewise.benchmark.table import Table
from tunewise.problem import KNOWN, Problem
from tunewise.space import Catalogue
from tunewise.study.executor import Job


@dataclass(frozen=True)
class Contest:
    """What strategies are raced on.

    Attributes:
        table: Measured trials.
        problem: What is wanted, over the table's space.
        trials: Trials in each run, at most.
        parallel: Trials at once.
        job: What is replayed, where it is more than the table, such as one that reports snapshots.
        stop_by_reports: Whether strategies may stop a trial by what it reports.
    """

    table: Table
    problem: Problem
    trials: int
    parallel: int = 1
    job: Job | None = None
    stop_by_reports: bool = True


def contest(
    table: Table,
    *,
    maximize: str | None,
    minimize: str | None,
    subject_to: list[str],
    trials: int,
    budget: str | None,
    parallel: int,
    deploy: str = "full",
    full_data: bool = False,
) -> Contest:
    """What is wanted over the table: by default the most accuracy, or else the least cost."""
    if maximize is None and minimize is None:
        known = table.rows[0].metrics
        maximize, minimize = ("accuracy", None) if "accuracy" in known else (None, "cost")
    own = [m for m in table.rows[0].metrics if m not in KNOWN]
    problem = Problem(
        table.space,
        maximize=maximize,
        minimize=minimize,
        subject_to=subject_to,
        fractions=(1.0,) if full_data else table.fractions,
        deploy=deploy,  # type: ignore[arg-type]  # a problem checks it, with a sentence
        budget=budget,
        metrics=own,
        catalogue=Catalogue.shipped(),  # a race means the same to everybody
    )
    table.values(problem.objective)
    for limit in problem.constraints:
        table.values(limit.metric)
    return Contest(table, problem, trials, parallel)
