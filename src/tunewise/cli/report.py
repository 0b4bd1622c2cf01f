"""`tunewise report`: a study as one HTML file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tunewise.cli.options import AnyStudyName, Json, Namespace, Output, Storage, print_json
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
    from tunewise.cli.studies.stored_study import StoredStudy
    from tunewise.cli.what_if import Asked

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
        place = storage, namespace
        asked = _asked(study, place, table, columns, limits, subject_to or [])
        path = output or Path(f"{_stem(study or asked.name)}-what-if.html")
        _answer(asked, path, self_contained, json=json)
    else:
        given = {"--limits": limits, "--subject-to": subject_to, "--table": table,
                 "--config": config, "--fraction": fraction, "--metrics": metrics,
                 "--completed": completed}  # fmt: skip
        named = _named(study, given)
        path = output or Path(f"{_stem(named)}-report.html")
        _report(named, (storage, namespace), path, self_contained, json=json)
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
    from tunewise.cli.studies.stored_study import found, opened
    from tunewise.cli.training.folder import folder_of
    from tunewise.cli.training.stored import has_training, training_page

    storage, namespace = place
    with opened(storage, namespace) as store:
        own = folder_of(storage, namespace, study)
        page = training_page(store, study, own) if has_training(store, study, False) else None
    if page is not None:
        refuse_unwritable(path)
        page(path, self_contained)
    else:
        with found(storage, study, namespace) as stored:
            write(stored, path, self_contained=self_contained)
    if json:
        print_json({"study" if page is None else "training": study, "report": str(path.absolute())})
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
    from tunewise.cli import what_if
    from tunewise.cli.studies.stored_study import found

    if (study is None) == (table is None):
        raise StudyError("--what-if asks about one thing; expected either STUDY or --table")
    varied = limits or what_if.DEFAULT
    if table is not None:
        return what_if.of_table(read(table, Columns(*columns)), varied, subject_to)
    if any(columns):
        raise StudyError("columns belong to --table; a study knows its own")
    storage, namespace = place
    with found(storage, str(study), namespace) as stored:
        return what_if.of_study(stored, varied, subject_to)


def _answer(asked: "Asked", path: Path, self_contained: bool, *, json: bool) -> None:
    from tunewise.cli import what_if

    what_if.write(asked, path, self_contained)
    if json:
        print_json(what_if.described(asked, path), indent=None)
    else:
        what_if.print_summary(asked)
        typer.echo(f"the report is in {path}")


def write(stored: "StoredStudy", path: Path, *, self_contained: bool = False) -> None:
    """Write the report of a study, whole or not at all."""
    from tunewise.report.file import save
    from tunewise.report.page import render

    script = library(path, self_contained)
    best = stored.recommend()
    save(path, render(stored.record, stored.problem, stored.history, best, script))


def refuse_unwritable(
    path: Path, make: bool = True, *, what: str = "report", expected: str = "an HTML file"
) -> None:
    """Refuse a place where a report cannot be: better now than after the last trial.

    With `make` its folder need not be there yet, only the one around that. What is there must be a
    file: a device would be replaced by one.
    """
    folder = path.absolute().parent
    around = folder.parent if make and not folder.exists() else folder
    named = f"the {what} {str(path)!r}"
    if path.is_dir():
        raise StudyError(f"{named} is a folder; expected {expected}")
    if path.exists() and not path.is_file():
        raise StudyError(f"{named} is a device or a pipe; expected {expected}")
    if not around.is_dir():
        raise StudyError(f"{named} has no place: there is no folder {around}")
    if not os.access(around, os.W_OK):
        raise StudyError(f"{named} may not be written: {around} is read only")


def library(path: Path, self_contained: bool) -> str | None:
    """The file that draws the charts of a page of this path; None where the page has it inside.

    The folder of the page is made, but none around that.
    """
    from tunewise.report.file import library_beside

    refuse_unwritable(path)
    path.parent.mkdir(exist_ok=True)
    return None if self_contained else library_beside(path)
