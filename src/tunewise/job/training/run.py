"""Runs the training of a job file: begins it or goes on, and says how it ended."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.job.training import workload
from tunewise.job.training.file import TrainFile
from tunewise.job.training.outcome import validated, write_model
from tunewise.online import Tuner, follow
from tunewise.problem import quantity
from tunewise.storage import open_store
from tunewise.storage.secrets import stated


def tuner_of(file: TrainFile, url: str) -> Tuner:
    """What tunes the training, with what happened so far."""
    return Tuner(
        file.space,
        file.until,
        default=file.default,
        each=workload.each(file),
        together=workload.together(file),
        price=file.saved_price,
        deadline=file.deadline,
        classify=workload.kinds(file),
        manager=file.manager,
        storage=open_store(url).within(file.fields.namespace or ""),
        name=file.name,
        transfer=file.fields.transfer,
        tries=file.fields.tries,
        seed=file.fields.seed or 0,
    )


def train(
    file: TrainFile,
    tuner: Tuner,
    folder: Path,
    look: Callable[[Tuner], None],
    output: Path | None = None,
) -> dict[str, float] | None:
    """Train until it is done: what the model is worth on rows that it has not seen.

    Who looks is told of every report. The model is written to `output`, where that is wanted.
    """
    make, every = workload.maker(file), quantity(file.fields.checkpoint, "time")
    with ExitStack() as ending:
        job = workload.begin(file, tuner.setting, folder, ending)
        if tuner.iterations:
            if not job.restore(folder):
                tuner.lost()
            # A checkpoint may be of another setting than the last one.
            job.switch(make(tuner.setting))
        follow(job, tuner, make, folder=folder, every=every, look=look)
        if file.fields.paramserver is None:
            return None
        values = job.values  # type: ignore[attr-defined] # of a simulation, and on Ray
        if output is not None:
            write_model(file, output, values)
        return validated(file, values)


def place(said: str | None, file: TrainFile) -> str | None:
    """A path of the job file, from its folder; a URL as it is."""
    said = None if said is None else stated(said, file.path.parent)
    if said is None or "://" in said:
        return said
    return str(file.path.parent / said)


def planned(file: TrainFile) -> dict[str, Any]:
    """What would be run."""
    return {
        "name": file.name,
        "settings": file.space.size,
        "until": str(file.until),
        "minimize": file.fields.minimize,
        "deadline": file.deadline,
        "first": file.first,
    }


def ended(
    file: TrainFile, tuner: Tuner, spent: float | None, validation: dict[str, float] | None
) -> dict[str, Any]:
    """The event that a training is done, for so many USD; refused where it is not."""
    if not tuner.done:
        raise ExecutionError(f"the training {file.name!r} stopped before it was done")
    return {
        "event": "end",
        "done": True,
        "seconds": tuner.seconds,
        "iterations": tuner.iterations,
        "setting": tuner.setting,
        "switches": len(tuner.switches) - 1,
        "staying": float(tuner.staying.mean),
        "cost": spent,
        "deadline": file.deadline,
        "missed": file.deadline is not None and tuner.seconds > file.deadline,
        "validation": validation,
    }
