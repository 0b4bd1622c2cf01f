"""`tunewise replay`: race strategies on a table of measured trials, in virtual time."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tunewise.cli.options import Json

Entrants: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="A,B", help="The strategies to race; options as in trimtuner(surrogate=trees)."
    ),
]
Maximize: TypeAlias = Annotated[
    str | None, typer.Option(metavar="METRIC", help="What is wanted. Default: accuracy.")
]
Minimize: TypeAlias = Annotated[
    str | None, typer.Option(metavar="METRIC", help="What is wanted, if less is better.")
]
Limits: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="LIMIT", help='A limit such as "cost <= 0.1"; may be repeated.'),
]
Deploy: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="WHERE", help='"full": deploy at the full data; "any": at whichever fraction.'
    ),
]
FullData: TypeAlias = Annotated[
    bool, typer.Option("--full-data", help="Run no trial on a part of the data.")
]
Report: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw the figures to this HTML file.")
]
SelfContained: TypeAlias = Annotated[
    bool, typer.Option("--self-contained", help="Put all into one file, about 5 MB larger.")
]
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
    strategies: Entrants = "random,cherrypick",
    seeds: Annotated[int, typer.Option(metavar="N", min=1, help="Runs of each strategy.")] = 20,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="Processes at once.")] = 1,
    maximize: Maximize = None,
    minimize: Minimize = None,
    subject_to: Limits = None,
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="Trials in a run, at most.")] = 48,
    budget: Annotated[
        str | None, typer.Option(metavar="USD", help="Money for a run, at most.")
    ] = None,
    parallel: Annotated[
        int, typer.Option(metavar="K", min=1, help="Trials at once, in virtual time.")
    ] = 1,
    deploy: Deploy = "full",
    full_data: FullData = False,
    report: Report = None,
    self_contained: SelfContained = False,
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
    from tunewise.benchmark.columns import Columns, read
    from tunewise.benchmark.contest import contest as wanted
    from tunewise.benchmark.entrants import entrants
    from tunewise.cli import racing

    racing.refuse_unplaced(report)
    contest = wanted(
        read(table, Columns(config, fraction, metrics, completed)),
        maximize=maximize,
        minimize=minimize,
        subject_to=subject_to or [],
        trials=trials,
        budget=budget,
        parallel=parallel,
        deploy=deploy,
        full_data=full_data,
    )
    named = entrants(strategies)
    runs = racing.run(contest, named, seeds, jobs, quiet=json)
    racing.tell(contest, named, runs, report, self_contained=self_contained, json=json)
