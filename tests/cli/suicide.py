"""Runs `tunewise` in a process that kills itself, as by `kill -9`, at a given point.

    python suicide.py POINT MOMENT COUNT tune job.yaml ...

POINT names what is about to be called, MOMENT is before or after, COUNT says at which call.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from tunewise.cli import main
from tunewise.execution import ProcessExecutor
from tunewise.storage.sql import SqlStore
from tunewise.strategy.cherrypick import CherryPick
from tunewise.strategy.random import Random
from tunewise.study import Study
from tunewise.study.loop import Loop

POINTS: dict[str, list[tuple[type, str]]] = {
    "create": [(SqlStore, "create")],
    "ask": [(Study, "next_trial")],
    "claim": [(SqlStore, "claim")],
    "suggest": [(Random, "suggest"), (CherryPick, "suggest")],
    "add": [(SqlStore, "add")],
    "recover": [(ProcessExecutor, "recover")],
    "submit": [(ProcessExecutor, "submit")],
    "wait": [(ProcessExecutor, "wait")],
    "result": [(Loop, "_tell")],
    "tell": [(SqlStore, "tell")],
    "annotate": [(SqlStore, "annotate")],
}


def die() -> None:
    """End at once: nothing is flushed, closed or cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


def arm(point: str, moment: str, count: int) -> None:
    """Have this process die at the point."""
    calls = iter(range(1, sys.maxsize))
    if point == "commit":
        event.listen(Engine, "commit", lambda connection: die() if next(calls) == count else None)
        return
    for owner, name in POINTS[point]:
        setattr(owner, name, _dying(getattr(owner, name), moment, count, calls))


def _dying(method: Callable[..., Any], moment: str, count: int, calls: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        now = next(calls) == count
        if now and moment == "before":
            die()
        result = method(*args, **kwargs)
        if now:
            die()
        return result

    return call


if __name__ == "__main__":
    _, point, moment, count, *words = sys.argv
    arm(point, moment, int(count))
    sys.argv = ["tunewise", *words]
    main()
