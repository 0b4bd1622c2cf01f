"""What one process of the service holds: the open store, the folder of files, its settings."""

import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from tunewise.declarative.examples import Files
from tunewise.errors import StorageError

if TYPE_CHECKING:
    from tunewise.declarative.training.room import Room
    from tunewise.service.accounts.bearers import Bearers
    from tunewise.service.accounts.limits import Buckets
    from tunewise.service.accounts.passwords import Passwords
    from tunewise.service.counters import Counters
    from tunewise.service.events import Hub
    from tunewise.service.feeder import Feeder
    from tunewise.service.opened import Opened
    from tunewise.service.sent import Sent
    from tunewise.service.together import Together
    from tunewise.service.viewer import Viewer
    from tunewise.storage.accounts import Audit, Jobs, Keys, Members, Tenants
    from tunewise.storage.looking.listed import Listed
    from tunewise.storage.sql import SqlStore
    from tunewise.storage.tasks import TaskStore

_MOST_BESTS = 50_000
"""Studies whose best value is remembered."""

_MOMENT = 2.0
"""Seconds for which a quota of bytes is remembered: every feed asks for it."""


LOCAL = ("127.0.0.1", "localhost", "::1")
"""Names of this machine: a page from elsewhere that calls it by another is refused."""


@dataclass(frozen=True)
class Settings:
    """What a person may choose about a service.

    Attributes:
        address: Under which others reach it, for links; None: as each request says.
        secure: Whether people reach it by HTTPS only, so that cookies are sent by nothing else.
        hosts: Names by which it may be called; empty: any.
        jobs: Whether submitted job files are run here.
        requests: That one member may send in a second, in the long run.
    """

    address: str | None = None
    secure: bool = False
    hosts: tuple[str, ...] = ()
    jobs: bool = False
    requests: float = 2000.0


