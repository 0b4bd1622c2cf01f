"""The cluster that a simulation stands for: nodes, cores, links, and how unsteady they are."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Machines:
    """Nodes that are alike but for their speeds, joined by one switch.

    Attributes:
        nodes: How many.
        cores: Of a node.
        bandwidth: Bytes per second of a node's link, each way.
        latency: Seconds of a message on its way.
        per_operation: Seconds of one multiplication on one core.
        serial: The share of a gradient that more threads do not speed up.
        per_message: Seconds that a server's processor needs for a pull or push of any size.
        per_value: Seconds that it needs for each value of them.
        per_iteration: Seconds of a worker's iteration beside the gradient itself.
        per_request: Seconds of a worker's iteration for each server that it asks and tells.
        per_wait: Seconds until a worker that may not run ahead hears that it may go on.
        disk: Bytes per second of a checkpoint.
        restart: Seconds until a changed system setting is in force.
        jitter: Deviation of the logarithm of compute times.
        stragglers: The share of computations that a straggler makes slow,
        slowdown: and by which factor.
        speeds: Of the nodes, where they differ; 1 is usual.
        sockets: Of a node, each with its share of the cores.
        across: By what share a gradient slows down for each socket more that its threads lie on,
        crowded: and for each thread more on the same socket, which they share the memory of.
        shared_cores: Cores that all nodes share, where they are processes of one machine; 0 where
            each node has cores of its own.
    """

    nodes: int = 36
    cores: int = 8
    bandwidth: float = 125e6
    latency: float = 1e-4
    per_operation: float = 2e-9
    serial: float = 0.1
    per_message: float = 5e-5
    per_value: float = 2e-9
    per_iteration: float = 1e-3
    per_request: float = 0.0
    per_wait: float = 0.0
    disk: float = 200e6
    restart: float = 0.5
    jitter: float = 0.1
    stragglers: float = 0.02
    slowdown: float = 4.0
    speeds: tuple[float, ...] = ()
    sockets: int = 1
    across: float = 0.0
    crowded: float = 0.0
    shared_cores: int = 0

    def compute_seconds(
        self,
        work: float,
        threads: int,
        node: int,
        rng: np.random.Generator,
        affinity: str = "none",
    ) -> float:
        """How long a gradient takes on a node, by Amdahl's law and by chance."""
        threads = min(threads, self.cores)
        speed = self.speeds[node] if self.speeds else 1.0
        alone = work * self.per_operation / speed * self._placed(threads, affinity)
        seconds = self.per_iteration + alone * (self.serial + (1 - self.serial) / threads)
        chance = float(np.exp(self.jitter * rng.standard_normal()))
        late = self.slowdown if rng.random() < self.stragglers else 1.0
        return seconds * chance * late

    def _placed(self, threads: int, affinity: str) -> float:
        """By what factor the places of threads slow a gradient down.

        Those that nobody pins come to lie on all sockets, as spread ones do.
        """
        each = max(self.cores // self.sockets, 1)
        used = -(-threads // each) if affinity == "packed" else min(threads, self.sockets)
        together = -(-threads // used)
        return 1 + self.across * (used - 1) + self.crowded * (together - 1)
