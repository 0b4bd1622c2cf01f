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
TablePath: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="CSV", help="The table: a row for each measured trial.")
]
Seeds: TypeAlias = Annotated[int, typer.Option(metavar="N", min=1, help="Runs of each strategy.")]
Jobs: TypeAlias = Annotated[int, typer.Option(metavar="N", min=1, help="Processes at once.")]
Trials: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, help="Trials in a run, at most.")
]
Budget: TypeAlias = Annotated[
    str | None, typer.Option(metavar="USD", help="Money for a run, at most.")
]
Parallel: TypeAlias = Annotated[
    int, typer.Option(metavar="K", min=1, help="Trials at once, in virtual time.")
]
Tenants: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="CSV", help="Accuracy: a row a user, a column a model. Races rules."),
]
Costs: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="CSV", help="Seconds of the same users and models; else U(0, 1)."),
]
Curves: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="CSV", help="Curves over fractions, for slices."),
]
Orders: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="CSV", help="Models and their citations, year or others: for most_cited."),
]
Seed: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=0, help="Of the draws of test users.")
]
Rules: TypeAlias = Annotated[
    str,
    typer.Option(metavar="A,B", help="The rules to race; options as in greedy(cost_aware=false)."),
]
Repeats: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, help="How often test users are drawn.")
]
Users: TypeAlias = Annotated[int, typer.Option(metavar="N", min=1, help="Test users in a repeat.")]
Logs: TypeAlias = Annotated[
    float, typer.Option(metavar="SHARE", min=0, max=1, help="Of the other users, in the log.")
]
Until: TypeAlias = Annotated[
    float, typer.Option(metavar="SHARE", min=0, max=1, help="Of the total run time, in a repeat.")
]
Devices: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, help="Models that train at once.")
]
Unknown: TypeAlias = Annotated[
    bool, typer.Option("--unknown-costs", help="Learn run times instead of knowing them.")
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
    table: TablePath = None,
    strategies: Entrants = "random,cherrypick",
    seeds: Seeds = 20,
    jobs: Jobs = 1,
    maximize: Maximize = None,
    minimize: Minimize = None,
    subject_to: Limits = None,
    trials: Trials = 48,
    budget: Budget = None,
    parallel: Parallel = 1,
    deploy: Deploy = "full",
    full_data: FullData = False,
    tenants: Tenants = None,
    costs: Costs = None,
    curves: Curves = None,
    orders: Orders = None,
    rules: Rules = "hybrid,easeml,greedy,round_robin,random",
    repeats: Repeats = 50,
    seed: Seed = 0,
    users: Users = 10,
    logs: Logs = 1.0,
    until: Until = 1.0,
    devices: Devices = 1,
    unknown_costs: Unknown = False,
    report: Report = None,
    self_contained: SelfContained = False,
    config: ConfigColumns = None,
    fraction: FractionColumn = None,
    metrics: MetricColumns = None,
    completed: CompletedColumn = None,
    json: Json = False,
) -> None:
    """Race strategies on a table of measured trials, or rules on a table of users and models.

    Each strategy tunes over the table with the same seeds, in virtual time: no trial is really
    run. After each trial its recommendation is looked up: its objective at the full data, times
    limit / value where it misses a limit, as a share of the best config within the limits. With
    --tenants, rules choose whose model is trained next.
    """
    from tunewise.cli.racing import races
    from tunewise.job.tuning.places import refuse_unwritable

    if report is not None:
        refuse_unwritable(report, make=False)
    page = report, self_contained
    if tenants is not None:
        from tunewise.benchmark.tenants.race import Protocol

        plan = Protocol(
            users=users, repeats=repeats, seed=seed, logs=logs, limit=until, devices=devices,
            costs="learned" if unknown_costs else "known", slices=curves is not None,
        )  # fmt: skip
        return races.rules((tenants, costs, curves, orders), rules, plan, page, json=json)
    races.strategies(
        table, (config, fraction, metrics, completed), strategies, seeds, jobs, page, json=json,
        maximize=maximize, minimize=minimize, subject_to=subject_to or [],
        trials=trials, budget=budget, parallel=parallel, deploy=deploy, full_data=full_data,
    )  # fmt: skip
