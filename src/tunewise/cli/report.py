"""`tunewise report`: a study as one HTML file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tunewise.cli.options import (
    AnyStudyName,
    Json,
    Namespace,
    Output,
    Server,
    Storage,
    downloaded,
    found,
    opened,
    print_json,
    say,
)
from tunewise.cli.replay import (
    CompletedColumn,
    ConfigColumns,
    FractionColumn,
    Limits,
    MetricColumns,
    SelfContained,
)
from tunewise.errors import StudyError

if TYPE_CHECKING:
    from tunewise.report.what_if.asked import Asked

WhatIf: TypeAlias = Annotated[
    bool,
    typer.Option("--what-if", help="Show what a part of the data saves, for every pair of limits."),
]
Varied: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="The limits to vary. Default: accuracy,time."),
]
Place: TypeAlias = tuple[str | None, str | None]
"""A storage and a namespace in it, as far as they are given."""
MeasuredTable: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="CSV", help="Ask about a table instead of a study.")
]


def report(
    study: AnyStudyName = None,
    output: Output = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    what_if: WhatIf = False,
    limits: Varied = None,
    subject_to: Limits = None,
    table: MeasuredTable = None,
    config: ConfigColumns = None,
    fraction: FractionColumn = None,
    metrics: MetricColumns = None,
    completed: CompletedColumn = None,
    self_contained: SelfContained = False,
    json: Json = False,
) -> None:
    """Write a study's or a training's report as an HTML file.

    It has all charts and works offline. Without --output it is STUDY-report.html in this folder.
    The library that draws charts is written beside it once, for all reports of the folder.
    With --what-if it is a heat map of what a part of the data saves, for every pair of limits.
    """
    if what_if:
        columns = (config, fraction, metrics, completed)
        afar = server if table is None else None
        with downloaded(afar, storage, study or "") as place:
            store = (place, namespace if afar is None else None)
            asked = _asked(study, store, table, columns, limits, subject_to or [])
        path = output or Path(f"{_stem(study or asked.name)}-what-if.html")
        _answer(asked, path, self_contained, json=json)
    else:
        given = {"--limits": limits, "--subject-to": subject_to, "--table": table,
                 "--config": config, "--fraction": fraction, "--metrics": metrics,
                 "--completed": completed}  # fmt: skip
        named = _named(study, given)
        path = output or Path(f"{_stem(named)}-report.html")
        with downloaded(server, storage, named) as place:
            store = (place, namespace if server is None else None)
            _report(named, store, path, self_contained, json=json)
    if open_it:
        typer.launch(str(path.absolute()))


def _named(study: str | None, given: Mapping[str, object]) -> str:
    """The study of a plain report, for which nothing of a what-if may be given."""
    if odd := [option for option, said in given.items() if said]:
        raise StudyError(f"{odd[0]} belongs to --what-if; give that too")
    if study is None:
        raise StudyError("no study is named; expected STUDY, or --what-if with --table")
    return study


def _stem(name: str) -> str:
    return name.removesuffix(".csv").replace("/", "_")


def _report(study: str, place: Place, path: Path, self_contained: bool, *, json: bool) -> None:
    from tunewise.job.listing import as_listed, is_training
    from tunewise.job.loading import DEFAULT, load_study
    from tunewise.job.training.stored import StoredTraining
    from tunewise.report.file import write
    from tunewise.report.training.page import write_stored

    storage, namespace = place
    with opened(storage, namespace) as store:
        study = as_listed(store, study)
        training = is_training(store, study)
        if training:
            kept = StoredTraining(store, study, storage or DEFAULT, namespace)
            write_stored(path, kept, self_contained)
        else:
            write(load_study(store, study), path, self_contained=self_contained)
    if json:
        print_json({"training" if training else "study": study, "report": str(path.absolute())})
    else:
        typer.echo(f"the report is in {path}")


def _asked(
    study: str | None,
    place: Place,
    table: Path | None,
    columns: tuple[str | None, ...],
    limits: str | None,
    subject_to: list[str],
) -> "Asked":
    from tunewise.benchmark.columns import Columns, read
    from tunewise.report.what_if import asked

    if (study is None) == (table is None):
        raise StudyError("--what-if asks about one thing; expected either STUDY or --table")
    varied = limits or asked.DEFAULT
    if table is not None:
        return asked.of_table(read(table, Columns(*columns)), varied, subject_to)
    if any(columns):
        raise StudyError("columns belong to --table; a study knows its own")
    storage, namespace = place
    with found(storage, str(study), namespace) as stored:
        return asked.of_study(stored, varied, subject_to)


def _answer(asked: "Asked", path: Path, self_contained: bool, *, json: bool) -> None:
    from tunewise.report.terminal.what_if import shown
    from tunewise.report.what_if.asked import described, write

    write(asked, path, self_contained)
    if json:
        print_json(described(asked, path), indent=None)
    else:
        say(*shown(asked))
        typer.echo(f"the report is in {path}")
