"""Who works on a stored study now, where, and since when; and whose process has died."""

import time
from dataclasses import dataclass
from typing import Any

from tunewise.history import History, Trial, TrialState
from tunewise.study.owner import Owner
from tunewise.study.record import StudyRecord
from tunewise.study.store import Store


@dataclass(frozen=True)
class Presence:
    """A process that works on a study, or that was killed while it did.

    Attributes:
        owner: The process.
        trials: Numbers of the trials that it was given and has not told.
        since: When its run began; for one that began before the last, when its first trial did.
        alive: Whether it still works, as far as can be known from here.
    """

    owner: Owner
    trials: tuple[int, ...]
    since: float | None
    alive: bool

    def describe(self) -> dict[str, Any]:
        """The presence as JSON-able data."""
        return {
            "host": self.owner.machine,
            "pid": self.owner.pid,
            "since": self.since,
            "trials": list(self.trials),
            "alive": self.alive,
        }

    def __str__(self) -> str:
        """One line for people."""
        began = "" if self.since is None else f" since {_clock(self.since)}"
        where = f"process {self.owner.pid} on {self.owner.machine}"
        several = len(self.trials) > 1
        named = ", ".join(map(str, self.trials))
        numbers = f"trial{'s' * several} {named}" if named else ""
        if self.alive:
            return f"running{began}: {where}" + (f", {numbers}" if numbers else "")
        again = f"; {numbers} run{'s' * (not several)} again when it is resumed" if numbers else ""
        return f"the run{began} died: {where} is gone{again}"


def presences(store: Store, record: StudyRecord, history: History) -> list[Presence]:
    """Every process that works on the study, and each that died at it; none after a proper end."""
    idle, held = store.idle(record.name, Owner.here()), _held(store, record.name, history)
    begun, since = record.noted.begun, dict[Owner, float]()
    if begun is not None and record.noted.stopped is None:
        held.setdefault(begun.owner, [])
        since[begun.owner] = begun.at
    found = []
    for owner, trials in held.items():
        asked = [trial.asked_at for trial in trials if trial.asked_at is not None]
        numbers = tuple(trial.number for trial in trials)
        alive = not owner.known_dead and not (numbers and idle.issuperset(numbers))
        found.append(Presence(owner, numbers, since.get(owner, min(asked, default=None)), alive))
    return found


def _held(store: Store, study: str, history: History) -> dict[Owner, list[Trial]]:
    owners, held = store.owners(study), dict[Owner, list[Trial]]()
    for trial in history.of(TrialState.RUNNING):
        if trial.number in owners:
            held.setdefault(owners[trial.number], []).append(trial)
    return held


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
