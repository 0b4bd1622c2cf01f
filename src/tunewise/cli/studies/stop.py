"""`tunewise stop`: end one trial, or the whole run of a study, from another terminal."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.options import Json, Namespace, Storage, StudyName, print_json

if TYPE_CHECKING:
    from tunewise.history import Trial
    from tunewise.study import Store


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
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Stop a running trial, or the whole run.

    What trials have cost stays booked. Stopped ones are not run again.
    """
    from tunewise.cli.studies.stored_study import opened

    with opened(storage, namespace) as store:
        asked = (_stop_all if trial is None else _stop_one)(store, study, trial, wait)
    if json:
        print_json({"study": study, "stopped": asked.stopped, "running": asked.running})
    else:
        typer.echo(asked.sentence)


@dataclass(frozen=True)
class _Asked:
    """What became of a request to stop: trials that ended, and that still run."""

    stopped: list[int]
    running: list[int]
    sentence: str


def _stop_one(store: "Store", study: str, number: int | None, wait: float) -> _Asked:
    assert number is not None
    asked = store.request_stop(study, number)
    if asked.state.pending and _ended(store, study, {number}, wait):
        asked = next(t for t in store.history(study) if t.number == number)
    if asked.state.pending:
        sentence = f"trial {number} was asked to stop; it still runs after {wait:g} s"
        return _Asked([], [number], sentence)
    return _Asked([number], [], f"trial {number} is {asked.state.value}")


def _stop_all(store: "Store", study: str, number: int | None, wait: float) -> _Asked:
    from tunewise.study.run.control import ask_to_end

    ask_to_end(store, study)
    running = {t.number for t in _running(store, study)}
    if not running:
        sentence = f"study {study!r} has no running trial; a run that is between trials ends now"
        return _Asked([], [], sentence)
    if _ended(store, study, running, wait):
        sentence = f"study {study!r} is stopped: {_numbers(running)} ended"
        return _Asked(sorted(running), [], sentence)
    left = {t.number for t in _running(store, study)}
    return _Asked(
        sorted(running - left),
        sorted(left),
        f"study {study!r} was asked to stop; {_numbers(left)} still running after {wait:g} s",
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
