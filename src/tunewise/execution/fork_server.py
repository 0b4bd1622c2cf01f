"""A process forked early, from which supervisors are forked, and which guards them.

It inherits the job, so that lambdas and closures need no pickling, and it has a single thread, so
that forking from it is safe whatever the study's process does meanwhile. What a supervisor leaves
behind when it is killed falls to this process, which ends it.
"""

import gc
import os
import selectors
import signal
import socket
import sys
import threading
import weakref
from contextlib import suppress
from multiprocessing.connection import Connection

from tunewise.execution import process_tree, supervisor
from tunewise.execution.executor import Job


class ForkServer:
    """Gives out supervisors for one job, as the job was when the server was made."""

    def __init__(self, job: Job) -> None:
        """Fork at once."""
        self.job = job
        ours, theirs = socket.socketpair()
        study = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()  # or every worker would print what was waiting to be printed

        def serve() -> None:
            ours.close()
            _Server(theirs, study, job).serve()

        with theirs:
            try:
                self._pid = process_tree.forked(serve)
            except OSError:
                ours.close()
                raise
        self._control, self._study = ours, study
        self._finalizer = weakref.finalize(self, _close, ours, self._pid, study)

    def supervisor(self) -> Connection:
        """A connection to a new supervisor.

        Raises:
            OSError: When the server's process was killed.
        """
        ours, theirs = socket.socketpair()
        with ours, theirs:
            socket.send_fds(self._control, [b"k"], [theirs.fileno()])
            return Connection(ours.detach())

    def close(self, wait: bool = True) -> None:
        """Let the server go; it stays as long as its supervisors, which run to their end."""
        if self._finalizer.detach() is not None:
            _close(self._control, self._pid, self._study, wait)


def _close(control: socket.socket, pid: int, study: int, wait: bool = False) -> None:
    if os.getpid() != study:
        return
    # Its process may have been killed before, and even collected by somebody else.
    with control, suppress(OSError):
        control.shutdown(socket.SHUT_RDWR)  # seen even if another process inherited our end
    waiting = threading.Thread(target=_collect, args=(pid,), name="tunewise-server", daemon=True)
    with suppress(RuntimeError):  # at the end of the interpreter no thread can be started
        waiting.start()
        waiting.join(None if wait else 0.0)


def _collect(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


class _Server:
    def __init__(self, control: socket.socket, study: int, job: Job) -> None:
        self._control, self._study, self._job = control, study, job
        self._supervisors: set[int] = set()

    def serve(self) -> None:
        """Give out supervisors while the study wants them, then guard those that are left."""
        os.setsid()
        gc.freeze()  # what was inherited is never collected here: its finalizers are the study's
        _forget_signal_handlers()
        process_tree.adopt_orphans()
        wake = process_tree.wake_on_child_death()
        lifeline = _lifeline(self._study)
        _preload(self._job)
        with selectors.DefaultSelector() as events:
            for descriptor in (self._control.fileno(), wake, lifeline):
                if descriptor is not None:
                    events.register(descriptor, selectors.EVENT_READ)
            while self._supervisors or self._control.fileno() >= 0:
                ready = {key.fd for key, _ in events.select()}
                if lifeline in ready:
                    break
                if self._control.fileno() in ready and not self._asked(lifeline):
                    events.unregister(self._control)
                    self._control.close()
                process_tree.empty(wake)
                self._bury()
        process_tree.end_all(set())

    def _asked(self, lifeline: int | None) -> bool:
        """Fork a supervisor; False when the study wants no more."""
        said, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        if not said:
            return False
        descriptor, guard = descriptors[0], os.getpid()

        def supervise() -> None:
            self._control.close()
            supervisor.supervise(Connection(descriptor), lifeline, guard, self._job)

        self._supervisors.add(process_tree.forked(supervise))
        os.close(descriptor)
        return True

    def _bury(self) -> None:
        """End what supervisors that are gone have left behind."""
        ended, left = process_tree.reap()
        died = self._supervisors & set(ended)
        self._supervisors -= died
        if left and (died or ended):
            process_tree.end_all(self._supervisors)


def _preload(job: Job) -> None:
    """What a job wants to have in every worker from its start, once for all of them."""
    preload = getattr(job, "preload", None)
    if preload is not None:
        try:
            preload()
        except Exception:
            return  # a trial meets the same error, and tells it


def _forget_signal_handlers() -> None:
    """Handlers of the study's program have no business here."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # server and supervisors live as long as the study


def _lifeline(study: int) -> int | None:
    """A descriptor that becomes readable when the study's process ends, where there is such."""
    lifeline = process_tree.end_of(study)
    if lifeline is not None and os.getppid() != study:
        os._exit(0)
    return lifeline
