"""Trains what the scheduler picks, for all tasks of a store or for some; several may do so."""

import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tunewise.declarative.examples import Files
from tunewise.declarative.schema import parse
from tunewise.declarative.templates import candidates
from tunewise.declarative.training.events import Event, changed, for_tasks, joined, waits_for
from tunewise.declarative.training.job import run
from tunewise.declarative.training.room import Room
from tunewise.declarative.training.schedule import Running, Schedule
from tunewise.errors import MissingExtraError, TaskError
from tunewise.execution import ProcessExecutor, TrialExecutor
from tunewise.history import Cancelled, Outcome, TimedOut, Trial, TrialState
from tunewise.storage.tasks import TaskRow, TaskStore
from tunewise.storage.tasks.opening import from_anywhere
from tunewise.study.executor import Request
from tunewise.study.owner import Owner
from tunewise.tenancy import Log

POLL = 1.0
"""Seconds between looks at what other processes have done."""

WARM = ("sklearn.ensemble", "sklearn.linear_model", "lightgbm", "onnx", "onnxruntime", "torch")
"""Packages that trainings need: imported once, before the processes are forked that need them."""


@dataclass(frozen=True)
class Progress:
    """Something that a person may want to see while models are trained.

    Attributes:
        kind: "picked", "told", "failed" or "given up".
        task: The task's name.
        model: Which model.
        fraction: On how much of the data.
        sentence: What there is to say.
        seconds: That were expected, or that it took.
        quality: What was measured.
        low: Where its quality is expected, with 90 %: the lower end.
        high: The upper end.
    """

    kind: str
    task: str
    model: str
    fraction: float
    sentence: str
    seconds: float
    quality: float | None = None
    low: float | None = None
    high: float | None = None


