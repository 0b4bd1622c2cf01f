"""Feeds in groups: what comes within a few milliseconds is one write to the disk and the store."""

import asyncio
from typing import Any

from starlette.concurrency import run_in_threadpool

from tunewise.declarative.task import Task
from tunewise.declarative.task.told import Fed

GATHER = 0.004
"""Seconds that a group waits for others before it is written."""

MOST = 500
"""Requests in a group, so that none waits for long."""

_Waiting = tuple[Any, "asyncio.Future[Fed]"]


class Feeder:
    """Joins requests to the same task; each is answered after the commit of its group."""

    def __init__(self) -> None:
        """Nothing waits yet."""
        self._waiting: dict[int, list[_Waiting]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def feed(self, task: Task, pairs: Any) -> Fed:
        """Add pairs to a task."""
        answer: asyncio.Future[Fed] = asyncio.get_running_loop().create_future()
        queue = self._waiting.get(id(task))
        if queue is not None:
            queue.append((pairs, answer))
        else:
            self._waiting[id(task)] = [(pairs, answer)]
            running = asyncio.create_task(self._drain(task))
            self._running.add(running)
            running.add_done_callback(self._running.discard)
        return await answer

    async def _drain(self, task: Task) -> None:
        """Write group after group until nothing waits: a group takes as long as one request."""
        while queue := self._waiting[id(task)]:
            await asyncio.sleep(GATHER)
            group = queue[:MOST]
            del queue[: len(group)]
            try:
                told = await run_in_threadpool(task.feed_each, [pairs for pairs, _ in group])
            except Exception as error:  # noqa: BLE001 - whoever waits is told, whatever it was
                told = [error] * len(group)  # type: ignore[list-item]
            for (_, answer), one in zip(group, told, strict=True):
                if answer.done():
                    continue  # whoever asked is gone
                if isinstance(one, Fed):
                    answer.set_result(one)
                else:
                    answer.set_exception(one)
        del self._waiting[id(task)]
