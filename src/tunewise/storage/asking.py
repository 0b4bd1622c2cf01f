"""The right to ask in a SQL store: a lease in the study's row.

No lock is held while a strategy thinks, so that others can tell meanwhile.

Each right has a number of its own, its fence. A server that crashes may undo that a right was taken
or given back; by the fence an owner knows which of its rights it holds, and which is a ghost.
"""

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

from sqlalchemy import Connection, Row, update

from tunewise.storage.database import Database
from tunewise.storage.queries import Place, find_study
from tunewise.storage.schema import studies
from tunewise.study.owner import Owner
from tunewise.study.slots.slot import absent

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
"""Seconds between looks at whether the right is free."""

_FENCE = "#"
"""Stands between an owner's token and the number of its right."""

_fences = count(1)
_held: dict[tuple[int, Place, Owner], str] = {}
"""The rights that this process holds or takes right now, as they stand in the study's row."""

_lock = threading.Lock()


@contextmanager
def asking(database: Database, study: Place, owner: Owner, lease: float) -> Iterator[None]:
    """Hold the right to ask, after waiting for it."""
    right = replace(owner, token=f"{owner.token}{_FENCE}{next(_fences)}")
    _patiently(lambda: _announced(study, owner, right))
    try:
        _patiently(lambda: _took(database, study, owner, right, lease))
        try:
            yield
        finally:
            _release(database, study, right)
    finally:
        _held.pop((os.getpid(), study, owner), None)


def right_of(study: Place, owner: Owner) -> str | None:
    """The owner's right to ask as it stands in the study's row; None where it holds none."""
    return _held.get((os.getpid(), study, owner))


def renew_right(
    connection: Connection, study: Place, row: Row[Any], owner: Owner, until: float
) -> None:
    """Prolong the right in the study's locked row if the owner holds it, and end its ghost."""
    if row.asker is None or not _belongs(row.asker, owner):
        return
    alive = row.asker == right_of(study, owner)
    kept = {"asker_until": until} if alive else {"asker": None, "asker_until": None}
    connection.execute(update(studies).where(studies.c.id == row.id).values(kept))


def _patiently(done: Callable[[], bool]) -> None:
    pause = _SHORTEST_PAUSE
    while not done():
        time.sleep(pause * random.uniform(0.5, 1.5))  # so that waiting ones do not march in step
        pause = min(1.5 * pause, _LONGEST_PAUSE)


def _announced(study: Place, owner: Owner, right: Owner) -> bool:
    """Note the right before it is taken; False while another thread of the owner holds one."""
    with _lock:
        return _held.setdefault((os.getpid(), study, owner), str(right)) == str(right)


def _belongs(asker: str, owner: Owner) -> bool:
    holder = Owner.parse(asker)
    return replace(holder, token=holder.token.partition(_FENCE)[0]) == owner


def _took(database: Database, study: Place, owner: Owner, right: Owner, lease: float) -> bool:
    """Look without a lock; then compare and set."""
    seen = database.read(lambda connection: find_study(connection, study, database.now()))
    if seen.asker is not None and not _belongs(seen.asker, owner):
        holder = Owner.parse(seen.asker)
        if not absent(holder, seen.asker_until or 0.0, seen.now):
            return False

    until = seen.now + lease

    def compare_and_set(connection: Connection) -> bool:
        changed = connection.execute(
            update(studies)
            .where(
                studies.c.id == seen.id,
                studies.c.asker.is_not_distinct_from(seen.asker),
                studies.c.asker_until.is_not_distinct_from(seen.asker_until),
            )
            .values(asker=str(right), asker_until=until)
        )
        return changed.rowcount == 1

    def kept(connection: Connection, took: bool) -> bool:
        now = find_study(connection, study, database.now())
        return took and now.asker == str(right)

    return database.write_hastily(compare_and_set, kept=kept)


def _release(database: Database, study: Place, right: Owner) -> None:
    def work(connection: Connection) -> None:
        connection.execute(
            update(studies)
            .where(study.here, studies.c.asker == str(right))
            .values(asker=None, asker_until=None)
        )

    database.write_hastily(work, repeatable=True)
