"""Rules race on a table in virtual time: some users are tested, the others are the log."""

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tunewise.benchmark.naming import labelled
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.errors import ExecutionError
from tunewise.surrogate import Array
from tunewise.tenancy import Device, Pick, RuleSpec, Scheduler

ENOUGH = 0.005
FAR = 0.05
_SHORTEST = 1e-12
_STAGES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)


@dataclass(frozen=True)
class Protocol:
    """How a race is run (section 6.2: 10 test users, the rest as logs, 50 repeats).

    Attributes:
        users: Tested users in a repeat.
        repeats: How often test users are drawn.
        logs: The share of the other users that makes the log.
        limit: A repeat ends after this share of the test users' total run time, or of their models
            where these are counted.
        devices: Models that train at once.
        costs: "known": run times are known in advance, as in the paper; "learned": from the log.
        slices: Whether models may be tried on fractions first.
        seed: Of the draws.
        enough: Once the mean of the average loss is below this, repeats may end.
    """

    users: int = 10
    repeats: int = 50
    logs: float = 1.0
    limit: float = 1.0
    devices: int = 1
    costs: Literal["known", "learned"] = "known"
    slices: bool = False
    seed: int = 0
    enough: float = ENOUGH


@dataclass(frozen=True, eq=False)
class Run:
    """One repeat of one rule: the steps at which a user's best rose.

    Attributes:
        rule: Its label.
        top: (n,) the best accuracy each test user can have.
        time: (E,) elapsed time as a share of the users' total run time.
        runs: (E,) models trained as a share of all.
        user: (E,) whose best rose.
        best: (E,) to what.
        decisions: How many picks there were.
        seconds: Computing time of all of them.
        plays: (P, 4) all models that ended: when, what it cost (both as shares of the total run
            time), whose it was, and its accuracy.
    """

    rule: str
    top: Array
    time: Array
    runs: Array
    user: Array
    best: Array
    decisions: int
    seconds: float
    plays: Array = field(default_factory=lambda: np.empty((0, 4)))


def race(
    table: TenantTable,
    rules: Sequence[RuleSpec],
    protocol: Protocol,
    ran: Callable[[], object] = lambda: None,
) -> dict[str, list[Run]]:
    """All repeats of all rules, by the rules' labels; every rule sees the same draws."""
    if not protocol.limit > 0:
        raise ExecutionError(f"a repeat of {protocol.limit:g} of the run time; expected above 0")
    if protocol.users >= len(table):
        raise ExecutionError(
            f"{protocol.users} test users of {len(table)}: some must be left for the log"
        )
    return {label(rule): _all_repeats(table, rule, protocol, ran) for rule in rules}


def _all_repeats(
    table: TenantTable, rule: RuleSpec, protocol: Protocol, ran: Callable[[], object]
) -> list[Run]:
    """Every repeat, as far as is needed.

    What comes after a loss that nobody asks about any more is left out: once the mean of the
    average loss is below `ENOUGH`, only repeats go on in which some user is still far away.
    """
    repeats = [Replay(table, rule, protocol, repeat) for repeat in range(protocol.repeats)]
    for stage in (*(s for s in _STAGES if s < protocol.limit), protocol.limit):
        near = float(np.mean([repeat.loss.mean() for repeat in repeats])) <= protocol.enough
        for repeat in repeats:
            if not near or (repeat.loss > FAR).any():
                repeat.advance(stage)
    for _ in repeats:
        ran()
    return [repeat.run for repeat in repeats]


def label(rule: RuleSpec) -> str:
    """A rule as the command line names it."""
    return labelled(rule.name, rule.options)


def drawn(table: TenantTable, protocol: Protocol, repeat: int) -> tuple[list[int], list[int]]:
    """The test users of a repeat, and the users of its log."""
    order = np.random.default_rng([protocol.seed, repeat]).permutation(len(table)).tolist()
    tested, others = order[: protocol.users], order[protocol.users :]
    return tested, others[: max(round(protocol.logs * len(others)), 1)]


