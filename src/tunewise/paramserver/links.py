"""When messages between the nodes of a simulated cluster arrive: links are queues."""

import heapq

from tunewise.paramserver.machine import Machines


class Links:
    """A node sends and receives at the bandwidth of its link, and serves one message at a time."""

    def __init__(self, machines: Machines) -> None:
        """All links are free at first."""
        self._machines = machines
        self._out = [0.0] * machines.nodes
        self._in = [0.0] * machines.nodes
        self._processor = [0.0] * machines.nodes
        self._cores = [0.0] * machines.shared_cores

    def send(self, now: float, source: int, target: int, size: float, width: int = 1) -> float:
        """When a message of so many bytes has arrived; `width` links of a group share it."""
        seconds = size / self._machines.bandwidth
        left = max(now, self._out[source]) + seconds
        self._out[source] = left
        # The first byte needs the latency; the last one, the receiver's link.
        arrived = max(left + self._machines.latency, self._in[target] + seconds / width)
        self._in[target] = arrived
        return arrived

    def serve(self, now: float, node: int, values: int) -> float:
        """When a server's processor is done with a message of so many values."""
        machines = self._machines
        seconds = machines.per_message + values * machines.per_value
        done = self.compute(max(now, self._processor[node]), seconds)
        self._processor[node] = done
        return done

    def compute(self, now: float, seconds: float) -> float:
        """When work is done that begins now, or as soon as one of the shared cores is free."""
        if not self._cores:
            return now + seconds
        done = max(now, heapq.heappop(self._cores)) + seconds
        heapq.heappush(self._cores, done)
        return done