class Work:
    """One process that trains; its state is the store's, so that any other can take over."""

    def __init__(
        self,
        store: TaskStore,
        url: str,
        folder: Path,
        *,
        tasks: Collection[int] | None = None,
        workers: int = 1,
        threads: int = 1,
        rule: str = "hybrid",
        log: Log | Callable[[], Log | None] | None = None,
        hear: Callable[[Progress], None] = lambda progress: None,
        executor: TrialExecutor | None = None,
    ) -> None:
        """Nothing is trained before `run`.

        Args:
            store: Where the tasks are.
            url: Of the store, for the processes that train.
            folder: Of all tasks' files.
            tasks: Numbers of the tasks to train; None: all of the store.
            workers: Trainings at once.
            threads: Of each training; one is best unless the whole machine is one device.
            rule: Whose model is next.
            log: What earlier tasks measured; a function is asked again whenever a task joins.
            hear: Told of what happens.
            executor: Where trainings run; default: in processes here. It has to see the store and
                the folder.
        """
        self._store, self._tasks = store, tasks
        self._url, self._folder = from_anywhere(url), folder.absolute()
        self._workers, self._threads, self._rule, self._hear = workers, threads, rule, hear
        self._log = log if callable(log) else lambda: log
        self._executor = executor
        self._owner = Owner.here()
        self._active: dict[Future[Outcome], tuple[Running, Path]] = {}
        self._names: dict[int, str] = {}
        self._room = Room(store, self._folder)
        self._made_way: set[int] = set()

    def run(
        self, seconds: float | None = None, *, models: int | None = None, forever: bool = False
    ) -> int:
        """Train until nothing is open, the seconds are over, or so many models were trained.

        Returns:
            How many models were trained.
        """
        if seconds is not None and not seconds >= 0:
            raise TaskError(f"seconds is {seconds!r}; expected 0 or more, or None for no end")
        schedule = Schedule(self._rule, self._tasks, self._log(), seconds)
        pool = self._executor or self._pool()
        began, count = time.monotonic(), 0  # what has to be imported first is no training
        deadline = float("inf") if seconds is None else began + seconds
        self._folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix="training-", dir=self._folder))
        try:
            most = float("inf") if models is None else models
            while (now := time.monotonic()) < deadline and count < most:
                while len(self._active) < min(self._workers, most - count):
                    picked = self._pick(schedule, now - began, deadline - now)
                    if picked is None:
                        break
                    self._begin(pool, picked, scratch)
                self._make_way(schedule, pool)
                if not self._active and not forever:
                    break
                timeout = min(POLL, max(deadline - time.monotonic(), 0.01))
                done = pool.wait(list(self._active), timeout) if self._active else set()
                if not self._active:
                    time.sleep(timeout)
                for future in done:
                    count += self._end(schedule, future)
                if done:
                    self._forget_deleted()
        finally:
            self._stop(schedule, pool)
            self._forget_deleted()
            shutil.rmtree(scratch, ignore_errors=True)
            if self._executor is None:
                pool.shutdown()
        return count

    def _pool(self) -> TrialExecutor:
        self._warm()
        pool = ProcessExecutor(self._workers, keep=False)
        pool.prepare(run)
        return pool

    def _warm(self) -> None:
        """Import what trainings need, once, with one thread in everything that reads this."""
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        needed = {
            extra
            for task in self._wanted()
            for each in candidates(parse(task.program))
            for extra in each.model.needs
        }
        for module in WARM:
            if module != "torch" or "torch" in needed:
                with suppress(ImportError):
                    import_module(module)

    def _wanted(self) -> list[TaskRow]:
        every = self._store.everyone()
        return [task for task in every if self._tasks is None or task.id in self._tasks]

    def _refresh(self, schedule: Schedule) -> None:
        """Bring the log up to date, in a step that nobody else can be in."""
        news, now = self._news(schedule), self._store.now()

        def prepare(events: list[Event]) -> list[Event]:
            schedule.hear(events)
            gone = [one for one in schedule.running.values() if one.lost(now)]
            up = [
                {**_given_up(one, "whoever trained it is gone"), "seconds": one.ran(now)}
                for one in gone
            ]
            known = {**schedule.joined}
            fresh = [e for e in news if e["kind"] != "joined" or e["task"] not in known]
            return [*up, *fresh]

        try:
            self._store.decide(schedule.position, prepare)
            if any(event["kind"] == "joined" for event in news):
                schedule.start_over(self._log())
                schedule.hear(self._store.events())  # at length, so before anybody waits for it
            schedule.weigh(self._weights())
        except BaseException:
            schedule.start_over()
            raise

    def _pick(self, schedule: Schedule, elapsed: float, left: float) -> Running | None:
        """Pick what is trained next, in a step that nobody else can be in."""
        self._refresh(schedule)
        tokens: list[str] = []
        now, wanted = self._store.now(), self._wanted()
        full, seconds = self._room.full(wanted), self._room.seconds(wanted)

        def choose(events: list[Event]) -> list[Event]:
            while tokens:
                schedule.drop(tokens.pop())  # the connection broke, and this was not kept
            schedule.hear(events)
            event = schedule.next(self._owner, now, elapsed, left, full, seconds)
            if event is None:
                return []
            tokens.append(event["token"])
            return [event]

        try:
            self._store.decide(schedule.position, choose)
        except BaseException:
            schedule.start_over()
            raise
        if not tokens:
            return None
        schedule.hear(self._store.events(schedule.position))
        found = next((one for one in schedule.running.values() if one.token == tokens[0]), None)
        if found is None:
            schedule.start_over()  # its tenant's seconds went to another process meanwhile
        return found

    def _weights(self) -> dict[int, float]:
        """By task: how much its gains count; the tasks of one tenant share its weight."""
        wanted, tenants = self._wanted(), self._store.weights()
        sharing = Counter(task.namespace for task in wanted)
        return {
            task.id: float(task.settings.get("weight", 1.0))
            * tenants.get(task.namespace, 1.0)
            / sharing[task.namespace]
            for task in wanted
        }

    def _news(self, schedule: Schedule) -> list[Event]:
        """Tasks that can join now, and those whose data have changed."""
        schedule.hear(self._store.events(schedule.position))
        news: list[Event] = []
        present = set()
        wanted = self._wanted()
        weights = self._weights()
        for task in wanted:
            present.add(task.id)
            self._names[task.id] = task.name
            before = schedule.joined.get(task.id)
            if before is not None and task.version == before["version"]:
                continue
            rows, program = self._store.examples(task.id), parse(task.program)
            if self._store.marks(task.id)[0] != task.version:
                continue  # it was fed meanwhile: what was read is of two versions
            if program.undecided or waits_for(program, rows) is not None:
                continue
            count = sum(row.on for row in rows)
            if before is None:
                with suppress(MissingExtraError):
                    files = Files(self._folder / str(task.id))
                    news.append(joined(task, program, rows, weights[task.id], files))
            elif task.settings.get("retrain") == task.version or changed(
                before["version"], before["examples"], self._store.changes(task.id)
            ):
                told = {"version": task.version, "examples": count}
                news.append({"kind": "reopened", "task": task.id, **told})
        gone = [task for task in schedule.joined if task not in present]
        return news + [{"kind": "left", "task": task} for task in gone]

    def _begin(self, pool: TrialExecutor, running: Running, scratch: Path) -> None:
        pick, out = running.pick, scratch / f"{running.token}.json"
        config: dict[str, Any] = {
            "url": self._url,
            "folder": str(self._folder / str(running.task)),
            "task": running.task,
            "model": running.model,
            "fraction": pick.fraction,
            "out": str(out),
            "threads": self._threads,
        }
        trial = Trial(0, config, pick.fraction, (), TrialState.RUNNING)
        future = pool.start(Request(run, trial, limit=max(running.limit, 0.5)))
        self._active[future] = running, out
        why = pick.why.replace(pick.model, running.model)
        told = for_tasks(why, alone=len(self._names) == 1)
        self._say("picked", running, told, pick.seconds)

    def _make_way(self, schedule: Schedule, pool: TrialExecutor) -> None:
        """Stop the training that takes longest yet, where a task waits less for its first model.

        Once for each task, whoever is then served: what was stopped is begun anew.
        """
        if len(self._active) < self._workers:
            return
        self._refresh(schedule)
        waiting = {t: s for t, s in schedule.newcomers().items() if t not in self._made_way}
        now = self._store.now()
        busy = {
            future: running.left(now)
            for future, (running, _) in self._active.items()
            if running.task in schedule.served
        }
        if not waiting or not busy:
            return
        task, longest = min(waiting, key=waiting.__getitem__), max(busy, key=busy.__getitem__)
        if waiting[task] < busy[longest]:
            self._made_way.add(task)
            pool.stop(longest, Cancelled("a task without a model comes first"), at_once=True)

    def _end(self, schedule: Schedule, future: Future[Outcome]) -> int:
        """Tell of a training that has ended: whether it gave a model."""
        running, out = self._active.pop(future)
        outcome = future.result()
        seconds = float(outcome.metrics.get("time", 0.0))
        told: Event = {"task": running.task, "pick": running.event, "seconds": seconds}
        if out.is_file():  # what was measured counts, though a refit may have been cut off
            card = json.loads(out.read_text(encoding="utf-8"))
            seconds = told["seconds"] = card["seconds"]
            self._tell(schedule, {"kind": "told", "quality": card["quality"], **told, "card": card})
            said = (
                f"{card['measure']} {card['quality']:.3f} ({card['low']:.3f} to {card['high']:.3f})"
            )
            self._say("told", running, said, seconds, card["quality"])
            return 1
        if isinstance(outcome, Cancelled):
            self._give_up(schedule, running, outcome.reason)
            return 0
        if isinstance(outcome, TimedOut) and running.rationed:
            left = f"only {running.limit:.3g} s of training were left"
            self._give_up(schedule, running, f"{left}; it is trained once there are more")
            return 0
        reason = str(getattr(outcome, "reason", "it left no model"))
        self._tell(schedule, {"kind": "failed", "model": running.model, "reason": reason, **told})
        self._say("failed", running, reason, seconds)
        return 0

    def _stop(self, schedule: Schedule, pool: TrialExecutor) -> None:
        """End what still runs; it may be picked again."""
        for future in list(self._active):
            pool.stop(future, Cancelled("the time for training was over"), at_once=True)
        for future in list(self._active):
            future.result()
            if self._active[future][1].is_file():
                self._end(schedule, future)
                continue
            running, _ = self._active.pop(future)
            self._give_up(schedule, running, "the time for training was over")

    def _give_up(self, schedule: Schedule, running: Running, reason: str) -> None:
        """What was stopped may be picked again."""
        up = _given_up(running, reason)
        self._tell(schedule, {**up, "seconds": running.ran(self._store.now())})
        self._say("given up", running, reason, 0.0)

    def _forget_deleted(self) -> None:
        """Remove what trainings left of tasks that were deleted meanwhile."""
        found = [each for each in self._folder.iterdir() if each.name.isdigit()]
        there = {str(task.id) for task in self._store.everyone()}
        for folder in found:
            if folder.name not in there:
                Files(folder).forget()

    def _tell(self, schedule: Schedule, event: Event) -> None:
        def tell(events: list[Event]) -> list[Event]:
            schedule.hear(events)
            # Whoever took us for gone has given it up already; what was trained is kept anyway.
            return [event] if event["pick"] in schedule.running or "card" in event else []

        self._store.decide(schedule.position, tell)

    def _say(
        self,
        kind: str,
        running: Running,
        sentence: str,
        seconds: float,
        quality: float | None = None,
    ) -> None:
        name, pick = self._names.get(running.task, "?"), running.pick
        told = (sentence, seconds, quality, pick.low, pick.high)
        self._hear(Progress(kind, name, running.model, pick.fraction, *told))


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _given_up(running: Running, reason: str) -> Event:
    told = {"task": running.task, "pick": running.event, "model": running.model}
    return {"kind": "given up", "reason": reason, **told}
