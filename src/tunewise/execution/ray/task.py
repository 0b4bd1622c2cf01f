"""What runs in a Ray worker: hands a trial to a node process beside it, and passes on its news."""

import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection

from tunewise.execution.ray.node import Order, Said
from tunewise.history import Cancelled

_NODE = "from tunewise.execution.ray.node import main; main()"
"""Not `-m`: what it sends would be of classes that nobody else knows."""

_LOOK = 0.1
"""Seconds between looks at whether Ray wants the task to end."""


class _Neighbour:
    """The node process of this Ray worker."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        path = os.pathsep.join(place for place in sys.path if place)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _NODE, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,
            )
        self.channel = Connection(ours.detach())

    def close(self) -> None:
        """End it, and with it whatever it runs."""
        self.channel.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=10)


_neighbour: _Neighbour | None = None


def run(order: bytes, job: bytes) -> Iterator[bytes]:
    """Pickled `Said`s of a trial, from its start (which says nothing) to its outcome."""
    global _neighbour  # noqa: PLW0603 - a Ray worker runs one task at a time
    if _neighbour is None or _neighbour.process.poll() is not None:
        _neighbour = _Neighbour()
    channel, ended = _neighbour.channel, False
    try:
        channel.send_bytes(pickle.dumps((job, pickle.loads(order))))
        yield pickle.dumps(Said())
        while not ended:
            if channel.poll(_LOOK):
                message = channel.recv_bytes()
                ended = pickle.loads(message).outcome is not None
                yield message
    except KeyboardInterrupt:
        # This is how Ray cancels: the trial is asked to end, and gone when the task is.
        ended = _ended(channel, pickle.loads(order))
        raise
    finally:
        if not ended:
            _neighbour.close()
            _neighbour = None


def _ended(channel: Connection, order: Order) -> bool:
    """Ask the trial to end; whether it has."""
    with suppress(EOFError, OSError):
        channel.send_bytes(pickle.dumps((Cancelled("stopped"), False)))
        while channel.poll(order.grace + 10):
            if pickle.loads(channel.recv_bytes()).outcome is not None:
                return True
    return False
