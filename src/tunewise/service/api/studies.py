"""Studies: look, stop, resume, have a config tried, note, delete."""

from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from tunewise.errors import StudyError, TunewiseError
from tunewise.job.loading import load_study
from tunewise.report import export
from tunewise.report.file import write
from tunewise.service.api.files import FILE, TRIALS, file, report_file, storage_file
from tunewise.service.api.models import (
    After,
    Enqueue,
    Enqueued,
    Limit,
    Name,
    Said,
    StudyHead,
    StudyNotes,
    StudyOf,
    StudyPage,
    TrialPage,
)
from tunewise.service.api.paging import last
from tunewise.service.context import Context
from tunewise.service.problems import Problem
from tunewise.service.viewer import Here, Viewer, Who
from tunewise.storage.looking.listed import Listed
from tunewise.storage.sql import SqlStore
from tunewise.study.folders import delete_study as forget_study
from tunewise.study.run.control import stop_run
from tunewise.study.stored import StoredStudy

router = APIRouter(tags=["studies"])


@router.get("/studies")
def list_studies(here: Here, who: Who, after: After = None, limit: Limit = 50) -> StudyPage:
    """The tenant's studies by name."""
    store = here.store.within(who.namespace)
    rows = [_head(here, store, one) for one in store.some(after, limit)]
    return StudyPage(studies=rows, next=last([row.name for row in rows], limit))


@router.get("/studies/{name}")
def show_study(here: Here, who: Who, name: Name) -> StudyOf:
    """All about a study but its trials: what it is, who works on it, what it recommends."""
    stored = _stored(here, who, name)
    revision = stored.store.news(name, 2**31 - 1).revision
    told = export.looked_at(stored)
    told.pop("trials")
    told.pop("folder")  # a path on the machine of the service
    return StudyOf(**told, revision=revision)


@router.get("/studies/{name}/trials")
def list_trials(
    here: Here,
    who: Who,
    name: Name,
    after: Annotated[int, Query(ge=-1, lt=2**31)] = -1,
    limit: Limit = 100,
) -> TrialPage:
    """Trials in their order."""
    stored = _stored(here, who, name)
    found = here.store.within(who.namespace).some_trials(name, after, limit)
    trials = [export.described(stored, trial) for trial in found]
    return TrialPage(trials=trials, next=last([t.number for t in found], limit))


@router.get("/studies/{name}/news")
def study_news(
    here: Here, who: Who, name: Name, since: Annotated[int, Query(ge=0, lt=2**31)] = 0
) -> StudyOf:
    """The trials that were added or changed after a revision."""
    stored = _stored(here, who, name)
    news = stored.store.news(name, since)
    trials = [export.described(stored, trial) for trial in news.trials]
    told = {**export.head(stored), "revision": news.revision, "trials": trials}
    return StudyOf.model_validate(told)


@router.get("/studies/{name}/report", response_class=HTMLResponse)
def study_report(here: Here, who: Who, name: Name) -> HTMLResponse:
    """The report of a study as one page that needs nothing else."""
    stored = _stored(here, who, name)
    return report_file(lambda path: write(stored, path, self_contained=True))


@router.get("/studies/{name}/export", response_class=Response, responses=TRIALS)
def export_study(
    here: Here,
    who: Who,
    name: Name,
    form: Annotated[str, Query(pattern="^(csv|json)$")] = "csv",
) -> Response:
    """All trials of a study: a row of CSV for each, or JSON with the problem and all else."""
    stored = _stored(here, who, name)
    if form == "json":
        return file(export.as_json(stored).encode(), "application/json", "study.json")
    return file(export.as_csv(stored).encode(), "text/csv", "trials.csv")


@router.get("/studies/{name}/storage", response_class=Response, responses=FILE)
def study_storage(here: Here, who: Who, name: Name) -> Response:
    """A study as a storage of its own: a SQLite file for the commands of elsewhere."""
    _stored(here, who, name)
    return storage_file(here.store.database, who.namespace, "study", name)


@router.delete("/studies/{name}", status_code=204)
def delete_study(here: Here, who: Who, name: Name) -> None:
    """Forget a study with its trials and their logs."""
    store = _stored(here, who, name).store
    here.jobs.stop(who.namespace, name)
    forget_study(store, name, lambda count: None)
    here.sent.forget(who.namespace, name)
    here.note(who, "study deleted", name)


@router.post("/studies/{name}/stop")
def stop_study(here: Here, who: Who, name: Name) -> Said:
    """Have the runs of a study begin no more trials, and end those that run."""
    store = _stored(here, who, name).store
    waited = here.jobs.stop(who.namespace, name)
    said = stop_run(store, name, 0.0).sentence
    here.note(who, "study stopped", name)
    return Said(sentence="the job of the study was stopped" if waited else said)


@router.post("/studies/{name}/resume", status_code=202)
def resume_study(here: Here, who: Who, name: Name) -> Said:
    """Run a study again that was submitted as a job file."""
    _stored(here, who, name)
    here.refuse_jobs()
    job = here.jobs.of(who.namespace, name)
    if job is None:
        raise Problem(
            409, f"the study {name!r} was not submitted as a job file; go on where it ran"
        )
    if job.state in ("waiting", "running"):
        return Said(sentence=f"the study {name!r} is {job.state} already")
    here.jobs.submit(who.namespace, name, job.text, job.settings, who.member)
    here.note(who, "study resumed", name)
    return Said(sentence=f"the study {name!r} goes on when a worker is free")


@router.post("/studies/{name}/enqueue", status_code=201)
def enqueue_trial(here: Here, who: Who, name: Name, given: Enqueue) -> Enqueued:
    """Have a config tried next; what it does not say is drawn."""
    trial = _stored(here, who, name).put_first(given.config, given.fraction)
    here.note(who, "trial enqueued", f"{name}: trial {trial.number}")
    return Enqueued(trial=trial.number, config=trial.config, fraction=trial.fraction)


@router.post("/studies/{name}/notes")
def note_study(here: Here, who: Who, name: Name, given: StudyNotes) -> Said:
    """Keep what a person says about a study."""
    _stored(here, who, name).store.annotate(name, {"remark": given.text})
    return Said(sentence="noted")


def _stored(here: Context, who: Viewer, name: str) -> StoredStudy:
    store = here.store.within(who.namespace)
    try:
        store.load(name)
    except StudyError as error:
        raise Problem(404, str(error)) from error
    return load_study(store, name)


def _head(here: Context, store: SqlStore, one: Listed) -> StudyHead:
    record, counts = one.record, one.counts
    best: dict[str, Any] = {"objective": None, "best": None}
    with suppress(TunewiseError):  # one that cannot be understood must not hide the others
        best = here.best(store, one)
    return StudyHead(
        name=record.name,
        created_at=record.created_at or 0.0,
        strategy=record.strategy.get("name"),
        revision=one.revision,
        trials=sum(counts.values()),
        complete=counts.get("complete", 0),
        failed=counts.get("failed", 0) + counts.get("timed out", 0),
        running=counts.get("running", 0),
        spent={"cost": one.usd, "time": one.seconds},
        stopped=record.noted.stopped,
        **best,
    )
