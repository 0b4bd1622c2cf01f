"""`tunewise show`: a study, one of its trials, or a training, on the terminal."""

import time
from dataclasses import asdict
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import (
    Json,
    Namespace,
    OfTraining,
    Server,
    Storage,
    StudyName,
    downloaded,
    opened,
    print_json,
    say,
)
from tunewise.errors import StudyError

if TYPE_CHECKING:
    from tunewise.history import Trial
    from tunewise.study.stored import StoredStudy

_EVERY = 2.0
"""Seconds between two looks at a service's study."""


def show(
    study: StudyName,
    trial: Annotated[
        int | None, typer.Option(metavar="N", help="Show one trial, with the end of its log.")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="List only the last N trials or switches."),
    ] = None,
    reliability: Annotated[
        bool, typer.Option("--reliability", help="Check what was said against what came true.")
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Show trials as they end, until nobody works on it.")
    ] = False,
    training: OfTraining = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Show a study: its trials, its cost, its recommendation; or a training and its settings."""
    if server is not None:
        if follow and trial is None and not training:
            _follow_from_afar(server, study, json)
            return
        with downloaded(server, storage, study, training) as copy:
            show(study, trial, last, reliability, follow, training, copy, None, None, json)
        return
    from tunewise.job.listing import as_listed, is_training
    from tunewise.job.loading import DEFAULT, load_study
    from tunewise.job.training.stored import StoredTraining
    from tunewise.report.terminal.training import shown

    with opened(storage, namespace) as store:
        study = as_listed(store, study)
        if training or is_training(store, study):
            if trial is not None or reliability or follow:
                raise StudyError(f"{study!r} is a training; it has no trials and no reliability")
            data = StoredTraining(store, study, storage or DEFAULT, namespace).describe()
            print_json(data) if json else say(*shown(data, last))
            return
        stored = load_study(store, study)
        if trial is not None:
            _show_trial(stored, trial, json)
        elif follow:
            _follow(stored, json)
        else:
            _show_study(stored, last, reliability, json)


def _follow(stored: "StoredStudy", json: bool) -> None:
    if not json:
        _say_head(stored)
    for trial in stored.follow():
        _say_ended(stored, trial, json)
    if not json:
        _say_summary(stored)


def _follow_from_afar(server: str, study: str, json: bool) -> None:
    """As above, with a copy of the study for each look."""
    from tunewise.job.loading import load_study

    told: set[int] = set()
    for look in count():
        with downloaded(server, None, study) as copy, opened(copy) as store:
            stored = load_study(store, study)
            working = any(each.alive for each in stored.presences)
            if not look and not json:
                _say_head(stored)
            for trial in stored.history:
                if not trial.state.pending and trial.number not in told:
                    told.add(trial.number)
                    _say_ended(stored, trial, json)
            if not working:
                if not json:
                    _say_summary(stored)
                return
        time.sleep(_EVERY)


def _say_head(stored: "StoredStudy") -> None:
    from tunewise.report.terminal.progress import Rows

    say(Rows(stored.problem).header())


def _say_ended(stored: "StoredStudy", trial: "Trial", json: bool) -> None:
    from tunewise.report.export import told
    from tunewise.report.terminal.progress import Rows

    if json:
        print_json(told(stored, trial), indent=None)
    else:
        say(Rows(stored.problem).line(trial))


def _say_summary(stored: "StoredStudy") -> None:
    from tunewise.report.text import summary

    say(summary(stored.problem, stored.history, stored.recommendation))


def _show_trial(stored: "StoredStudy", number: int, json: bool) -> None:
    from tunewise.report.export import described
    from tunewise.report.terminal.trial import shown

    one = stored.trial(number)
    if json:
        log = stored.log(one)
        print_json({**described(stored, one), "log": None if log is None else str(log)})
    else:
        say(*shown(stored, one))


def _show_study(stored: "StoredStudy", last: int | None, reliability: bool, json: bool) -> None:
    from tunewise.report.export import looked_at
    from tunewise.report.terminal.studies import looked_back_on, shown

    if json:
        print_json(looked_at(stored) | (_reliability(stored) if reliability else {}))
        return
    say(*shown(stored, last))
    if reliability:
        say(*looked_back_on(stored))


def _reliability(stored: "StoredStudy") -> dict[str, Any]:
    from tunewise.benchmark.measures.reliability import of_study

    return {"reliability": list(map(asdict, of_study(stored)))}
