"""Keeps the leases of a study's running trials alive, and hears which of them should stop.

That is what a person asked for, or what another worker was given while this one was silent.

Each beat tells how long every trial has run by then: if this process is gone, so much is booked.
"""

import threading
import time

from tunewise.errors import StorageError, StudyError
from tunewise.study.owner import Owner
from tunewise.study.store import Store


class Heartbeat:
    """A daemon thread that renews one owner's leases until it is stopped."""

    def __init__(self, store: Store, study: str, owner: Owner, lease: float) -> None:
        """Nothing runs before `start`."""
        self.stop_requests: set[int] = set()
        self.lost: set[int] = set()
        self._store, self._study, self._owner, self._lease = store, study, owner, lease
        # A person who stops a trial should not wait for it longer than a second or so.
        self._interval = min(1.0, lease / 3)
        self._began: dict[int, float] = {}
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to beat, unless it does already."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._beat, name="tunewise-heartbeat")
            self._thread.daemon = True
            self._thread.start()

    def begin(self, number: int) -> None:
        """The trial starts to cost money now."""
        with self._lock:
            self.lost.discard(number)
            self._began[number] = time.monotonic()

    def forget(self, number: int) -> None:
        """The trial has ended."""
        with self._lock:
            self.lost.discard(number)
            self._began.pop(number, None)

    def ran(self, number: int) -> float | None:
        """Seconds since the trial began; None when it has not, or has ended."""
        began = self._began.get(number)
        return None if began is None else time.monotonic() - began

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _beat(self) -> None:
        while not self._end.wait(self._interval):
            try:
                self._renew()
            except StorageError:
                # The store may come back before the lease ends; if not, the next tell says why.
                continue
            except StudyError:
                return  # somebody deleted the study: there is nothing left to keep alive

    def _renew(self) -> None:
        with self._lock:
            began = dict(self._began)
        now = time.monotonic()
        ran = {number: now - then for number, then in began.items()}
        renewal = self._store.renew(self._study, self._owner, self._lease, ran)
        self.stop_requests |= renewal.stopping
        with self._lock:
            # What was told meanwhile, or told and begun anew, is no loss.
            self.lost |= {n for n in renewal.lost if self._began.get(n) == began[n]}
