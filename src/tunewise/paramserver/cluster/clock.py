"""The clock of a training: who may begin, who has finished, and how long iterations took."""

import asyncio
import time
from contextlib import suppress

import numpy as np

from tunewise.execution.training.reconfigurable import Iteration
from tunewise.paramserver.consistency import Clocks, Consistency


class Clock:
    """An asynchronous actor: workers wait in it, so that nobody has to ask again and again."""

    def __init__(self, workers: int, consistency: str) -> None:
        """Begin with every worker at 0."""
        self._changed = asyncio.Condition()
        self._done: list[Iteration] = []
        self._generation = 0
        self._paused = False
        self._begin(workers, consistency)

    def _begin(self, workers: int, consistency: str) -> None:
        self._consistency = Consistency.named(consistency)
        self._clocks = Clocks(workers, self._consistency)
        self._under_way = 0
        self._together: list[tuple[float, int]] = []
        self._last = time.perf_counter()

    async def begin(self, worker: int, generation: int) -> bool:
        """Wait until a worker may begin its next iteration; False for those of an old setting."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: generation != self._generation or self._may_begin(worker)
            )
            return self._begun(generation)

    async def may_begin_at_once(self, worker: int, generation: int) -> bool:
        """Begin without waiting, where that is possible."""
        return self._may_begin(worker) and self._begun(generation)

    def _begun(self, generation: int) -> bool:
        current = generation == self._generation
        self._under_way += current
        return current

    def _may_begin(self, worker: int) -> bool:
        return not self._paused and self._clocks.may_begin(worker)

    async def finish(self, worker: int, generation: int, loss: float, rows: int) -> None:
        """Count an iteration whose updates have all arrived."""
        async with self._changed:
            if generation != self._generation:
                return
            self._under_way -= 1
            moved = self._clocks.finish(worker)
            self._together.append((loss, rows))
            if moved or not self._consistency.barrier:
                self._report()
            self._changed.notify_all()

    def _report(self) -> None:
        now = time.perf_counter()
        losses, rows = zip(*self._together, strict=True)
        loss = float(np.average(losses, weights=rows))
        self._done.append(Iteration(loss, now - self._last, float(sum(rows))))
        self._together.clear()
        self._last = now

    async def iterations(self, wanted: int, patience: float) -> list[Iteration]:
        """So many iterations, or those that came within so many seconds."""
        async with self._changed:
            with suppress(TimeoutError):
                await asyncio.wait_for(
                    self._changed.wait_for(lambda: len(self._done) >= wanted), patience
                )
            taken, self._done = self._done[:wanted], self._done[wanted:]
            return taken

    async def pause(self) -> float:
        """Let nothing new begin, wait for what is under way; says when that was at its end."""
        async with self._changed:
            self._paused = True
            await self._changed.wait_for(lambda: not self._under_way)
            return time.perf_counter()

    async def idle(self) -> bool:
        """Whether nothing is under way, and nothing will begin before `resume`."""
        return self._paused and not self._under_way

    async def resume(self) -> None:
        """Go on under the same setting; the pause belongs to no iteration."""
        async with self._changed:
            self._paused = False
            self._last = time.perf_counter()
            self._changed.notify_all()

    async def start(self, workers: int, consistency: str) -> tuple[int, list[Iteration]]:
        """Begin anew for other workers.

        Returns:
            The number of the generation, by which workers of an earlier setting know that they are
            to end; and iterations of the old one that nobody has been told of.
        """
        async with self._changed:
            self._generation += 1
            self._begin(workers, consistency)
            left, self._done = self._done, []
            self._paused = False
            self._changed.notify_all()
            return self._generation, left
