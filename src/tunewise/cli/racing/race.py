"""`tunewise race`: another tool repeats a finished study on its measured trials."""

from enum import StrEnum
from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Storage, StudyName, found, print_json, say


class Rival(StrEnum):
    """Who repeats a study."""

    OPTUNA = "optuna"


def race(
    study: StudyName,
    against: Annotated[Rival, typer.Option(metavar="TOOL", help="Who races: optuna.")],
    seeds: Annotated[int, typer.Option(metavar="N", min=1, help="Runs of each.")] = 10,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Race another tool against a finished study's strategy, on what the study measured.

    Both search the same configs in virtual time: nothing is run. Refused where the study measured
    less than nine tenths of its configs at the full data, because another tool could then only
    choose among what was chosen before.
    """
    from tunewise.benchmark.measures.summary import described
    from tunewise.benchmark.own_study import contest_of
    from tunewise.benchmark.race import replayed
    from tunewise.cli.racing.bar import bar
    from tunewise.report.terminal.race import shown
    from tunewise.strategy.spec import StrategySpec

    with found(storage, study, namespace) as stored:
        over = contest_of(study, stored.problem, stored.history)
        spec = StrategySpec.of(stored.record.strategy)
    from tunewise.integrations.optuna.race import raced  # refused studies need no Optuna

    runs = []
    with bar(2 * seeds, quiet=json) as ran:
        for seed in range(seeds):
            runs.append(replayed(over, spec, seed))
            ran()
        for seed in range(seeds):
            runs.append(raced(over, seed))
            ran()
    if json:
        print_json(described(over, runs))
    else:
        say(*shown(over, runs))
