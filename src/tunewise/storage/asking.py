"""The right to ask in a SQL store: a lease in the study's row.

No lock is held while a strategy thinks, so that others can tell meanwhile.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, update

from tunewise.storage.database import Database
from tunewise.storage.queries import Place, find_study
from tunewise.storage.schema import studies
from tunewise.storage.slot import absent
from tunewise.study.owner import Owner

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
"""Seconds between looks at whether the right is free."""


@contextmanager
def asking(database: Database, study: Place, owner: Owner, lease: float) -> Iterator[None]:
    """Hold the right to ask, after waiting for it."""
    pause = _SHORTEST_PAUSE
    while not _took(database, study, owner, lease):
        time.sleep(pause * random.uniform(0.5, 1.5))  # so that waiting ones do not march in step
        pause = min(1.5 * pause, _LONGEST_PAUSE)
    try:
        yield
    finally:
        _release(database, study, owner)


def _took(database: Database, study: Place, owner: Owner, lease: float) -> bool:
    """Look without a lock; then compare and set."""
    seen = database.read(lambda connection: find_study(connection, study, database.now()))
    holder = None if seen.asker is None else Owner.parse(seen.asker)
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
            .values(asker=str(owner), asker_until=until)
        )
        return changed.rowcount == 1

    def kept(connection: Connection, took: bool) -> bool:
        now = find_study(connection, study, database.now())
        return took and now.asker == str(owner) and now.asker_until == until

    return database.write_hastily(compare_and_set, kept=kept)


def _release(database: Database, study: Place, owner: Owner) -> None:
    def work(connection: Connection) -> None:
        connection.execute(
            update(studies)
            .where(study.here, studies.c.asker == str(owner))
            .values(asker=None, asker_until=None)
        )

    database.write_hastily(work, repeatable=True)
