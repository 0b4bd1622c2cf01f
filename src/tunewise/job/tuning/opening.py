"""Begins or resumes the study of a job file; a dry run is refused as the run would be."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Literal

from tunewise.errors import StudyError
from tunewise.job.fields import JobFields
from tunewise.job.jobfile import LONGEST_NAME, JobFile
from tunewise.job.kept import kept_text
from tunewise.job.tuning.places import looked_into
from tunewise.job.tuning.plan import Resumed
from tunewise.problem import Problem
from tunewise.space import Choice, Space
from tunewise.strategy import StrategySpec
from tunewise.study import Study
from tunewise.study.folders import trials_folder
from tunewise.study.opening import Opening
from tunewise.study.record import Notes
from tunewise.study.run.settings import checked_seconds
from tunewise.study.run.stopping import least_gain
from tunewise.study.warm_start import gathered, refuse_other, sources

OnChange = Literal["refuse", "new problem"]
"""What becomes of a study whose job file states another problem."""


@contextmanager
def opened(
    file: JobFile, changes: dict[str, Any], url: str, on_change: OnChange
) -> Iterator[Study]:
    """The study, with the job file kept beside its trials."""
    with Study(
        file.problem,
        file.strategy,
        file.fields.seed,
        storage=url,
        name=file.name,
        namespace=file.fields.namespace,
        warm_start=file.fields.warm_start,
        on_change=on_change,
    ) as study:
        folder = study.record.noted.folder or str(trials_folder(url, study.record))
        notes = Notes(folder=folder, job=kept_text(file.path, file.text, changes))
        study.store.annotate(study.name, notes.changed("folder", "job"))
        yield study


def limits(fields: JobFields) -> dict[str, Any]:
    """How the run goes on and when it ends, as `Study.optimize` takes it."""
    names = ("trials", "timeout", "parallel", "target", "min_gain", "min_trials", "trial_timeout")
    return {name: getattr(fields, name) for name in (*names, "retries")}


def resumed(file: JobFile, url: str, on_change: OnChange) -> Resumed | None:
    """What a run would go on from, refused as the run would be; None for a new study."""
    with closing(looked_into(url, file.fields.namespace)) as store:
        wanted = sources(file.fields.warm_start)
        if file.name not in (record.name for record in store.studies()):
            gathered(store, file.problem, file.name, wanted)
            return None
        record = store.load(file.name)
        refuse_other(record, wanted)
        opening = Opening(file.problem, file.strategy, file.fields.seed, {}, on_change)
        anew = opening.poses_anew(record)
        return Resumed(len(store.history(file.name).ended), anew)


def check_changes(changes: dict[str, Any]) -> None:
    """Refuse what is said instead of a job file's fields, not as if the file had said it."""
    if len(changes.get("name", "")) > LONGEST_NAME:
        raise StudyError(
            f"the name has {len(changes['name'])} characters; expected at most {LONGEST_NAME}"
        )
    if "strategy" in changes:
        StrategySpec.of(changes["strategy"])
    if "budget" in changes:
        Problem(Space(Choice("any", [0])), minimize="cost", budget=changes["budget"])
    if "min_gain" in changes:
        least_gain(changes["min_gain"])
    if "timeout" in changes:
        checked_seconds("timeout", changes["timeout"])
