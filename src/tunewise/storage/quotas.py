"""What a tenant may use in all: the ledger above studies and tasks.

A study takes money for its trials out of its budget, and its budget out of the tenant's quota. A
training of a task holds as many seconds as it may take at most. So what is used and what is held
together are never more than the quota. What was deleted counts all the same.
"""

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, case, func, select, update

from tunewise.errors import StudyError
from tunewise.format import money
from tunewise.storage.schema import studies, task_events, tasks, tenants, trials
from tunewise.study.slots.slot import Slot
from tunewise.study.store import Allocation


def within_quota(
    connection: Connection, namespace: str, study_id: int, allocation: Allocation
) -> Allocation:
    """The allocation with no more than the tenant has left for this study, its row locked."""
    wanted = select(tenants.c.usd, tenants.c.usd_before).where(tenants.c.namespace == namespace)
    quota = connection.execute(wanted.where(tenants.c.usd.is_not(None)).with_for_update()).first()
    if quota is None:
        return allocation
    used = func.sum(trials.c.usd + func.coalesce(trials.c.held, 0.0))
    others = (studies.c.namespace == namespace) & (studies.c.id != study_id)
    elsewhere = connection.scalar(select(used).join(studies).where(others)) or 0.0
    left = max(quota.usd - quota.usd_before - elsewhere, 0.0)
    return replace(allocation, budget=min(allocation.budget, left))


def refuse_unfunded(connection: Connection, namespace: str, slot: Slot) -> None:
    """Refuse a trial without an account where the tenant has a quota in USD."""
    if slot.owner is None:
        return  # it only waits
    quota = connection.scalar(select(tenants.c.usd).where(tenants.c.namespace == namespace))
    if quota is not None:
        raise StudyError(
            f"the tenant may spend {money(quota)} in all, so its studies need a budget:"
            " write one into the problem or the job file"
        )


def keep_spent(connection: Connection, namespace: str, study_id: int) -> None:
    """Before a study is deleted: what it has spent stays spent."""
    spent = select(func.coalesce(func.sum(trials.c.usd), 0.0)).where(trials.c.study_id == study_id)
    here = update(tenants).where(tenants.c.namespace == namespace)
    connection.execute(here.values(usd_before=tenants.c.usd_before + spent.scalar_subquery()))


def keep_seconds(connection: Connection, task: int) -> None:
    """Before a task is deleted: the seconds that it used stay used."""
    row = connection.execute(select(tasks).where(tasks.c.id == task)).one_or_none()
    if row is not None:
        here = update(tenants).where(tenants.c.namespace == row.namespace)
        used = tenants.c.seconds_before + row.seconds + row.held
        connection.execute(here.values(seconds_before=used))


def seconds_left(connection: Connection) -> dict[str, float]:
    """By namespace with a quota of training seconds: what is neither used nor held."""
    used = func.coalesce(func.sum(tasks.c.seconds + tasks.c.held), 0.0)
    rows = connection.execute(
        select(tenants.c.namespace, tenants.c.seconds - tenants.c.seconds_before, used)
        .outerjoin(tasks, tasks.c.namespace == tenants.c.namespace)
        .where(tenants.c.seconds.is_not(None))
        .group_by(tenants.c.namespace)
    )
    return {namespace: float(quota - gone) for namespace, quota, gone in rows}


def book(connection: Connection, event: dict[str, Any]) -> bool:
    """Hold the seconds of a training that begins, or book those of one that has ended.

    Nobody else does so meanwhile. Whether the event may take place: False for a training whose
    tenant has no seconds left. One that gets fewer than it wanted has them in its `limit`.
    """
    here = tasks.c.id == event["task"]
    if event["kind"] == "picked" and "limit" in event:
        namespace = connection.scalar(select(tasks.c.namespace).where(here))
        left = seconds_left(connection).get(str(namespace))
        if left is not None and left <= 0:
            return False
        if left is not None and left < event["limit"]:
            event["until"] -= event["limit"] - left
            event["limit"] = left
        connection.execute(update(tasks).where(here).values(held=tasks.c.held + event["limit"]))
    elif "pick" in event:
        began = select(task_events.c.event).where(task_events.c.id == event["pick"])
        limit = float((connection.scalar(began) or {}).get("limit", 0.0))
        rest = case((tasks.c.held > limit, tasks.c.held - limit), else_=0.0)
        used = tasks.c.seconds + min(float(event.get("seconds", 0.0)), limit or float("inf"))
        connection.execute(update(tasks).where(here).values(held=rest, seconds=used))
    return True
