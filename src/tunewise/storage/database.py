"""Runs work on a database: in a transaction, again where that is safe, errors explained."""

import logging
import os
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import URL, ColumnElement, Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from tunewise.storage.backend import backend
from tunewise.storage.failures import (
    connection_lost,
    rolled_back,
    shown_url,
    storage_error,
    unreachable,
)
from tunewise.storage.schema import bring_up_to_date, is_current
from tunewise.storage.secrets import secrets_in

T = TypeVar("T")
Work = Callable[[Connection], T]
Kept = Callable[[Connection, T], bool]
"""Whether the work that gave this answer has taken place."""

_PAUSE = 0.5
"""Seconds before another attempt: a restarting server may be back by then."""

PATIENCE = 120.0
"""Seconds that a server which has answered before may be away."""


class Database:
    """An opened database with the newest schema."""

    def __init__(self, url: URL) -> None:
        """Connect; create or migrate the tables where needed."""
        self.shown = shown_url(url)
        whole = url.render_as_string(hide_password=False)
        self._secrets = {each for each in secrets_in(whole) if len(each) > 2}
        self._backend = backend(url)
        self._process = os.getpid()
        self._patience = 0.0  # a wrong address is said at once
        try:
            if not self.read(lambda connection: is_current(connection, self.shown)):
                self.write(self._bring_up_to_date, repeatable=True)
        except BaseException:
            self.close()
            raise
        self._patience = PATIENCE

    def now(self) -> ColumnElement[float]:
        """The database's time in seconds since the epoch, as a SQL expression."""
        return self._backend.clock()

    def read(self, work: Work[T]) -> T:
        """The work's answer; it changes nothing, so it may be tried twice."""
        return self._attempt(self._backend.reader, work, repeatable=True)

    def read_at_one_moment(self, work: Work[T]) -> T:
        """As `read`, with everything as it was when the work began."""
        engine = self._backend.writer.execution_options(isolation_level="REPEATABLE READ")
        return self._attempt(engine, work, repeatable=False)

    def write(self, work: Work[T], *, repeatable: bool = False, kept: Kept[T] | None = None) -> T:
        """The work's answer, after its changes are durable.

        `repeatable` work may be done twice: it is tried again when the connection broke and
        nobody knows whether its changes took place. So is work that must be done once, if `kept`
        can tell by its answer whether it was done.
        """
        return self._attempt(self._backend.writer, work, repeatable, kept)

    def write_hastily(
        self, work: Work[T], *, repeatable: bool = False, kept: Kept[T] | None = None
    ) -> T:
        """As `write`, but a power cut may undo it: for leases, which it would end anyway."""
        return self._attempt(self._backend.hasty, work, repeatable, kept)

    def close(self) -> None:
        """Close all connections."""
        self._backend.dispose()

    def _bring_up_to_date(self, connection: Connection) -> None:
        self._backend.lock_schema(connection)
        bring_up_to_date(connection, self.shown)

    def _attempt(
        self, engine: Engine, work: Work[T], repeatable: bool, kept: Kept[T] | None = None
    ) -> T:
        self._forget_after_fork()
        began, attempts = time.monotonic(), 0
        unsure: list[T] = []  # the answer of an attempt whose end nobody saw
        while True:
            begun = done = False
            try:
                with engine.begin() as connection:
                    begun = True
                    if unsure and kept is not None and kept(connection, unsure[0]):
                        return unsure[0]
                    answer = work(connection)
                    unsure, done = [answer], True
                return answer
            except SQLAlchemyError as error:
                attempts += 1
                # A transaction that broke before its end has changed nothing.
                broken = connection_lost(error) and (repeatable or kept is not None or not done)
                away = broken or (not begun and unreachable(error))
                patience = self._patience if away else 0.0
                once_more = attempts == 1 and (broken or rolled_back(error))
                if not once_more and time.monotonic() - began >= patience:
                    raise storage_error(error, self.shown, self._secrets) from error
                if attempts == 2:
                    said = storage_error(error, self.shown, self._secrets)
                    logging.getLogger("tunewise").warning("%s; waiting for it", said)
            time.sleep(_PAUSE)

    def _forget_after_fork(self) -> None:
        """A forked process must not talk on its parent's connections."""
        if self._process != os.getpid():
            self._backend.dispose(close=False)
            self._process = os.getpid()
