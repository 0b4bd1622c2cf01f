"""One trial of a study, with the end of its log, for terminals."""

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.format import measured, value
from tunewise.history import Failure, Trial
from tunewise.problem import Problem
from tunewise.report.standing import label, standing
from tunewise.report.terminal import lines
from tunewise.study.stored import StoredStudy

if TYPE_CHECKING:
    from rich.console import RenderableType

_LOG_LINES = 20
_LONGEST_LINE = 1000
"""Characters of a line of a log that are shown: a progress bar may write megabytes into one."""


def shown(study: StoredStudy, trial: Trial) -> "Iterator[RenderableType]":
    """All that is known of a trial."""
    from rich.text import Text

    yield lines.facts(facts(study.problem, trial))
    log = study.log(trial)
    if log is not None:
        end = tail(log)
        yield Text(f"\n{log}" + ("" if end else " is empty"), "dim")
        yield from map(Text, end)


def facts(problem: Problem, trial: Trial) -> list[tuple[str, str]]:
    """What is known of a trial, each by its name."""
    told = [("trial", f"{trial.number}, {trial.status}" + ", enqueued" * trial.enqueued)]
    told += [(name, value(v)) for name, v in trial.config.items()]
    told += [(problem.resource, problem.amount(trial.fraction))] if trial.fraction != 1 else []
    told += [(k, measured(problem.metric(k), v)) for k, v in trial.metrics.items()]
    if trial.measurement is not None and problem.constraints:
        told.append(("limits", label(problem, standing(problem, trial))))
    if trial.lost:
        lost = (measured(problem.metric(k), v) for k, v in trial.lost.items())
        told.append(("lost", f"{' and '.join(lost)} in earlier attempts"))
    if isinstance(trial.outcome, Failure):
        told.append(("reason", trial.outcome.reason))
    times = (("asked", trial.asked_at), ("told", trial.told_at))
    return [*told, *((name, _clock(at)) for name, at in times if at is not None)]


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def tail(log: Path) -> list[str]:
    """The last lines of a log, each with its end: that is where a progress bar stands by now."""
    with log.open(encoding="utf-8", errors="replace") as read:
        return [_bounded(line.rstrip("\n")) for line in deque(read, _LOG_LINES)]


def _bounded(line: str) -> str:
    left_out = len(line) - _LONGEST_LINE
    return line if left_out <= 0 else f"…({left_out:,} characters)…{line[left_out:]}"
