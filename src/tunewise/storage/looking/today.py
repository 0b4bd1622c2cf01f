"""What goes on in a namespace: what waits, what was spent since a moment, what has changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, literal, select, union_all

from tunewise.storage.database import Database
from tunewise.storage.schema import jobs, runs, studies, task_models, tasks, trials

_MOST = 50


@dataclass(frozen=True)
class Job:
    """A job file: whose study, who submitted it, how it stands, since when, what it said last."""

    name: str
    member: str
    state: str
    created_at: float
    said: str | None = None


@dataclass(frozen=True)
class Spent:
    """What was used up since a moment: USD and seconds of trials, seconds of tasks' trainings."""

    usd: float
    seconds: float
    trials: int
    models: int


@dataclass(frozen=True)
class Changed:
    """A study, training or task, and when it last changed."""

    kind: str
    name: str
    at: float
    is_new: bool


def open_jobs(database: Database, namespace: str) -> list[Job]:
    """The jobs that wait or run, oldest first."""
    here = (jobs.c.namespace == namespace) & jobs.c.state.in_(["waiting", "running"])
    named = select(jobs.c.name, jobs.c.member, jobs.c.state, jobs.c.created_at).where(here)
    wanted = named.order_by(jobs.c.id).limit(_MOST)
    return database.read(lambda c: [Job(*row) for row in c.execute(wanted)])


def failed_jobs(database: Database, namespace: str, since: float) -> list[Job]:
    """Those whose last job failed after a moment, the newest first."""
    last = select(func.max(jobs.c.id)).where(jobs.c.namespace == namespace).group_by(jobs.c.name)
    here = jobs.c.id.in_(last) & (jobs.c.state == "failed") & (jobs.c.created_at > since)
    named = (jobs.c.name, jobs.c.member, jobs.c.state, jobs.c.created_at, jobs.c.said)
    wanted = select(*named).where(here).order_by(jobs.c.id.desc()).limit(_MOST)
    return database.read(lambda c: [Job(*row) for row in c.execute(wanted)])


def spent_since(
    database: Database, namespace: str, since: float, without: Sequence[int] = ()
) -> Spent:
    """What was used up since a moment, without some studies; only what has changed is looked at."""
    own = (studies.c.namespace == namespace) & (studies.c.changed_at >= since)
    own &= studies.c.id.not_in(list(without))
    told = select(func.sum(trials.c.usd), func.sum(trials.c.seconds), func.count())
    told = told.join(studies, trials.c.study_id == studies.c.id)
    told = told.where(own, trials.c.told_at >= since)
    mine = (tasks.c.namespace == namespace) & (tasks.c.changed_at >= since)
    made = select(func.count(), func.sum(task_models.c.card["seconds"].as_float()))
    made = made.join(tasks, task_models.c.task_id == tasks.c.id)
    made = made.where(mine, task_models.c.at >= since)

    def work(connection: Connection) -> Spent:
        usd, seconds, count = connection.execute(told).one()
        models, training = connection.execute(made).one()
        return Spent(usd or 0.0, (seconds or 0.0) + (training or 0.0), count, models)

    return database.read(work)


KINDS = {"study": studies, "training": runs, "task": tasks}


def changed_since(
    database: Database,
    namespace: str,
    since: float,
    most: int = _MOST,
    kinds: Iterable[str] = tuple(KINDS),
) -> list[Changed]:
    """What of some kinds has changed since a moment, the newest first."""
    parts = [
        select(
            literal(kind).label("kind"),
            table.c.name,
            table.c.changed_at.label("at"),
            (table.c.created_at > since).label("is_new"),
        ).where(table.c.namespace == namespace, table.c.changed_at > since)
        for kind, table in ((kind, KINDS[kind]) for kind in kinds)
    ]
    every = union_all(*parts).subquery()
    wanted = select(every).order_by(every.c.at.desc()).limit(most)

    def work(connection: Connection) -> list[Changed]:
        return [Changed(r.kind, r.name, r.at, bool(r.is_new)) for r in connection.execute(wanted)]

    return database.read(work)
