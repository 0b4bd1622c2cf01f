"""`tunewise replay`: race strategies on a table of measured trials, in virtual time."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tunewise.cli.options import Json, print_json

ConfigColumns: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns of the config. Default: all the others."),
]
FractionColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the fraction. Default: fraction."),
]
MetricColumns: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Columns of metrics. Default: accuracy, time and cost."),
]
CompletedColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column that says what completed. Default: completed."),
]


def replay(
    table: Annotated[
        Path, typer.Option(metavar="CSV", help="The table: a row for each measured trial.")
    ],
    strategies: Annotated[
        str, typer.Option(metavar="A,B", help="The strategies to race.")
    ] = "random,cherrypick",
    seeds: Annotated[int, typer.Option(metavar="N", min=1, help="Runs of each strategy.")] = 20,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="Processes at once.")] = 1,
    maximize: Annotated[
        str | None, typer.Option(metavar="METRIC", help="What is wanted. Default: accuracy.")
    ] = None,
    minimize: Annotated[
        str | None, typer.Option(metavar="METRIC", help="What is wanted, if less is better.")
    ] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option(metavar="LIMIT", help='A limit such as "cost <= 0.1"; may be repeated.'),
    ] = None,
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="Trials in a run, at most.")] = 48,
    budget: Annotated[
        str | None, typer.Option(metavar="USD", help="Money for a run, at most.")
    ] = None,
    parallel: Annotated[
        int, typer.Option(metavar="K", min=1, help="Trials at once, in virtual time.")
    ] = 1,
    config: ConfigColumns = None,
    fraction: FractionColumn = None,
    metrics: MetricColumns = None,
    completed: CompletedColumn = None,
    json: Json = False,
) -> None:
    """Race strategies on a table of measured trials.

    Each strategy tunes over the table with the same seeds, in virtual time: no trial is really
    run. After each trial its recommendation is looked up: its objective at the full data,
    multiplied by limit / value where it misses a limit, as a share of the best config within the
    limits.
    """
    from tunewise.cli import racing

    given = racing.Columns(config, fraction, metrics, completed)
    contest = racing.contest(
        racing.read(table, given),
        maximize=maximize,
        minimize=minimize,
        subject_to=subject_to or [],
        trials=trials,
        budget=budget,
        parallel=parallel,
    )
    scores = racing.run(contest, racing.named(strategies), seeds, jobs, quiet=json)
    if json:
        print_json([asdict(score) for score in scores])
    else:
        racing.print_scores(contest, scores)
