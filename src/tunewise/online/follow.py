"""Tuning a job that is asked: run, look, switch, checkpoint, until it is done."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.execution.training.reconfigurable import (
    EVERY,
    CanBeCut,
    CountsUnkept,
    Iteration,
    KeepsItsOwn,
    Reconfigurable,
    StartedAgain,
    StartsAgain,
)
from tunewise.online.tuner import Tuner
from tunewise.space import Config


def follow(
    job: Reconfigurable,
    tuner: Tuner,
    make: Callable[[Config], Any] = dict,
    step: int = 1,
    *,
    folder: Path | None = None,
    every: float = EVERY,
    look: Callable[[Tuner], None] | None = None,
) -> None:
    """Tune a job that can be reconfigured until it is done.

    Args:
        job: The training, which runs under `tuner.setting`.
        tuner: Who decides.
        make: A setting of the job from a config of the tuner's space.
        step: Iterations to run between looks.
        folder: Where checkpoints are kept, None for nowhere; a job that keeps its own, such as a
            command, does so where and when it likes.
        every: Seconds of training between checkpoints.
        look: Called after each look, for those who show what happens.
    """
    try:
        _follow(job, tuner, make, step, folder, every, look)
    finally:
        tuner.keep()


def _follow(
    job: Reconfigurable,
    tuner: Tuner,
    make: Callable[[Config], Any],
    step: int,
    folder: Path | None,
    every: float,
    look: Callable[[Tuner], None] | None,
) -> None:
    saved, own = tuner.seconds, _Own(job, tuner)
    while not tuner.done:
        told = _run(job, tuner, make, step, own)
        kept = own.among(told)
        for number, each in enumerate(told):
            if number == kept:
                tuner.saved()
            tuner.report(
                each.loss, seconds=each.seconds, samples=each.samples, starting=each.starting
            )
        if kept == len(told):
            tuner.saved()
        own.go_back()
        if tuner.changed and not tuner.done:
            _switch(job, tuner, make, own)
        due = tuner.seconds - saved >= every or tuner.done
        if folder is not None and due and not isinstance(job, KeepsItsOwn):
            job.checkpoint(folder)
            tuner.saved()
            saved = tuner.seconds
        if look is not None:
            look(tuner)


class _Own:
    """Tells a tuner of what a job does by itself: the checkpoints that it keeps, and its starts."""

    def __init__(self, job: Reconfigurable, tuner: Tuner) -> None:
        self._job, self._tuner = job, tuner
        self._restarts = job.restarts if isinstance(job, StartsAgain) else []
        self._begun = len(self._restarts)
        self._told = self._count()

    def _count(self) -> int:
        return self._job.checkpoints if isinstance(self._job, KeepsItsOwn) else 0

    def tell(self) -> None:
        """Where there is a new one, what the tuner knows of by now is safe."""
        if self._count() > self._told:
            self._tuner.saved()
        self.passed()

    def among(self, told: list[Iteration]) -> int | None:
        """How many of these a new one holds; None where there is none.

        Where a job does not count them, it may be older than any: all before them is safe.
        """
        new = self._count() > self._told
        self.passed()
        if not new:
            return None
        unkept = self._job.unkept if isinstance(self._job, CountsUnkept) else len(told)
        return max(len(told) - unkept, 0)

    def go_back(self) -> None:
        """Where it was started again, what came after its last checkpoint is done again."""
        for seconds in self._restarts[self._begun :]:
            self._tuner.started_again(seconds)
        self._begun = len(self._restarts)

    def passed(self) -> None:
        """The tuner knows of all that there are."""
        self._told = self._count()


def _run(
    job: Reconfigurable, tuner: Tuner, make: Callable[[Config], Any], step: int, own: _Own
) -> list[Iteration]:
    """Train on; where the job fails under a setting that is being tried, take that one back."""
    if isinstance(job, CanBeCut):
        job.limit = tuner.patience
    try:
        return job.run(step)
    except ExecutionError as error:
        before = tuner.fallback
        if before is None:
            raise
        own.tell()  # the training goes on from the last one
        switch = job.switch(make(before))
        if isinstance(job, KeepsItsOwn) or tuner.course.saved is not None:
            tuner.refused(str(error), restarted=switch.seconds)
        else:  # one that has no checkpoint anywhere has nothing but itself to go on from
            tuner.refused(str(error))
            tuner.switched(frozenset(), switch.seconds)
        return []


def _switch(job: Reconfigurable, tuner: Tuner, make: Callable[[Config], Any], own: _Own) -> None:
    """Go over to the tuner's setting, or stay where that fails."""
    try:
        switch = job.switch(make(tuner.setting))
    except StartedAgain as error:
        stood = error.stood
        tuner.refused(str(error), restarted=stood.seconds, finished=stood.finished, kept=stood.kept)
        own.passed()
        return
    except ExecutionError as error:
        own.tell()
        tuner.refused(str(error))
        return
    tuner.switched(switch.kinds, switch.seconds, switch.finished, switch.kept, again=switch.again)
    if switch.kept is not None:
        own.passed()
