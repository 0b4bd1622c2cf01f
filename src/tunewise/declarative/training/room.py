"""Which tasks are not trained because a quota is full, and what would make room."""

from collections.abc import Callable, Collection
from pathlib import Path

from tunewise.declarative.examples import Files
from tunewise.declarative.examples.parts import FEW
from tunewise.storage.tasks import TaskRow, TaskStore

KEY = 32
"""Bytes that a training keeps of each example that it was measured on: a checksum, as it is."""


class Room:
    """Looks whether what a training would use is there: seconds of the tenant, and bytes."""

    def __init__(self, store: TaskStore, folder: Path) -> None:
        """Of a store, with the folder of all tasks' files."""
        self._store, self._folder = store, folder
        self._counted: dict[tuple[str, int], tuple[int, int]] = {}

    def full(self, tasks: Collection[TaskRow]) -> dict[int, str]:
        """By task that has to wait: what is full, and what would make room."""
        seconds, most = self._store.seconds_left(), self._store.bytes_allowed()
        used = self._used(most.keys() & {task.namespace for task in tasks})
        found: dict[int, str | None] = {}
        for task in tasks:
            name = task.namespace
            if seconds.get(name, 1.0) <= 0:
                found[task.id] = (
                    "its tenant has used all seconds of training that it may, or holds them for"
                    " what is trained now; the operator of the service can allow more"
                )
            elif name in most and used[name] >= most[name]:
                found[task.id] = no_bytes(used[name], most[name])
            elif (quota := task.settings.get("quota")) is not None:
                found[task.id] = self._own(task, quota)
        return {task: said for task, said in found.items() if said is not None}

    def seconds(self, tasks: Collection[TaskRow]) -> dict[int, float]:
        """By task whose tenant has a quota of training seconds: how many are left."""
        left = self._store.seconds_left()
        return {task.id: left[task.namespace] for task in tasks if task.namespace in left}

    def _used(self, namespaces: Collection[str]) -> dict[str, int]:
        """Bytes of all tasks of each of some tenants."""
        if len(namespaces) == 1:
            rows = self._store.within(*namespaces).tasks()
        else:
            rows = self._store.everyone() if namespaces else []
        used = dict.fromkeys(namespaces, 0)
        for row in rows:
            if row.namespace in used:
                used[row.namespace] += self._bytes(row)
        return used

    def _own(self, task: TaskRow, quota: int) -> str | None:
        taken, least = self._bytes(task), self._least(task)
        if taken + least <= quota:
            return None
        return (
            f"its files take {taken:,} of its quota of {quota:,} bytes, and the next model needs"
            f" {least:,} or more; declare it under another name with a larger quota"
        )

    def _least(self, task: TaskRow) -> int:
        """Bytes that the smallest model so far would need again, with how it was measured."""

        def least() -> int:
            smallest = min((card["bytes"] for card in self._store.models(task.id)), default=0)
            on = self._store.count_on(task.id)
            measured = on if on < FEW else on // 10  # a fifth is expected, and half of it certain
            return int(smallest) + KEY * measured

        return self._once("least", task, least)

    def _bytes(self, task: TaskRow) -> int:
        """Of a task's files."""
        return self._once("bytes", task, Files(self._folder / str(task.id)).bytes)

    def _once(self, what: str, task: TaskRow, count: Callable[[], int]) -> int:
        """What is counted once a revision: a worker asks every second."""
        revision, number = self._counted.get((what, task.id), (-1, 0))
        if revision != task.revision:
            number = count()
            self._counted[what, task.id] = task.revision, number
        return number


def no_bytes(used: int, most: float, wanted: int = 1) -> str:
    """That a tenant's files take all that they may, or would with so many more bytes."""
    more = "all that they may" if used >= most else f"and {wanted:,} more were to be kept"
    return (
        f"the files of its tenant's tasks take {used:,} of {most:,.0f} bytes, {more};"
        " delete a task, or let the operator of the service allow more"
    )
