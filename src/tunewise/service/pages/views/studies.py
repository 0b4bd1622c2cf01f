"""The list of studies: what runs, how good the best is, how many trials there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import urlencode

from tunewise.errors import TunewiseError
from tunewise.format import MISSING, measured, sentence
from tunewise.problem.objective import aim_of, objectives_of
from tunewise.report.digest import Aim
from tunewise.service.pages.views.looks import SLOW, glance, once, read_before
from tunewise.storage.looking.glance import Glance, Order, StudyHead
from tunewise.storage.sql import SqlStore
from tunewise.study.record import BegunRun

ROWS = 50
_KNOWN = 20_000
"""Studies whose counts and best value are remembered."""


@dataclass(frozen=True)
class StudyRow:
    """A study in the list.

    Attributes:
        name: Unique in its namespace.
        goal: What it wants.
        state: What it does now, in a few words.
        role: The colour of its state.
        best: The best value so far, as people write it.
        objective: Whose value that is.
        trials: How many there are.
        counts: Those that are not complete, by state.
        strategy: What steers it.
        created_at: In seconds since the epoch.
    """

    name: str
    goal: str
    state: str
    role: str
    best: str
    objective: str
    trials: int
    counts: str
    strategy: str
    created_at: float


@dataclass(frozen=True)
class StudiesView:
    """A page of the list.

    Attributes:
        rows: Its studies.
        total: How many there are in all, of those that are asked for.
        pages: How many pages they make.
        contains: What their names contain.
        order: How they are sorted.
        after: Whether this is not the first page.
        here: The address of this page.
        begin: The address of the first.
        next: The address of the next, if there is one.
    """

    rows: Sequence[StudyRow]
    total: int
    pages: int
    contains: str
    order: Order
    after: bool
    here: str
    begin: str
    next: str | None
    beginnings: Sequence[str] = ("tunewise init", "tunewise tune job.yaml")


def studies_view(
    store: SqlStore, order: str = "newest", contains: str = "", after: str = "", page: int = 1
) -> StudiesView:
    """A page of the list: from behind the key that the page before has said, or by its number."""
    by: Order = next((known for known in get_args(Order) if known == order), "newest")
    look = glance(store)
    total = look.count(contains)
    pages = max(1, -(-total // ROWS))
    jump = 1 if after else min(page, pages)
    heads = look.heads(by, _key(after, by), ROWS + 1, contains, (jump - 1) * ROWS)
    shown, more = heads[:ROWS], len(heads) > ROWS
    asked = {"order": by, **({"contains": contains} if contains else {})}

    def address(**also: str) -> str:
        return f"/studies?{urlencode({**asked, **also})}"

    return StudiesView(
        rows=study_rows(store, shown),
        total=total,
        pages=pages,
        contains=contains,
        order=by,
        after=bool(after) or jump > 1,
        here=address(**({"after": after} if after else {"page": str(jump)} if jump > 1 else {})),
        begin=address(),
        next=address(after=_written(shown[-1], by)) if more else None,
    )


def _written(head: StudyHead, order: Order) -> str:
    key = {"newest": head.id, "name": head.name, "trials": head.trials}[order]
    return f"{head.id}:{key}"


def _key(after: str, order: Order) -> tuple[Any, int] | None:
    id, _, key = after.partition(":")
    if not id.isdecimal() or len(id) > 15 or (order != "name" and not key.isdecimal()):
        return None
    return key if order == "name" else int(key[:15]), int(id)


def study_rows(store: SqlStore, heads: Sequence[StudyHead]) -> list[StudyRow]:
    """Studies as rows; what is known of a revision is not asked for again."""
    look = glance(store)
    known: dict[tuple[int, int], tuple[dict[str, int], float | None]]
    known = once(look.database, "studies", "all", dict)
    while len(known) > _KNOWN:
        known.pop(next(iter(known)), None)
    found = {(h.id, h.revision): known.get((h.id, h.revision)) or _read(store, h) for h in heads}
    new = [head for head in heads if found[head.id, head.revision] is None]
    if new:
        states, best = look.states([head.id for head in new]), _best(look, new)
        found |= {(h.id, h.revision): (states.get(h.id, {}), best.get(h.id)) for h in new}
    told = {key: value for key, value in found.items() if value is not None}
    known |= told
    return [_row(head, *told[head.id, head.revision]) for head in heads]


def _read(store: SqlStore, head: StudyHead) -> tuple[dict[str, int], float | None] | None:
    """What a large study that was read before says by itself: only what changed is read."""
    digest = read_before(store, head.id, head.name) if head.trials >= SLOW else None
    if digest is None:
        return None
    best = digest.best
    value = None if best is None else float(digest.column(digest.aim.objective)[best])
    return {state.value: count for state, count in digest.counts.items()}, value


def best_of(store: SqlStore, name: str) -> tuple[str | None, float | None]:
    """What a study wants, and its best value; None where that is not known."""
    heads = glance(store).chosen([name])
    aim = aim_or_none(heads[0]) if heads else None
    if aim is None:
        return None, None
    return aim.objective, _best(glance(store), heads).get(heads[0].id)


def _best(look: Glance, heads: Sequence[StudyHead]) -> dict[int, float]:
    """The best values; studies that want the same are asked for together."""
    groups: dict[Aim, list[int]] = {}
    for head in heads:
        aim = aim_or_none(head)
        if aim is not None:
            groups.setdefault(aim, []).append(head.id)
    found: dict[int, float] = {}
    for aim, ids in groups.items():
        found |= look.best(ids, aim.objective, aim.maximize, aim.constraints, aim.any_fraction)
    return found


def aim_or_none(head: StudyHead) -> Aim | None:
    """What a study wants; None where that cannot be understood."""
    try:
        return Aim.of(head.aim)
    except (TunewiseError, KeyError, TypeError, IndexError):
        return None


def _row(head: StudyHead, states: dict[str, int], best: float | None) -> StudyRow:
    aim = aim_or_none(head)
    state, role = state_of(head, states)
    others = [f"{count:,} {name}" for name, count in states.items() if name != "complete"]
    return StudyRow(
        name=head.name,
        goal=goal(head),
        state=state,
        role=role,
        best=MISSING if best is None or aim is None else measured(aim.metric, best),
        objective=aim.objective if aim is not None else "",
        trials=head.trials,
        counts=", ".join(others),
        strategy=head.strategy,
        created_at=head.created_at,
    )


def goal(head: StudyHead) -> str:
    """What a study wants, in a line."""
    try:
        wanted = objectives_of(head.aim.get("maximize"), head.aim.get("minimize"), {})
    except TunewiseError:
        return "what it wants is not understood"
    limits = " and ".join(head.aim.get("subject_to") or ())
    limits = limits.replace("<=", "≤").replace(">=", "≥")
    return sentence(aim_of(wanted)).removesuffix(".") + (f" with {limits}" if limits else "")


def state_of(head: StudyHead, states: dict[str, int]) -> tuple[str, str]:
    """What a study does now in a few words, and the colour of that."""
    begun = BegunRun.of(head.begun)
    running = states.get("running", 0)
    if head.stopped is None and begun is not None and begun.owner.known_dead:
        return "its run died", "bad"
    if running or (head.stopped is None and begun is not None):
        return f"running, {running:,} at once" if running > 1 else "running", "running"
    if states.get("waiting", 0) or states.get("preempted", 0):
        return "waiting", "fair"
    if not head.trials:
        return "empty", ""
    return head.stopped or "not running", "good" if head.stopped else ""
