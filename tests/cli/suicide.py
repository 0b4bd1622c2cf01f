"""Runs `tunewise` in processes that kill themselves, as by `kill -9`, at a given point.

Reads lines of JSON: [FOLDER, POINT, MOMENT, COUNT, WORD...]. POINT names what is called, MOMENT is
before or after, COUNT says at which call; with a POINT of null it lives. For each line a process is
forked, its pid printed, and when it has ended its exit code. This is quicker than starting the
command anew, for everything is imported already; each process opens the storage and runs trials by
itself.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from tunewise.cli import main
from tunewise.execution import ProcessExecutor
from tunewise.storage.sql import SqlStore
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.random import Random
from tunewise.study import Study
from tunewise.study.run.loop import Loop

IMPORTED_LATE = ("rich.table", "scipy.optimize", "scipy.stats", "tunewise.report.text")

POINTS: dict[str, list[tuple[type, str]]] = {
    "create": [(SqlStore, "create")],
    "ask": [(Study, "next_trial")],
    "claim": [(SqlStore, "claim")],
    "suggest": [(Random, "suggest"), (ModelBased, "suggest")],
    "add": [(SqlStore, "add")],
    "recover": [(ProcessExecutor, "recover")],
    "submit": [(ProcessExecutor, "start")],
    "wait": [(ProcessExecutor, "wait")],
    "result": [(Loop, "_told")],
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


def _dying(
    method: Callable[..., Any], moment: str, count: int, calls: Iterator[int]
) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        now = next(calls) == count
        if now and moment == "before":
            die()
        result = method(*args, **kwargs)
        if now:
            die()
        return result

    return call


def live(folder: str, point: str | None, moment: str, count: int, *words: str) -> int:
    """The life of one forked process, to its end."""
    os.chdir(folder)
    if point is not None:
        arm(point, moment, count)
    sys.argv = ["tunewise", *words]
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    try:
        main()
    except SystemExit as leave:
        return int(leave.code or 0)
    return 0


def fork_for(line: str) -> int:
    """Fork a process that does what the line says; returns its pid."""
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            code = live(*json.loads(line))
        finally:
            os._exit(code)
    return pid


if __name__ == "__main__":
    for module in (*IMPORTED_LATE, "tunewise.cli.tuning.run"):
        import_module(module)
    for line in sys.stdin:
        child = fork_for(line)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
