"""What every executor does alike: from what a job returned or raised to an outcome.

The contract itself lives in the study room, which comes first and knows executors only by it.
"""

import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TypeVar

from tunewise.errors import ExecutionError, TunewiseError, WrongForm, WrongJob
from tunewise.history import ITSELF, RESUMED, Failure, Measurement, Misused, Outcome, TimedOut
from tunewise.problem import Metrics
from tunewise.study.executor import Allowance, Job, TrialExecutor, checked_limit

__all__ = [
    "Allowance",
    "Job",
    "TrialExecutor",
    "checked_limit",
    "checked_workers",
    "failure_of",
    "outcome_of",
    "overrun",
    "timed",
]

_LONGEST = 500
"""Characters of an error's message that are kept in the reason of a failure."""

_PRUNES = "TrialPruned"
"""The exception by its name: it may come from Optuna, or be one of the training's own."""

_FRAMES, _LONGEST_TRACE = 8, 4000
"""The last frames, and characters, of a traceback that are kept with a failure."""

_Told = TypeVar("_Told", bound=Outcome)


def outcome_of(result: object, seconds: float) -> Outcome:
    """What a job returned after so many seconds, as an outcome.

    An empty dict says that it worked: its time is measured anyway. What is no outcome is refused in
    a sentence.
    """
    if isinstance(result, Measurement | Failure):
        return result
    if isinstance(result, Mapping):
        if not result:
            return Measurement({"time": seconds})
        return timed(Measurement.of(result), seconds)
    raise WrongForm(
        f"the job returned {_short(repr(result))}; expected a dict of metrics such as"
        ' {"accuracy": 0.9}, a Measurement or a Failure'
    )


def failure_of(error: BaseException) -> Failure:
    """An error as a failure: its type, message and place, or our own sentence as it stands.

    A training that was written for Optuna says by an exception that it prunes itself.
    """
    if any(kind.__name__ == _PRUNES for kind in type(error).__mro__):
        return TimedOut(f"{ITSELF} raised {type(error).__name__}")
    if isinstance(error, TunewiseError):
        kind = Misused if isinstance(error, WrongJob) else Failure
        return kind(_short(str(error)))
    message = _short(str(error))
    said = f"{type(error).__name__}: {message}" if message else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return Failure(said)
    last = frames[-1]
    code = f": {last.line}" if last.line else ""
    place = f"{Path(last.filename).name} line {last.lineno}, in {last.name}{code}"
    return Failure(f"{said} ({place})\n{_traced(error)}")


def _traced(error: BaseException) -> str:
    """The end of the error's traceback, without our own frames before those of the job."""
    frames = error.__traceback__
    while frames is not None and _is_ours(frames.tb_frame):
        frames = frames.tb_next
    kept = frames or error.__traceback__
    lines = "".join(traceback.format_exception(type(error), error, kept, limit=-_FRAMES)).rstrip()
    return lines[-_LONGEST_TRACE:]


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("tunewise.")


def timed(outcome: _Told, seconds: float) -> _Told:
    """The outcome with its time, unless the job measured that itself.

    What a measurement went on from, as it says itself, has taken time before; whether that was
    paid for is not known here, so both parts are kept. A failure is booked by the clock alone.
    """
    if "time" in outcome.metrics:
        return outcome
    told = {**outcome.metrics, "time": seconds}
    resumed = told.get(RESUMED, 0.0)
    if isinstance(outcome, Measurement) and resumed > 0:
        return replace(outcome, metrics={**told, "time": seconds + resumed}, clocked=seconds)
    if not isinstance(outcome, Measurement):
        told.pop(RESUMED, None)
    return replace(outcome, metrics=told)


def overrun(limit: float, metrics: Metrics | None = None) -> TimedOut:
    """The failure of a trial that reached its time limit."""
    return TimedOut(f"time limit of {limit:g} s reached", metrics or {})


MOST = 100_000
"""Trials at once that an executor takes: a slip of the keyboard shall not fill the memory."""


def checked_workers(workers: int) -> int:
    """How many trials may run at once: a whole number from 1 to `MOST`."""
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= MOST:
        raise ExecutionError(
            f"workers is {workers!r}; expected a whole number, 1 or above, up to {MOST:,}"
        )
    return workers


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
