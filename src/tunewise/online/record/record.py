"""The durable record of a training: its events in a store, written as they happen."""

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tunewise.errors import StudyError
from tunewise.format import config
from tunewise.online.belief.summary import Summary
from tunewise.online.deadline import OVERHEAD
from tunewise.online.record.events import Event, Reported, Started, decoded, encoded
from tunewise.online.transfer import past
from tunewise.online.until import FEW, Until
from tunewise.space import Config, Space
from tunewise.study import Store
from tunewise.study.opening import open_store
from tunewise.study.owner import Owner
from tunewise.study.store import Runs

_LEASE = 120.0
"""Seconds, at least, after which a silent training on another machine is taken to be gone;
a few of its longest iterations, where those are longer."""


class Record:
    """Appends events to a run of a store, or nowhere.

    A decision is durable before it is followed. Reports are gathered so that writing them stays a
    small share of the training's time: a crash loses at most the last few of them.
    """

    def __init__(self, first: Config, runs: Runs | None = None, name: str = "") -> None:
        """Keep events of the run of this name, begun with a setting; without a store, none."""
        self.first = first
        self._runs, self._name, self._owner = runs, name, Owner.here()
        self._waiting: list[dict[str, Any]] = []
        self._written = 0
        self._next = 0.0
        self._lease, self._heard = _LEASE, time.monotonic()
        self._renewed = -math.inf
        self._own()

    @classmethod
    def opened(
        cls,
        storage: str | Path | Store | None,
        name: str | None,
        space: Space,
        until: Until,
        first: Config,
    ) -> "Record":
        """The record of a name in a storage; one that is there must be of the same training.

        One in which nothing was ever reported, as of a start that was refused, gives way to another
        training, unless somebody goes on with it. Others stay with the setting that they began
        with: what happened since cannot be understood without it.
        """
        if storage is None:
            if name:
                raise StudyError(
                    f"name is {name!r}, but nothing is kept without a storage; expected"
                    " storage='sqlite:///tunewise.db' beside it, or no name"
                )
            return cls(first)
        if not name:
            raise StudyError("a tuner with a storage needs a name, such as name='run-7'")
        runs = open_store(storage).runs()
        described = {"space": space.describe(), "until": str(until), "first": dict(first)}
        here = Owner.here()
        kept = runs.begin(name, described, here, _LEASE)
        if any(kept[key] != described[key] for key in described) and not _reported(runs, name):
            cls(first, runs, name)  # refused while another process waits for its first report
            runs.delete(name)
            kept = runs.begin(name, described, here, _LEASE)
        if kept["space"] != described["space"] or kept["until"] != described["until"]:
            what = "space" if kept["space"] != described["space"] else "end"
            raise StudyError(
                f"the training {name!r} is in the storage with another {what}: expected the same,"
                " or another name"
            )
        began = space.check(kept["first"])
        if space.key(began) != space.key(first):
            logging.getLogger("tunewise").warning(
                "the training %r began with %s and goes on from there: its default, which is %s"
                " now, is for one that begins; expected the same, or another name",
                name,
                config(began),
                config(first),
            )
        return cls(began, runs, name)

    def past(
        self, space: Space, until: Until, together: Callable[[Config], int]
    ) -> tuple[Summary, ...]:
        """What similar trainings in the same store have measured."""
        if self._runs is None:
            return ()
        return tuple(past(self._runs, self._name, space, until, together))

    def kept(self) -> list[Event]:
        """What was kept so far."""
        if self._runs is None:
            return []
        events = self._runs.events(self._name)
        self._written = len(events)
        return [decoded(each) for each in events]

    def append(self, event: Event) -> None:
        """Keep an event: a report, and what it begins with, soon; others before this returns."""
        if self._runs is None:
            return
        self._own()
        self._waiting.append(encoded(event))
        if isinstance(event, Started):
            return  # its report comes next, and is kept with it
        if not isinstance(event, Reported) or time.monotonic() >= self._next:
            self.flush()

    def _own(self) -> None:
        """Keep others away; for longer where iterations take long."""
        now = time.monotonic()
        self._lease = max(self._lease, FEW * (now - self._heard))
        self._heard = now
        if self._runs is not None and now - self._renewed >= self._lease / 4:
            self._runs.own(self._name, self._owner, self._lease)
            self._renewed = now

    def close(self) -> None:
        """Write what waits, and leave the run to whoever comes."""
        self.flush()
        if self._runs is not None:
            self._runs.disown(self._name, self._owner)
            self._renewed = math.inf

    def flush(self) -> None:
        """Write what waits."""
        if self._runs is None or not self._waiting:
            return
        began = time.monotonic()
        self._runs.append(self._name, self._written, self._waiting)
        self._written += len(self._waiting)
        self._waiting = []
        ended = time.monotonic()
        self._next = ended + (ended - began) / OVERHEAD


def _reported(runs: Runs, name: str) -> bool:
    """Whether a training has run an iteration."""
    return any("reported" in event or "earlier" in event for event in runs.events(name))