@dataclass(frozen=True)
class Context:
    """One a process, at `app.state.context`.

    Attributes:
        url: Of the store.
        store: Studies and trainings.
        tasks: Declared tasks.
        files: The folder of all tasks' files.
        read_only: Whether nothing may be changed.
        accounts: Whether people sign in; without, everyone is the one local viewer.
        settings: What a person chose.
    """

    url: str
    store: "SqlStore"
    tasks: "TaskStore"
    files: Path
    read_only: bool = False
    accounts: bool = False
    settings: Settings = field(default_factory=Settings)

    @classmethod
    def open(
        cls,
        url: str,
        *,
        read_only: bool = False,
        accounts: bool = False,
        settings: Settings | None = None,
    ) -> "Context":
        """Open a store, which is made where there is none and brought up to date.

        Raises:
            StorageError: The URL is wrong, or the store cannot be opened.
        """
        from tunewise.storage.opening import parsed_url
        from tunewise.storage.sql import SqlStore
        from tunewise.storage.tasks import TaskStore
        from tunewise.storage.tasks.opening import files_beside

        parsed = parsed_url(url)
        if parsed is None:
            raise StorageError("a service needs a store; expected 'sqlite:///FILE.db' or a URL")
        store = SqlStore(parsed)
        tasks = TaskStore(store.database)
        files = files_beside(url)
        return cls(url, store, tasks, files, read_only, accounts, settings or Settings())

    @cached_property
    def tenants(self) -> "Tenants":
        """Groups of people, and what they may use."""
        from tunewise.storage.accounts import Tenants

        return Tenants(self.store.database)

    @cached_property
    def members(self) -> "Members":
        """People who may sign in."""
        from tunewise.storage.accounts import Members

        return Members(self.store.database)

    @cached_property
    def keys(self) -> "Keys":
        """What lets them in."""
        from tunewise.storage.accounts import Keys

        return Keys(self.store.database)

    @cached_property
    def audit(self) -> "Audit":
        """Who did what."""
        from tunewise.storage.accounts import Audit

        return Audit(self.store.database)

    @cached_property
    def jobs(self) -> "Jobs":
        """Submitted job files."""
        from tunewise.storage.accounts import Jobs

        return Jobs(self.store.database)

    @cached_property
    def sent(self) -> "Sent":
        """Files that came with job files."""
        from tunewise.service.sent import Sent

        return Sent(self.files)

    @cached_property
    def bearers(self) -> "Bearers":
        """Who holds a key, remembered for a moment."""
        from tunewise.service.accounts.bearers import Bearers

        return Bearers(self.keys)

    @cached_property
    def passwords(self) -> "Passwords":
        """Hashes passwords beside the event loop."""
        from tunewise.service.accounts.passwords import Passwords

        return Passwords()

    @cached_property
    def requests(self) -> "Buckets":
        """How many requests each member may send."""
        from tunewise.service.accounts.limits import Buckets

        return Buckets(self.settings.requests, 2 * self.settings.requests)

    @cached_property
    def attempts(self) -> "Buckets":
        """How many times a name may be tried to sign in: ten at once, then one in six seconds."""
        from tunewise.service.accounts.limits import Buckets

        return Buckets(1 / 6, 10)

    @cached_property
    def opened(self) -> "Opened":
        """Tasks that were asked for lately, with their models."""
        from tunewise.service.opened import Opened

        return Opened(self.tasks, self.url, self.check_space)

    @cached_property
    def counters(self) -> "Counters":
        """What is counted of requests."""
        from tunewise.service.counters import Counters

        return Counters()

    @cached_property
    def _ending(self) -> Event:
        return Event()

    @property
    def stopping(self) -> bool:
        """Whether the service has begun to end."""
        return self._ending.is_set()

    def stop(self) -> None:
        """Begin to end: streams are closed, and nobody is sent here any more."""
        self._ending.set()
        if "hub" in self.__dict__:
            self.hub.close()

    @cached_property
    def hub(self) -> "Hub":
        """Tells what changed."""
        from tunewise.service.events import Hub

        return Hub(self.store.database)

    @cached_property
    def feeder(self) -> "Feeder":
        """Joins feeds that come together."""
        from tunewise.service.feeder import Feeder

        return Feeder()

    @cached_property
    def _bests(self) -> dict[tuple[str, str], tuple[tuple[int, float | None], dict[str, Any]]]:
        return {}

    def best(self, store: "SqlStore", one: "Listed") -> dict[str, Any]:
        """A study's objective and best value, looked for again only after it has changed."""
        from tunewise.service.pages.views.studies import best_of

        key = store.namespace, one.record.name
        known = self._bests.get(key)
        mark = one.revision, one.record.created_at
        if known is not None and known[0] == mark:
            return known[1]
        objective, value = best_of(store, one.record.name)
        found = {"objective": objective, "best": value}
        if len(self._bests) >= _MOST_BESTS:
            self._bests.clear()
        self._bests[key] = mark, found
        return found

    def note(self, who: "Viewer", action: str, subject: str) -> None:
        """Keep who did what."""
        self.audit.note(who.namespace, who.member, action, subject[:300])

    def refuse_jobs(self) -> None:
        """Refuse job files where nobody runs them."""
        from tunewise.service.problems import Problem

        if not self.settings.jobs:
            raise Problem(501, "this service runs no job files; its operator starts it with --jobs")

    async def find_space(self, namespace: str) -> None:
        """As `check_space`, and without a look for whom it is known to have no quota."""
        at, most = self._allowed.get(namespace, (-_MOMENT, 0.0))
        if most is not None or time.monotonic() - at >= _MOMENT:
            await self._together.of(namespace, lambda: self.check_space(namespace))

    @cached_property
    def room(self) -> "Room":
        """Says which tasks wait because a quota is full."""
        from tunewise.declarative.training.room import Room

        return Room(self.tasks, self.files)

    def check_space(self, namespace: str, wanted: int = 1) -> None:
        """Refuse so many more bytes of a tenant that may not have them."""
        from tunewise.declarative.training.room import no_bytes
        from tunewise.service.problems import Problem

        most = self._bytes_of(namespace)
        if most is None:
            return
        rows = self.tasks.within(namespace).tasks()
        used = sum(Files(self.files / str(row.id)).bytes() for row in rows)
        used += self.sent.bytes(namespace)
        if used + wanted > most:
            raise Problem(409, no_bytes(used, most, wanted))

    @cached_property
    def _together(self) -> "Together":
        from tunewise.service.together import Together

        return Together()

    @cached_property
    def _allowed(self) -> dict[str, tuple[float, float | None]]:
        return {}

    def _bytes_of(self, namespace: str) -> float | None:
        """A tenant's quota of bytes, as it was a moment ago."""
        at, most = self._allowed.get(namespace, (-_MOMENT, None))
        if time.monotonic() - at >= _MOMENT:
            most = self.tenants.bytes_of(namespace)
            self._allowed[namespace] = time.monotonic(), most
        return most

    def close(self) -> None:
        """Give back connections and threads."""
        if "passwords" in self.__dict__:
            self.passwords.close()
        self.store.close()
