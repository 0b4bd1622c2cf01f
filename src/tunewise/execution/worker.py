"""The process in which a job runs: one trial, one worker, a session of its own."""

import faulthandler
import os
import pickle
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np

from tunewise.execution import messages, process_tree, result
from tunewise.execution.executor import Job, failure_of, outcome_of, timed
from tunewise.execution.running_trial import RunningTrial, reporting
from tunewise.history import Failure, Outcome
from tunewise.study.executor import Report

_KILL_ME_FIRST = "1000"
"""The kernel ends whoever has the highest score when memory runs out: the job, not the study."""


@dataclass(frozen=True)
class Workplace:
    """Where a trial runs: its folder for logs and results, if it has one."""

    folder: Path | None


_workplace: Workplace | None = None


def workplace() -> Workplace | None:
    """The workplace of the running trial; None outside of a worker."""
    return _workplace


def work(
    job: Job,
    trial: bytes,
    identity: dict[str, Any] | None,
    folder: Path | None,
    pipe: int,
    printed: int | None,
) -> None:
    """Run the job on a pickled trial; keep its outcome in the folder, then write it to the pipe.

    Without the trial's `identity` nothing is kept.
    What it prints goes to the descriptor `printed`, where there is one.
    """
    global _workplace  # noqa: PLW0603 - a process has one workplace, as it has one standard output
    _workplace = Workplace(folder)
    _settle(printed)

    def report(said: Report) -> None:
        messages.write(pipe, messages.reported(said))

    with reporting(report):
        outcome = _run(job, trial)
    if folder is not None and identity is not None:
        result.keep(folder, identity, outcome)
    messages.write(pipe, messages.ended(outcome))
    for stream in (sys.stdout, sys.stderr):
        _flush(stream)


def _run(job: Job, pickled: bytes) -> Outcome:
    start = time.perf_counter()
    try:
        trial = RunningTrial.of(pickle.loads(pickled))
        start = time.perf_counter()
        returned = job(trial)
        outcome = outcome_of(returned, time.perf_counter() - start)
    except SystemExit as leave:
        outcome = Failure(f"the job left with exit({leave.code!r}) before it returned a result")
    except BaseException as error:
        traceback.print_exc()
        outcome = failure_of(error)
    return timed(outcome, time.perf_counter() - start)


def _settle(printed: int | None) -> None:
    """Become a good place for a job: nothing of the study's process shines through."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    _offer_to_the_kernel()
    _redirect(printed)
    faulthandler.disable()  # a library of the study may have taken the signals over since
    faulthandler.enable(file=2)
    # Every worker is a copy of one process: without this, all trials would draw the same numbers.
    np.random.seed()


def _offer_to_the_kernel() -> None:
    try:
        (process_tree.PROC / "self" / "oom_score_adj").write_text(_KILL_ME_FIRST)
    except OSError:
        return  # no such thing on this system: the memory limit has to do


def _redirect(printed: int | None) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = _stream(0, "r")
    if printed is None:
        return
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.close(printed)
    sys.stdout, sys.stderr = _stream(1, "w"), _stream(2, "w")


def _stream(descriptor: int, mode: Literal["r", "w"]) -> TextIO:
    """Line by line, so that what was printed before a crash is in the log."""
    return open(
        descriptor, mode, buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )


def _flush(stream: TextIO | None) -> None:
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        return  # the job closed it, or the disk is full: the result is out already
