"""`tunewise stop`: end one trial, or the whole run of a study, from another terminal."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.options import Storage, StudyName

if TYPE_CHECKING:
    from tunewise.history import Trial
    from tunewise.study import Store

STOP_NOTE = "stop_requests"
"""How often a person asked the runs of a study to end; a run ends when it sees this rise."""


def stop(
    study: StudyName,
    trial: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop only this trial; the run goes on without it."),
    ] = None,
    wait: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to wait for what runs to end.")
    ] = 15.0,
    storage: Storage = None,
) -> None:
    """Stop a running trial, or the whole run.

    What trials have cost stays booked. Stopped ones are not run again.
    """
    from tunewise.cli.stored import opened

    with opened(storage) as store:
        if trial is None:
            _stop_all(store, study, wait)
        else:
            _stop_one(store, study, trial, wait)


def _stop_one(store: "Store", study: str, number: int, wait: float) -> None:
    asked = store.request_stop(study, number)
    if asked.state.pending and _ended(store, study, {number}, wait):
        asked = next(t for t in store.history(study) if t.number == number)
    if asked.state.pending:
        typer.echo(f"trial {number} was asked to stop; it still runs after {wait:g} s")
    else:
        typer.echo(f"trial {number} is {asked.state.value}")


def _stop_all(store: "Store", study: str, wait: float) -> None:
    notes = store.load(study).notes
    store.annotate(study, {STOP_NOTE: notes.get(STOP_NOTE, 0) + 1})
    running = {t.number for t in _running(store, study)}
    if not running:
        typer.echo(f"study {study!r} has no running trial; a run that is between trials ends now")
    elif _ended(store, study, running, wait):
        typer.echo(f"study {study!r} is stopped: {_numbers(running)} ended")
    else:
        left = {t.number for t in _running(store, study)}
        typer.echo(
            f"study {study!r} was asked to stop; {_numbers(left)} still running after {wait:g} s"
        )


def _ended(store: "Store", study: str, numbers: set[int], wait: float) -> bool:
    """Ask these trials, and any that start meanwhile, to stop until none of them runs."""
    until = time.monotonic() + wait
    asked: set[int] = set()
    while left := {t.number for t in _running(store, study)} & (numbers | asked):
        for number in left - asked:
            store.request_stop(study, number)
        asked |= left
        if time.monotonic() >= until:
            return False
        time.sleep(0.2)
    return True


def _running(store: "Store", study: str) -> "list[Trial]":
    return [t for t in store.history(study) if t.state == "running"]


def _numbers(numbers: set[int]) -> str:
    listed = ", ".join(map(str, sorted(numbers)))
    return f"trial {listed}" if len(numbers) == 1 else f"trials {listed}"
