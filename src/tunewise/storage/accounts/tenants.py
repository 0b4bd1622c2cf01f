"""Tenants: groups of people who share a service, and what each group may use."""

from dataclasses import dataclass

from sqlalchemy import Connection, Select, func, insert, select, update

from tunewise.errors import StorageError
from tunewise.storage.database import Database
from tunewise.storage.schema import studies, tasks, tenants, trials
from tunewise.study.store import checked_namespace


@dataclass(frozen=True)
class Tenant:
    """A tenant; None is no limit.

    Attributes:
        namespace: Under which its things lie in the store.
        created_at: In seconds since the epoch.
        usd: That its studies may spend in all.
        seconds: That its tasks may be trained in all.
        bytes: That its tasks' files may take.
        weight: How much its gains count where tenants share machines.
        usd_spent: Until now, what was deleted included.
        seconds_spent: Until now, what was deleted included.
    """

    namespace: str
    created_at: float
    usd: float | None = None
    seconds: float | None = None
    bytes: float | None = None
    weight: float = 1.0
    usd_spent: float = 0.0
    seconds_spent: float = 0.0


class Tenants:
    """The tenants of a store."""

    def __init__(self, database: Database) -> None:
        """In a database."""
        self._database = database

    def create(
        self,
        namespace: str,
        *,
        usd: float | None = None,
        seconds: float | None = None,
        bytes: float | None = None,
    ) -> None:
        """Add a tenant; one of this name is refused."""
        quotas = {"usd": usd, "seconds": seconds, "bytes": bytes}
        now = self._database.now()
        values = {"namespace": checked_namespace(namespace), "created_at": now, **quotas}

        def work(connection: Connection) -> None:
            if connection.scalar(_here(namespace)) is not None:
                raise StorageError(f"there is a tenant {namespace!r} already")
            connection.execute(insert(tenants).values(values))

        self._database.write(work)

    def ensure(self, namespace: str) -> None:
        """Add a tenant unless it is there."""

        def work(connection: Connection) -> None:
            if connection.scalar(_here(namespace)) is None:
                values = {"namespace": namespace, "created_at": self._database.now()}
                connection.execute(insert(tenants).values(values))

        self._database.write(work, repeatable=True)

    def change(self, namespace: str, values: dict[str, float | None]) -> None:
        """Set quotas or the weight."""
        known = {"usd", "seconds", "bytes", "weight"}
        assert known.issuperset(values), values
        here = update(tenants).where(tenants.c.namespace == namespace)
        if values:
            self._database.write(lambda c: c.execute(here.values(values)), repeatable=True)

    def find(self, namespace: str) -> Tenant | None:
        """The tenant with what it has used."""
        wanted = select(tenants).where(tenants.c.namespace == namespace)

        def work(connection: Connection) -> Tenant | None:
            row = connection.execute(wanted).one_or_none()
            if row is None:
                return None
            spent = select(func.coalesce(func.sum(trials.c.usd), 0.0)).join(studies)
            usd = connection.scalar(spent.where(studies.c.namespace == namespace)) or 0.0
            used = select(func.coalesce(func.sum(tasks.c.seconds), 0.0))
            seconds = connection.scalar(used.where(tasks.c.namespace == namespace)) or 0.0
            return Tenant(
                *(row.namespace, row.created_at, row.usd, row.seconds, row.bytes, row.weight),
                usd_spent=row.usd_before + usd,
                seconds_spent=row.seconds_before + seconds,
            )

        return self._database.read(work)

    def bytes_of(self, namespace: str) -> float | None:
        """That the files of a tenant's tasks may take; None: no limit, or no such tenant."""
        wanted = select(tenants.c.bytes).where(tenants.c.namespace == namespace)
        return self._database.read(lambda connection: connection.scalar(wanted))

    def names(self, after: str | None = None, limit: int = 100) -> list[str]:
        """Namespaces in their order, after one."""
        wanted = select(tenants.c.namespace).order_by(tenants.c.namespace).limit(limit)
        if after is not None:
            wanted = wanted.where(tenants.c.namespace > after)
        return self._database.read(lambda connection: list(connection.scalars(wanted)))


def _here(namespace: str) -> Select[tuple[str]]:
    return select(tenants.c.namespace).where(tenants.c.namespace == namespace)
