"""A Ray of several nodes on this machine, and ways to break it."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tunewise.execution import process_tree

# A busy machine is no broken one. Ray reads this when it is imported.
os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")

SETTINGS = {
    "health_check_initial_delay_ms": 10_000,
    "health_check_timeout_ms": 20_000,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 5,
    "worker_register_timeout_seconds": 300,
    "worker_niceness": 0,
}


@contextmanager
def cluster(cpus: Sequence[int] = (1, 1)) -> Iterator[Any]:
    """A head that runs nothing, and nodes of type t2.small; nobody is connected."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": SETTINGS})
    try:
        for each in cpus:
            made.add_node(num_cpus=each, resources={"t2.small": 1})
        yield made
    finally:
        made.shutdown()


@contextmanager
def nodes(cpus: Sequence[int] = (1, 1)) -> Iterator[Any]:
    """The same, and this process is connected."""
    import ray

    with cluster(cpus) as made:
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        try:
            yield made
        finally:
            ray.shutdown()


def workers() -> list[int]:
    """The Ray workers on nodes of this process that run a task."""
    found = []
    for pid in process_tree.descendants(os.getpid()):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if command.startswith(b"ray::run"):  # named after the function of the task
            found.append(pid)
    return found


def kill_worker() -> None:
    """Kill one of them, if there is one."""
    for pid in workers()[:1]:
        os.kill(pid, signal.SIGKILL)
