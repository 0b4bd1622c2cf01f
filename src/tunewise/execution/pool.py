"""What executors with workers share: trials that wait for one, and how futures are waited for."""

import concurrent.futures
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Collection
from concurrent.futures import Future
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.execution import result
from tunewise.execution.executor import TrialExecutor, checked_workers, timed
from tunewise.history import Failure, Outcome
from tunewise.study.executor import Request


class Pool(TrialExecutor):
    """Trials that run, and those that wait until a worker is free; each has a `future`."""

    def __init__(self, workers: int) -> None:
        """Nothing runs, nothing waits."""
        self.workers = checked_workers(workers)
        self._lock = threading.RLock()
        self._quiet = threading.Condition(self._lock)
        self._waiting: deque[Any] = deque()
        self._running: dict[Future[Outcome], Any] = {}
        self._unresolved = 0  # started, and its future not resolved yet
        self._closed = False

    def wait(
        self, futures: Collection[Future[Outcome]], timeout: float | None = None
    ) -> set[Future[Outcome]]:
        """Those that are done, once there is at least one or the time is over."""
        first = concurrent.futures.FIRST_COMPLETED
        return set(concurrent.futures.wait(futures, timeout, first).done)

    def now(self) -> float:
        """Seconds of a clock that never goes back."""
        return time.monotonic()

    def recover(self, request: Request) -> Outcome | None:
        """The outcome of this attempt at the trial, where the folder has it."""
        return None if request.folder is None else result.recover(request.folder, request.trial)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more trials; with `wait`, return when those submitted have ended."""
        with self._lock:
            self._closed = True
            if cancel_futures:
                for run in self._waiting:
                    run.future.cancel()
            self._fill()
            while wait and self._unresolved:
                self._quiet.wait()
            self._release_if_done()

    @abstractmethod
    def _fill(self) -> None:
        """Start what waits while workers are free. The lock is held."""

    def _release_if_done(self) -> None:  # noqa: B027 - most have nothing to let go of
        """Let go of what no trial needs any more."""

    def _accept(self, run: Any) -> Future[Outcome]:
        """Take a trial, to be started as soon as a worker is free."""
        with self._lock:
            if self._closed:
                raise ExecutionError("the executor was shut down and takes no more trials")
            self._waiting.append(run)
            self._fill()
        future: Future[Outcome] = run.future
        return future

    def _withdraw(self, future: Future[Outcome], outcome: Failure) -> None:
        """End a trial that waits; one that runs or has ended is left alone."""
        with self._lock:
            waiting = next((r for r in self._waiting if r.future is future), None)
            if waiting is None:
                return
            self._waiting.remove(waiting)
        if future.set_running_or_notify_cancel():
            future.set_result(timed(outcome, 0.0))

    def _resolve(self, future: Future[Outcome], outcome: Outcome) -> None:
        """Let the next trial start, then tell how this one ended."""
        with self._lock:
            del self._running[future]
            self._fill()
        future.set_result(outcome)
        with self._lock:
            self._unresolved -= 1
            self._release_if_done()
            self._quiet.notify_all()
