"""A process forked early, from which keepers are forked.

It inherits the job, so that lambdas and closures need no pickling, and it has a single thread, so
that forking from it is safe whatever the study's process does meanwhile.
"""

import gc
import os
import selectors
import signal
import socket
import sys
import weakref
from contextlib import suppress
from multiprocessing.connection import Connection

from tunewise.execution import keeper
from tunewise.execution.executor import Job
from tunewise.execution.forking import forked


class Nursery:
    """Gives out keepers for one job, as the job was when the nursery was made."""

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
            _serve(theirs, study, job)

        with theirs:
            try:
                pid = forked(serve)
            except OSError:
                ours.close()
                raise
        self._control = ours
        self.close = weakref.finalize(self, _close, ours, pid, study)

    def keeper(self) -> Connection:
        """A connection to a new keeper.

        Raises:
            OSError: When the nursery's process was killed.
        """
        ours, theirs = socket.socketpair()
        with ours, theirs:
            socket.send_fds(self._control, [b"k"], [theirs.fileno()])
            return Connection(ours.detach())


def _close(control: socket.socket, pid: int, study: int) -> None:
    """Let the nursery go. Its keepers stay until they are told to leave."""
    if os.getpid() != study:
        return
    # Its process may have been killed before, and even collected by somebody else.
    with control, suppress(OSError):
        control.shutdown(socket.SHUT_RDWR)  # seen even if another process inherited our end
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _serve(control: socket.socket, study: int, job: Job) -> None:
    os.setsid()
    gc.freeze()  # what was inherited is never collected here: its finalizers belong to the study
    _forget_signal_handlers()
    lifeline = _lifeline(study)
    with selectors.DefaultSelector() as events:
        events.register(control, selectors.EVENT_READ)
        if lifeline is not None:
            events.register(lifeline, selectors.EVENT_READ)
        while all(key.fd != lifeline for key, _ in events.select()):
            said, descriptors, _, _ = socket.recv_fds(control, 1, 1)
            if not said:
                return
            _fork_keeper(control, descriptors[0], lifeline, job)


def _forget_signal_handlers() -> None:
    """Handlers of the study's program have no business here."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)  # nursery and keepers live as long as the study


def _fork_keeper(control: socket.socket, descriptor: int, lifeline: int | None, job: Job) -> None:
    def keep() -> None:
        control.close()
        keeper.keep(Connection(descriptor), lifeline, job)

    forked(keep)
    os.close(descriptor)


def _lifeline(study: int) -> int | None:
    """A descriptor that becomes readable when the study's process ends, where there is such."""
    try:
        lifeline = os.pidfd_open(study)
    except (AttributeError, OSError):
        return None  # closed connections tell of the end too, if no other process holds them
    if os.getppid() != study:
        os._exit(0)
    return lifeline
