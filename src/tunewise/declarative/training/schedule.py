"""The scheduler as the log of events left it, in any process that reads it."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from tunewise.declarative.training.events import FRACTIONS, Event
from tunewise.study.owner import Owner
from tunewise.tenancy import Log, Outlook, Pick, Scheduler

PATIENCE = 10.0
"""Times the expected seconds after which a training is ended."""

LEAST = 120.0
"""Seconds that every training may take: estimates of short ones are rough."""


@dataclass(frozen=True)
class Running:
    """A model that is being trained.

    Attributes:
        event: The number of the event that says so.
        pick: The scheduler's.
        task: Whose it is.
        owner: Who trains it.
        until: When it has ended at the latest.
        limit: Seconds that it may take.
        token: Tells it apart before it has a number.
    """

    event: int
    pick: Pick
    task: int
    owner: str
    until: float
    limit: float
    token: str

    @property
    def rationed(self) -> bool:
        """Whether it gets fewer seconds than it would, for want of quota or of time."""
        return self.limit < allowance(self.pick.seconds)

    @property
    def model(self) -> str:
        """The candidate's name."""
        return self.pick.model.partition("/")[2]

    @property
    def began(self) -> float:
        """When it was picked, in seconds since the epoch."""
        return self.until - self.limit - LEAST

    def ran(self, now: float) -> float:
        """Seconds that it has taken by now, at most."""
        return min(max(now - self.began, 0.0), self.limit)

    def left(self, now: float) -> float:
        """Seconds that it is expected to take yet; one that is late, as long again."""
        ran = self.ran(now)
        return self.pick.seconds - ran if ran < self.pick.seconds else ran

    def lost(self, now: float) -> bool:
        """Whether whoever trains it is gone."""
        owner = Owner.parse(self.owner)
        return owner.known_dead or self.until < now


def allowance(expected: float) -> float:
    """Seconds that a training may take where nothing is short."""
    return max(LEAST, PATIENCE * expected)


