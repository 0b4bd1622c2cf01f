"""What runs in a Ray worker: hands a trial to a node process beside it, and passes on its news."""

import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from tunewise.execution.ray.node import Order, Said, Variables
from tunewise.history import Cancelled

_NODE = "from tunewise.execution.ray.node import main; main()"
"""Not `-m`: what it sends would be of classes that nobody else knows."""

_LOOK = 0.1
"""Seconds between looks at whether Ray wants the task to end."""


class _Neighbour:
    """The node process of this Ray worker."""

    def __init__(self) -> None:
        self._env, self._job = dict(os.environ), ""
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

    def give(self, order: Order, job: Any) -> None:
        """Let it run a trial; the job is fetched from the cluster when it has another one."""
        import ray

        sent = None if order.job == self._job else ray.get(job)
        self._job = order.job
        news = replace(order, env={**self._changed(), **order.env})
        self.channel.send_bytes(pickle.dumps((sent, news)))

    def _changed(self) -> Variables:
        """What Ray changed in the environment since, such as the GPUs that are this task's."""
        names = {**self._env, **os.environ}
        return {n: now for n in names if (now := os.environ.get(n)) != self._env.get(n)}

    def close(self) -> None:
        """End it, and with it whatever it runs."""
        self.channel.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=10)


_neighbour: _Neighbour | None = None


def run(pickled: bytes, job: list[Any]) -> Iterator[bytes]:
    """Pickled `Said`s of a trial, from its start (which says where) to its outcome.

    The reference of the job comes in a list, so that Ray does not fetch it for each trial.
    """
    import ray

    global _neighbour  # noqa: PLW0603 - a Ray worker runs one task at a time
    if _neighbour is None or _neighbour.process.poll() is not None:
        _neighbour = _Neighbour()
    order: Order = pickle.loads(pickled)
    channel, ended = _neighbour.channel, False
    try:
        _neighbour.give(order, job[0])
        yield pickle.dumps(Said(node=ray.get_runtime_context().get_node_id()))
        while not ended:
            if channel.poll(_LOOK):
                message = channel.recv_bytes()
                ended = pickle.loads(message).outcome is not None
                yield message
    except KeyboardInterrupt:
        # This is how Ray cancels: the trial is asked to end, and gone when the task is.
        ended = ended or _ended(channel, order)
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
