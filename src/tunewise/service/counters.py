"""What is counted for Prometheus: of each process, or of all that share a folder."""

import os
from functools import lru_cache

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder in which several processes count together."""

_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


class Counters:
    """Requests and how long they took, by route: paths would name people's things."""

    def __init__(self) -> None:
        """Nothing is counted yet."""
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("tunewise_requests", "Requests.", labels, registry=self._registry)
        self._seconds = Histogram(
            *("tunewise_request_seconds", "Seconds until the answer began.", ("method", "route")),
            buckets=_SECONDS,
            registry=self._registry,
        )

        self._of = lru_cache(1000)(self._requests.labels)
        self._took = lru_cache(1000)(self._seconds.labels)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._of(method, route, str(status)).inc()
        self._took(method, route).observe(seconds)

    def gathered(self) -> CollectorRegistry:
        """Of all processes, where several count together."""
        if FOLDER not in os.environ:
            return self._registry
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return registry
