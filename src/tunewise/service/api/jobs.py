"""Job files that are submitted, to be run by a worker of the service."""

import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from tunewise.errors import JobFileError, TunewiseError
from tunewise.job.jobfile import JobFile, parse
from tunewise.job.tuning.opening import check_changes
from tunewise.job.tuning.sending import MOST_BYTES
from tunewise.job.workload import check
from tunewise.service.api.models import JobOf, Name, NewJob
from tunewise.service.api.uploads import Uploaded, kept
from tunewise.service.context import Context
from tunewise.service.problems import Problem
from tunewise.service.viewer import Here, Viewer, Who
from tunewise.storage.accounts import JobRow

router = APIRouter(tags=["jobs"])

MOST_OPEN = 20
"""Jobs of one tenant that wait or run."""

_CHANGES = frozenset(("trials", "timeout", "min_gain", "parallel", "budget", "strategy", "seed"))
_OURS = ("storage", "namespace", "report", "warm_start")
"""Fields that say where results go, which is the service's to say."""


@router.post("/jobs", status_code=202)
def submit_job(here: Here, who: Who, given: NewJob) -> JobOf:
    """Check a job file and keep it for the next worker; `GET /jobs/{name}` says how it goes."""
    here.refuse_jobs()
    file = _checked(here, who, given)
    if here.jobs.open(who.namespace) >= MOST_OPEN:
        raise Problem(409, f"{MOST_OPEN} jobs wait or run already; expected fewer")
    if given.files:
        here.check_space(who.namespace, sum(map(len, given.files.values())))
    here.sent.keep(who.namespace, file.name, given.files)
    here.jobs.submit(who.namespace, file.name, given.text, given.changes, who.member)
    here.note(who, "job submitted", file.name)
    return _job(_found(here, who, file.name))


@router.get("/jobs/{name}")
def show_job(here: Here, who: Who, name: Name) -> JobOf:
    """How the last job of a study goes."""
    return _job(_found(here, who, name))


def _checked(here: Context, who: Viewer, given: NewJob) -> JobFile:
    strange = sorted(set(given.changes) - _CHANGES)
    if strange:
        raise Problem(422, f"{strange[0]!r:.60} cannot be changed; expected {sorted(_CHANGES)}")
    changes = {**given.changes, **({} if given.name is None else {"name": given.name})}
    check_changes(changes)
    file = _parsed(given, changes)
    for field in _OURS:
        if getattr(file.fields, field, None):
            raise Problem(
                422, f"the job file says {field!r}, which the service decides; leave it out"
            )
    if file.fields.name is None:
        raise Problem(422, "the job has no name; write `name: …` into the job file")
    if "/" in file.name or file.name in (".", "..", "compare"):
        raise Problem(422, f"the job is called {file.name!r:.60}; expected a name without '/'")
    tenant = here.tenants.find(who.namespace)
    if tenant is not None and tenant.usd is not None and file.problem.budget is None:
        raise Problem(422, "the tenant has a quota in USD, so the job file needs a budget")
    return file


def _parsed(given: NewJob, changes: dict[str, Any]) -> JobFile:
    """The job file, as it will stand in a folder of its own with the files that it brought."""
    bytes_of = sum(map(len, given.files.values()))
    if bytes_of > MOST_BYTES:
        raise Problem(413, f"{bytes_of:,} bytes of files; expected at most {MOST_BYTES:,}")
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        sent = [Uploaded(name, BytesIO(content)) for name, content in given.files.items()]
        for each in sent:
            kept(Path(folder), each)
        path = Path(folder, "job.yaml")
        path.write_text(given.text, encoding="utf-8")
        try:
            return parse(given.text, path, changes, (check,))
        except TunewiseError as error:
            raise JobFileError(str(error).replace(f"{folder}/", "").replace(folder, ".")) from error


def _found(here: Context, who: Viewer, name: str) -> JobRow:
    found = here.jobs.of(who.namespace, name)
    if found is None:
        raise Problem(404, f"there is no job of a study {name!r}")
    return found


def _job(row: JobRow) -> JobOf:
    return JobOf(study=row.name, state=row.state, said=row.said, created_at=row.created_at)
