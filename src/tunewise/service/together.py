"""One look into the store for all who want to know the same at the same moment.

What is remembered for a second is forgotten while many requests are on their way; without this,
each of them would look, and open a connection of its own for it.
"""

import asyncio
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from starlette.concurrency import run_in_threadpool

T = TypeVar("T")


class Together:
    """Work in threads, once for everybody who asks while it lasts."""

    def __init__(self) -> None:
        """Nobody asks yet."""
        self._going: dict[Hashable, asyncio.Future[Any]] = {}

    async def of(self, key: Hashable, work: Callable[[], T]) -> T:
        """What the work answers or raises: the work that goes on already, or this one."""
        going = self._going.get(key)
        if going is None:
            going = self._going[key] = asyncio.ensure_future(run_in_threadpool(work))
            going.add_done_callback(lambda done: self._ended(key, done))
        # Whoever goes away does not end it for the others.
        return cast(T, await asyncio.shield(going))

    def forget(self) -> None:
        """Have everybody who asks from now on begin anew."""
        self._going.clear()

    def _ended(self, key: Hashable, done: "asyncio.Future[Any]") -> None:
        if self._going.get(key) is done:
            del self._going[key]
        if not done.cancelled():
            done.exception()  # told to all who wait; perhaps nobody does
