"""Control of a study's runs from outside: any process may ask them to end."""

import time
from dataclasses import dataclass, replace

from tunewise.study.record import Notes
from tunewise.study.store import Store


def ask_to_end(store: Store, study: str) -> None:
    """Have every run of the study, in whatever process, begin no more trials."""
    noted = Notes.of(store.notes(study))
    asked = replace(noted, stop_requests=noted.stop_requests + 1)
    store.annotate(study, asked.changed("stop_requests"))


class EndRequests:
    """Tells whether a person has asked the runs of a study to end since this was made."""

    def __init__(self, store: Store, study: str) -> None:
        """Requests from before do not count."""
        self._store, self._study = store, study
        self._before = self._count()

    def made(self) -> bool:
        """Whether there is a new one."""
        return self._count() > self._before

    def _count(self) -> int:
        return Notes.of(self._store.notes(self._study)).stop_requests


@dataclass(frozen=True)
class Stopped:
    """What became of a request to stop: trials that ended, and that still run."""

    ended: list[int]
    running: list[int]
    sentence: str


def stop_trial(store: Store, study: str, number: int, wait: float) -> Stopped:
    """Ask a trial to stop, and wait so many seconds for that."""
    asked = store.request_stop(study, number)
    if asked.state.pending and _ended(store, study, {number}, wait):
        asked = next(t for t in store.history(study) if t.number == number)
    if asked.state.pending:
        sentence = f"trial {number} was asked to stop; it still runs after {wait:g} s"
        return Stopped([], [number], sentence)
    return Stopped([number], [], f"trial {number} is {asked.state.value}")


def stop_run(store: Store, study: str, wait: float) -> Stopped:
    """Ask the runs of a study and all their trials to stop, and wait so many seconds for that."""
    ask_to_end(store, study)
    running = _running(store, study)
    if not running:
        sentence = f"study {study!r} has no running trial; a run that is between trials ends now"
        return Stopped([], [], sentence)
    if _ended(store, study, running, wait):
        sentence = f"study {study!r} is stopped: {_numbers(running)} ended"
        return Stopped(sorted(running), [], sentence)
    left = _running(store, study)
    return Stopped(
        sorted(running - left),
        sorted(left),
        f"study {study!r} was asked to stop; {_numbers(left)} still running after {wait:g} s",
    )


def _ended(store: Store, study: str, numbers: set[int], wait: float) -> bool:
    """Ask these trials, and any that start meanwhile, to stop until none of them runs."""
    until = time.monotonic() + wait
    asked: set[int] = set()
    while left := _running(store, study) & (numbers | asked):
        for number in left - asked:
            store.request_stop(study, number)
        asked |= left
        if time.monotonic() >= until:
            return False
        time.sleep(0.2)
    return True


def _running(store: Store, study: str) -> set[int]:
    return {t.number for t in store.history(study) if t.state == "running"}


def _numbers(numbers: set[int]) -> str:
    listed = ", ".join(map(str, sorted(numbers)))
    return f"trial {listed}" if len(numbers) == 1 else f"trials {listed}"
