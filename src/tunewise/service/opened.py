"""Tasks that were asked for lately: opened once, with the model that answers in memory."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

from tunewise.declarative.serving import Served
from tunewise.declarative.standing import Standing
from tunewise.declarative.task import Task
from tunewise.errors import TaskError
from tunewise.service.problems import Problem
from tunewise.service.together import Together
from tunewise.storage.tasks import TaskStore

MOST = 64
"""Tasks in memory; the one that was asked for longest ago is dropped."""

FRESH = 1.0
"""Seconds for which a task is taken to be there still."""


class Opened:
    """The tasks of all tenants, by namespace and name."""

    def __init__(self, store: TaskStore, url: str, check: Callable[[str, int], None]) -> None:
        """Of a store at this URL; `check` refuses bytes that a tenant may not have."""
        self._store, self._url, self._check = store, url, check
        self._known: OrderedDict[tuple[str, str], tuple[float, int, Task]] = OrderedDict()
        self._lock = threading.Lock()
        self._together = Together()

    def at_once(self, namespace: str, name: str) -> Task | None:
        """The task, where nothing has to be looked up for it; nobody is waited for."""
        found = self._known.get((namespace, name))
        fresh = found is not None and time.monotonic() - found[0] <= FRESH
        return found[2] if found is not None and fresh else None

    async def soon(self, namespace: str, name: str) -> Task:
        """The task; of many who want it at the same moment, one looks it up."""
        if (known := self.at_once(namespace, name)) is not None:
            return known
        return await self._together.of((namespace, name), lambda: self.task(namespace, name))

    async def serving(self, task: Task) -> tuple[Standing, Served]:
        """The model that serves a task; of many who ask at the same moment, one looks it up."""
        if task.is_fresh:
            return task.serving()
        return await self._together.of(id(task), task.serving)

    def task(self, namespace: str, name: str) -> Task:
        """The task of this name; there is none is said as a 404."""
        if (known := self.at_once(namespace, name)) is not None:
            return known
        store = self._store.within(namespace)
        store.room = partial(self._check, namespace)
        try:
            row = store.load(name)
        except TaskError as error:
            self.forget(namespace, name)
            raise Problem(404, str(error)) from error
        with self._lock:
            before = self._known.get((namespace, name))
            same = before is not None and before[1] == row.id
            task = before[2] if before is not None and same else self._open(store, name)
            self._known[namespace, name] = time.monotonic(), row.id, task
            self._known.move_to_end((namespace, name))
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return task

    def forget(self, namespace: str, name: str) -> None:
        """Look it up again: it was deleted."""
        with self._lock:
            self._known.pop((namespace, name), None)

    def _open(self, store: TaskStore, name: str) -> Task:
        return Task.stored(store, self._url, name)