class Replay:
    """One repeat of one rule, which may go on where it stopped."""

    def __init__(self, table: TenantTable, rule: RuleSpec, protocol: Protocol, repeat: int) -> None:
        """Draw the users, and let them join."""
        tested, others = drawn(table, protocol, repeat)
        scheduler = _prepared(table, rule, protocol, repeat, others)
        for user in tested:
            _join(scheduler, table, user, protocol)
        self._table, self._rule, self._limit = table, rule, protocol.limit
        self._place = {str(user): number for number, user in enumerate(tested)}
        self._top = np.nanmax(table.accuracy[tested], axis=1)
        self._total = max(float(np.nansum(table.seconds[tested])), _SHORTEST)
        self._models = int(np.isfinite(table.accuracy[tested]).sum())
        self._best = np.zeros(len(tested))
        self._steps: list[tuple[float, float, int, float]] = []
        self._plays: list[tuple[float, float, int, float]] = []
        self._served = _served(scheduler, table, protocol)
        self._decisions, self._seconds = 0, 0.0

    @property
    def loss(self) -> Array:
        """How far each user's best so far is from the best there is, (n,)."""
        return np.asarray(np.maximum(self._top - self._best, 0.0), float)

    @property
    def run(self) -> Run:
        """What has happened so far."""
        at, runs, whose, risen = np.array(self._steps, float).reshape(-1, 4).T
        plays = np.array(self._plays, float).reshape(-1, 4)
        parts = at, runs, whose, risen, self._decisions, self._seconds, plays
        return Run(label(self._rule), self._top, *parts)

    def advance(self, until: float) -> None:
        """Go on to this share of the time, or of the models; or until nobody can gain any more."""
        started = time.process_time()
        while (self._best < self._top).any():
            now, pick = next(self._served, (np.inf, None))
            if pick is None:
                break
            self._decisions += 1
            shares = now / self._total, self._decisions / self._models
            counted = shares[0] if _counts_time(self._rule) else shares[1]
            user, (accuracy, seconds) = self._place[pick.user], _cell(self._table, pick)
            if counted <= self._limit:
                self._plays.append((shares[0], seconds / self._total, user, accuracy))
                if accuracy > self._best[user]:
                    self._best[user] = accuracy
                    self._steps.append((*shares, user, accuracy))
            if counted >= until:
                break
        self._seconds += time.process_time() - started


def _counts_time(rule: RuleSpec) -> bool:
    """Whether a rule knows of costs; the others are limited by models, as in section 6.3.1."""
    return bool(rule.options.get("cost_aware", True))


def _prepared(
    table: TenantTable, rule: RuleSpec, protocol: Protocol, repeat: int, others: list[int]
) -> Scheduler:
    options: dict[str, Any] = {"order": table.orders} if table.orders else {}
    if protocol.devices > 1:
        options["devices"] = [Device(f"device {i}") for i in range(protocol.devices)]
    if protocol.slices:
        options["fractions"] = table.fractions
    log = table.log(others, slices=protocol.slices)
    return Scheduler(table.models, rule, log, repeat, **options)


def _join(scheduler: Scheduler, table: TenantTable, user: int, protocol: Protocol) -> None:
    ends = np.flatnonzero(np.isfinite(table.accuracy[user]))
    names = [table.models[k] for k in ends]
    seconds: dict[Any, float] | None = None
    if protocol.costs == "known":
        seconds = {table.models[k]: float(table.seconds[user, k]) for k in ends}
        if protocol.slices and table.slice_seconds is not None:
            for f, fraction in enumerate(table.fractions):
                row = table.slice_seconds[user, f]
                seconds |= {(table.models[k], fraction): float(row[k]) for k in ends if row[k] >= 0}
    scheduler.join(str(user), seconds, models=names)


def _served(
    scheduler: Scheduler, table: TenantTable, protocol: Protocol
) -> Iterator[tuple[float, Pick]]:
    """Picks in the order in which they end, with the time at which they do."""
    now = 0.0
    running: list[tuple[float, int, Pick, float, float]] = []
    while True:
        while len(running) < protocol.devices and (pick := scheduler.next(now=now)) is not None:
            accuracy, seconds = _cell(table, pick)
            heapq.heappush(running, (now + seconds, pick.number, pick, accuracy, seconds))
        if not running:
            return
        now, _, pick, accuracy, seconds = heapq.heappop(running)
        if np.isfinite(accuracy):
            scheduler.tell(pick, accuracy, seconds)
            yield now, pick
        else:
            scheduler.fail(pick, seconds)


def _cell(table: TenantTable, pick: Pick) -> tuple[float, float]:
    """What a pick measures, and how long it takes; a slice that is missing takes no time."""
    user, model = int(pick.user), table.models.index(pick.model)
    if pick.fraction == 1:
        return float(table.accuracy[user, model]), float(table.seconds[user, model])
    assert table.slices is not None and table.slice_seconds is not None
    f = table.fractions.index(pick.fraction)
    accuracy, seconds = table.slices[user, f, model], table.slice_seconds[user, f, model]
    return float(accuracy), float(seconds) if np.isfinite(seconds) else 0.0
