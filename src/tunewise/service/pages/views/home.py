"""The first page: what runs now and for whom, what waits and why, what was spent today."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from tunewise.errors import TunewiseError
from tunewise.format import duration, money
from tunewise.service.context import Context
from tunewise.service.events import LISTS
from tunewise.service.pages.views.looks import glance, large_ones, once
from tunewise.service.pages.views.studies import StudyRow, study_rows
from tunewise.service.pages.views.task import standing
from tunewise.service.pages.views.trainings import TrainingRow, training_row
from tunewise.service.viewer import Viewer
from tunewise.storage.looking.changes import revisions
from tunewise.storage.looking.today import (
    Changed,
    Spent,
    changed_since,
    failed_jobs,
    open_jobs,
    spent_since,
)

SHOWN = 8
LOOKED_AT = 24
"""Tasks that are looked at for whether they wait, those that changed last first."""

_LONG = 30 * 86400.0
_MANY = 1000
LATELY = 3 * 86400.0
"""Seconds for which a job that failed is told."""


@dataclass(frozen=True)
class Going:
    """Something that runs or waits: what it is, for whom, and why it does."""

    kind: str
    name: str
    href: str
    whom: str
    why: str
    role: str


@dataclass(frozen=True)
class Device:
    """Something of the machine that is in use: how much of how much."""

    name: str
    said: str
    share: float


@dataclass(frozen=True)
class HomeView:
    """The first page.

    Attributes:
        running: What runs now.
        waiting: What waits, or the first of it.
        more: How many more wait.
        older: How many tasks changed so long ago that they were not looked at.
        failed: Job files that failed lately, and what they said last.
        machines: How much of the machine is in use; empty for whom that is not theirs to know.
        spent: USD since midnight.
        seconds: Of training since midnight.
        done: How many trials and models ended since midnight.
        studies: The newest.
        empty: Whether there is nothing at all.
    """

    running: Sequence[Going]
    waiting: Sequence[Going]
    more: int
    older: int
    failed: Sequence[Going]
    machines: Sequence[Device]
    spent: str
    seconds: str
    done: str
    studies: Sequence[StudyRow]
    empty: bool


def home_view(here: Context, who: Viewer) -> HomeView:
    """The first page, worked out anew when something has changed, or another minute has come."""
    topics = [(who.namespace, name) for name in LISTS.values()]
    found = revisions(here.store.database, topics, LISTS)
    operates = not here.accounts or (who.role == "admin" and not who.namespace)
    key = (who.namespace, operates, int(time.time() // 20), *found.values())
    # Of many who ask at once, one works it out and the others wait for it.
    with once(here.store.database, "home locks", who.namespace, Lock):
        return once(here.store.database, "home", key, lambda: _view(here, who, operates), 2000)


def _view(here: Context, who: Viewer, operates: bool) -> HomeView:
    store, database = here.store.within(who.namespace), here.store.database
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    spent = _spent(here, who.namespace, midnight)
    newest = glance(store).heads(limit=SHOWN)
    lately = changed_since(database, who.namespace, time.time() - _LONG, 30)
    studies = [c.name for c in lately if c.kind == "study"]
    rows = study_rows(store, glance(store).chosen(studies[:20]))
    trainings = [training_row(store, c.name) for c in lately if c.kind == "training"][:SHOWN]
    running = [_study(row) for row in rows if row.role == "running"]
    running += [_training(row) for row in trainings if row.role == "running"]
    waiting = [_study(row) for row in rows if row.role == "fair"]
    waiting += [
        Going("job", job.name, f"/studies/{job.name}", job.member, _WAITS, "fair")
        for job in open_jobs(database, who.namespace)
        if job.state == "waiting"
    ]
    failed = failed_jobs(database, who.namespace, time.time() - LATELY)[:SHOWN]
    tasks = [c.name for c in changed_since(database, who.namespace, 0.0, _MANY, ["task"])]
    for task in (_task(here, who, name) for name in tasks[:LOOKED_AT]):
        if task is not None:
            (running if task.role == "running" else waiting).append(task)
    return HomeView(
        running=running,
        waiting=waiting[: 2 * SHOWN],
        more=len(waiting[2 * SHOWN :]),
        older=len(tasks[LOOKED_AT:]),
        failed=[
            Going("job", job.name, f"/studies/{job.name}", job.member, job.said or "", "bad")
            for job in failed
        ],
        machines=machines() if operates else [],
        spent=money(spent.usd),
        seconds=duration(spent.seconds),
        done=f"{spent.trials:,} trials and {spent.models:,} models ended",
        studies=study_rows(store, newest),
        empty=not (newest or lately or waiting or failed or tasks),
    )


def _spent(here: Context, namespace: str, since: float) -> Spent:
    """What was used up since a moment; of large studies that were read, without reading them."""
    known = large_ones(here.store.within(namespace))
    spent = spent_since(here.store.database, namespace, since, list(known))
    for digest in known.values():
        told = digest.column("told") >= since
        usd, seconds = (float(digest.spent(name)[told].sum()) for name in ("cost", "time"))
        spent = Spent(
            spent.usd + usd,
            spent.seconds + seconds,
            spent.trials + int(told.sum()),
            spent.models,
        )
    return spent


_WAITS = "waits for a worker that is free"


def _study(row: StudyRow) -> Going:
    why = f"{row.state}; best {row.objective} {row.best}"
    if row.role == "fair":
        why = f"{row.counts}: nobody runs the study now"
    return Going("study", row.name, f"/studies/{row.name}", "", why, row.role)


def _training(row: TrainingRow) -> Going:
    why = f"loss {row.loss} after {duration(row.seconds)}, under {row.setting}"
    return Going("training", row.name, f"/trainings/{row.name}", "", why, row.role)


def _task(here: Context, who: Viewer, name: str) -> Going | None:
    row = here.tasks.within(who.namespace).find(name)
    if row is None:
        return None
    try:
        why = standing(here, who.namespace, row).next
    except TunewiseError as error:
        why = str(error)
    if why.startswith("every model that suits the task"):
        return None  # nothing is left that could wait
    role = "running" if "is being trained" in why else "fair"
    return Going("task", name, f"/tasks/{name}", "", why, role)


def machines() -> list[Device]:
    """How much of this machine is in use."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0]
    found = [
        Device("processors", f"{load:.1f} processes want {cores} cores", min(load / cores, 1.0))
    ]
    total, free = _memory()
    used = total - free
    found.append(Device("memory", f"{used:.1f} of {total:.1f} GB in use", used / total))
    return found


def _memory() -> tuple[float, float]:
    """GB of this machine, and those of them that a program could have: caches can go."""
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    known = {words[0]: float(words[1]) / 1e6 for words in lines}
    return known["MemTotal:"], known["MemAvailable:"]


def changes_view(here: Context, who: Viewer, since: float) -> list[Changed]:
    """What has changed since somebody was here."""
    earliest = time.time() - _LONG
    return changed_since(here.store.database, who.namespace, max(since, earliest), 20)
