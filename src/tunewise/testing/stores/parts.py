"""What the tests of stores are made of: owners, leases, a difficult config."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from tunewise.history import (
    Measurement,
    Outcome,
    Preempted,
    Trial,
)
from tunewise.space import Config
from tunewise.study import Owner, Store

MakeStore = Callable[[], Store]

LONG = 600.0
"""A lease that does not end during a test."""

SHORT = 0.05
"""A lease that ends during a test."""

DIFFICULT: Config = {
    "größe": "t2.small ☃ \U0001f600 \x00 \\u0000 'quoted\" \n",
    "tiny": 1e-308,
    "smallest": 5e-324,
    "sum": 0.1 + 0.2,
    "large": 1e22,
    "whole": 1.0,
    "negative zero": -0.0,
    "exact": 2**53 + 1,
    "huge": 10**30,
    "nothing": None,
    "yes": True,
    "one": 1,
    "layers": [64, [32, 16.0]],
    "tuple": (64, (32, "a"), [1]),
    "nested": {"a": {"b": (None,)}},
    "": "",
}
"""A config that a careless encoding changes."""

MEASURED = Measurement(
    {"accuracy": 0.1 + 0.2, "time": 12.0, "cost": 1e-308},
    snapshots={1 / 60: {"accuracy": 0.5}, 0.1: {"accuracy": 0.62, "time": 1.5}},
    deviations={"accuracy": 0.01},
)


def far_owner(name: str = "worker") -> Owner:
    """A worker on another machine: nobody here can know whether it lives."""
    return Owner("far-away", 1, 1, name)


@cache
def dead_owner() -> Owner:
    """A worker on this machine whose process has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return replace(Owner.here(), pid=process.pid, born=1)


def asked(store: Store, owner: Owner, config: Config | None = None, lease: float = LONG) -> Trial:
    """A new trial of the study "s", running under the owner's lease."""
    with store.asking("s", owner):
        return store.add("s", config or {"x": 1}, 1.0, (), owner, lease)


def added(store: Store, config: Config | None = None) -> Trial:
    """A new trial of the study "s" that waits."""
    return store.add("s", config or {"x": 1}, 1.0, (), None, LONG)


def lost_attempt(trial: Trial, seconds: float) -> Outcome:
    """What an attempt had cost, at 2 USD a second."""
    return Preempted("its worker is gone", {"time": seconds, "cost": 2 * seconds})