class Schedule:
    """Hears events in their order, and picks what is trained next."""

    def __init__(
        self,
        rule: str = "hybrid",
        tasks: Collection[int] | None = None,
        log: Log | None = None,
        deadline: float | None = None,
    ) -> None:
        """A schedule of some tasks, or of all; gains after the deadline count for nothing."""
        self._rule, self._tasks, self._log, self._deadline = rule, tasks, log, deadline
        self._hearing: dict[str, Callable[[Event], None]] = {
            "joined": self._join,
            "picked": self._start,
            "told": self._told,
            "failed": self._failed,
            "given up": self._given_up,
            "reopened": self._reopened,
            "left": self._left,
        }
        self.start_over(log)

    def start_over(self, log: Log | None = None) -> None:
        """Forget everything, and hear all events again; with what earlier tasks measured."""
        self._log, self.position = log or self._log, 0
        self._scheduler: Scheduler | None = None
        self._picked: dict[str, Pick] = {}
        self.running: dict[int, Running] = {}
        self.joined: dict[int, Event] = {}
        """By task: the event by which its models were last opened."""
        self.served: set[int] = set()
        """Tasks that have a model."""

    def hear(self, events: list[Event]) -> None:
        """Take what happened into account, once: it may be told again."""
        for event in events:
            if event["id"] <= self.position:
                continue
            self.position = event["id"]
            if self._tasks is None or event["task"] in self._tasks:
                self._hearing[event["kind"]](event)

    def next(
        self,
        owner: Owner,
        now: float,
        elapsed: float,
        left: float,
        full: Collection[int] = (),
        seconds: Mapping[int, float] | None = None,
    ) -> Event | None:
        """The event of the next pick; None where nothing is open.

        It is for no task of a full quota, and for no longer than the seconds that its tenant has.
        """
        pick = self._next(elapsed, full, seconds or {})
        if pick is None:
            return None
        token = uuid4().hex
        self._picked[token] = pick
        limit = min(allowance(pick.seconds), left)
        return {
            "kind": "picked",
            "task": int(pick.user),
            "model": pick.model,
            "fraction": pick.fraction,
            "why": pick.why,
            "expected": pick.seconds,
            "token": token,
            "owner": str(owner),
            "until": now + limit + LEAST,
            "limit": limit,
        }

    def _next(
        self, elapsed: float, full: Collection[int], seconds: Mapping[int, float]
    ) -> Pick | None:
        if self._scheduler is None:
            return None
        passed = []
        pick = self._scheduler.next(now=elapsed)
        while pick is not None and (
            int(pick.user) in full or pick.seconds > seconds.get(int(pick.user), pick.seconds)
        ):
            passed.append(pick)
            pick = self._scheduler.next(now=elapsed)
        for one in passed:
            self._scheduler.cancel(one)
        return pick

    def drop(self, token: str) -> None:
        """Take back a pick whose event was not kept."""
        pick = self._picked.pop(token, None)
        if pick is not None and self._scheduler is not None:
            self._scheduler.cancel(pick)

    def weigh(self, weights: Mapping[int, float]) -> None:
        """How much each task's gains count from now on."""
        for task, weight in weights.items():
            if task in self.joined and self._scheduler is not None:
                self._scheduler.weigh(str(task), weight)

    def outlook(self, task: int) -> Outlook | None:
        """What a task can expect; None where it has not joined."""
        if self._scheduler is None or task not in self.joined:
            return None
        return self._scheduler.outlook(str(task))

    def newcomers(self) -> dict[int, float]:
        """Tasks without a model for which none is trained: seconds until the first, once begun."""
        begun = self.served | {running.task for running in self.running.values()}
        found = {task: self.outlook(task) for task in self.joined if task not in begun}
        return {task: told.seconds for task, told in found.items() if told and told.model}

    def _join(self, event: Event) -> None:
        if event["task"] in self.joined:
            return
        models = list(dict.fromkeys(key.rpartition("@")[0] for key in event["seconds"]))
        if self._scheduler is None:
            self._scheduler = Scheduler(models, self._rule, self._log, fractions=FRACTIONS)
        new = [model for model in models if model not in self._scheduler.models]
        if new:
            self._scheduler.add_models(new)
        seconds: dict[Any, float] = {}
        for key, value in event["seconds"].items():
            model, _, fraction = key.rpartition("@")
            seconds[model, float(fraction)] = value
        self._scheduler.join(
            str(event["task"]),
            seconds,
            models=models,
            weight=event["weight"],
            deadline=self._deadline,
            slices=event["slices"],
            estimated=True,
        )
        self.joined[event["task"]] = event

    def _pick_of(self, event: Event) -> Pick | None:
        if event["token"] in self._picked:
            return self._picked.pop(event["token"])
        if self._scheduler is None or event["task"] not in self.joined:
            return None
        return self._scheduler.take(str(event["task"]), event["model"], event["fraction"])

    def _start(self, event: Event) -> None:
        pick = self._pick_of(event)
        if pick is not None:
            told = (event[name] for name in ("task", "owner", "until", "limit", "token"))
            self.running[event["id"]] = Running(event["id"], pick, *told)

    def _told(self, event: Event) -> None:
        self.served.add(event["task"])
        ended = self.running.pop(event["pick"], None)
        if ended is not None and self._scheduler is not None:
            self._scheduler.tell(ended.pick, event["quality"], event["seconds"])

    def _failed(self, event: Event) -> None:
        ended = self.running.pop(event["pick"], None)
        if ended is not None and self._scheduler is not None:
            self._scheduler.fail(ended.pick, event["seconds"])

    def _given_up(self, event: Event) -> None:
        ended = self.running.pop(event["pick"], None)
        if ended is not None and self._scheduler is not None:
            self._scheduler.cancel(ended.pick)

    def _reopened(self, event: Event) -> None:
        if event["task"] in self.joined and self._scheduler is not None:
            self._scheduler.reopen(str(event["task"]))
            self.joined[event["task"]] = event

    def _left(self, event: Event) -> None:
        if self.joined.pop(event["task"], None) is not None and self._scheduler is not None:
            self._scheduler.leave(str(event["task"]))
