"""Tuning a job that is asked: run, look, switch, checkpoint, until it is done."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.online.reconfigurable import Iteration, KeepsItsOwn, Reconfigurable
from tunewise.online.tuner import Tuner
from tunewise.space import Config

_EVERY = 30.0
"""Seconds between checkpoints."""


def follow(
    job: Reconfigurable,
    tuner: Tuner,
    make: Callable[[Config], Any] = dict,
    step: int = 1,
    *,
    folder: Path | None = None,
    every: float = _EVERY,
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
    saved = tuner.seconds
    while not tuner.done:
        kept = _kept(job)
        told = _run(job, tuner, make, step)
        if _kept(job) > kept:  # somewhere among what was told: all before it is safe
            tuner.saved()
        for each in told:
            tuner.report(each.loss, seconds=each.seconds, samples=each.samples)
        if tuner.changed and not tuner.done:
            _switch(job, tuner, make)
        due = tuner.seconds - saved >= every or tuner.done
        if folder is not None and due and not isinstance(job, KeepsItsOwn):
            job.checkpoint(folder)
            tuner.saved()
            saved = tuner.seconds
        if look is not None:
            look(tuner)


def _kept(job: Reconfigurable) -> int:
    """Checkpoints that a job told of by itself."""
    return job.checkpoints if isinstance(job, KeepsItsOwn) else 0


def _run(
    job: Reconfigurable, tuner: Tuner, make: Callable[[Config], Any], step: int
) -> list[Iteration]:
    """Train on; where the job fails under a setting that is being tried, take that one back."""
    try:
        return job.run(step)
    except ExecutionError as error:
        before = tuner.fallback
        if before is None:
            raise
        switch = job.switch(make(before))
        tuner.refused(str(error), restarted=switch.seconds)
        return []


def _switch(job: Reconfigurable, tuner: Tuner, make: Callable[[Config], Any]) -> None:
    """Go over to the tuner's setting, or stay where that fails."""
    try:
        switch = job.switch(make(tuner.setting))
    except ExecutionError as error:
        tuner.refused(str(error))
        return
    tuner.switched(switch.kinds, switch.seconds, switch.finished)
