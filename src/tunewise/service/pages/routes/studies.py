"""Pages of studies: the list, one study with its charts and trials, and several side by side."""

import gzip
from shlex import quote as quoted_word
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tunewise.format import measured
from tunewise.history import Failure, Trial
from tunewise.service.context import Context
from tunewise.service.pages.render import HEADERS, PageRoute, page, shell
from tunewise.service.pages.views.charts import chart, compared
from tunewise.service.pages.views.compare import MOST, compare_view
from tunewise.service.pages.views.looks import Look, is_read, look_at
from tunewise.service.pages.views.studies import studies_view
from tunewise.service.pages.views.study import StudyView, head_of, study_view, worked_out
from tunewise.service.pages.views.trials import Asked, compare_trials, trials_view
from tunewise.service.viewer import Here, Viewer, Who
from tunewise.study.stored import StoredStudy

router = APIRouter(route_class=PageRoute)

Names = Annotated[list[str] | None, Query(alias="name", max_length=MOST)]
Word = Annotated[str, Query(max_length=200)]
PageNumber = Annotated[str, Query(alias="page", max_length=12)]
_SMALL = 1000
"""Bytes that are not worth packing."""

_LAST = 20_000
"""Characters of a log that a page shows."""


def _number(page: str) -> int:
    """The page that is asked for; what is no number means the first."""
    return max(int(page), 1) if page.isdecimal() else 1


def _look(here: Context, who: Viewer, name: str) -> Look:
    """A study of the viewer's tenant."""
    return look_at(here.store.within(who.namespace), name)


@router.get("/studies")
def studies(
    request: Request,
    here: Here,
    who: Who,
    order: Word = "newest",
    contains: Word = "",
    after: Word = "",
    page_: PageNumber = "1",
) -> Response:
    """The list."""
    at = _number(page_)
    view = studies_view(here.store.within(who.namespace), order, contains.strip(), after, at)
    return page(request, here, who, "studies.html", view=view, section="/studies")


@router.get("/studies/compare")
def compare(
    request: Request,
    here: Here,
    who: Who,
    name: Names = None,
    names: Word = "",
) -> Response:
    """Several studies side by side: ?name=a&name=b, or ?names=a,b."""
    wanted = list(dict.fromkeys([*(name or ()), *filter(None, names.split(","))]))[: MOST + 1]
    view = compare_view([_look(here, who, each) for each in wanted])
    return page(request, here, who, "compare.html", view=view, section="/studies")


@router.get("/studies/compare/chart")
def compare_chart(
    request: Request,
    here: Here,
    who: Who,
    name: Names = None,
    by: Word = "cost",
) -> Response:
    """The best so far of several studies."""
    looks = [_look(here, who, each) for each in name or ()]
    return figure(request, compared([(look.record.name, look.digest) for look in looks], by))


def _view(request: Request, here: Context, who: Viewer, look: Look) -> StudyView:
    frame = shell(request, here, who)
    name = look.record.name
    resumes = here.settings.jobs and here.jobs.of(who.namespace, name) is not None
    return study_view(look, head_of(look), frame.study(name), frame.option, resumes)


@router.get("/studies/{name}")
def study(request: Request, here: Here, who: Who, name: str) -> Response:
    """One study; of one that takes a moment to be read, first a page that says so."""
    first = "hx-request" not in request.headers
    if first and not is_read(here.store.within(who.namespace), name):
        return page(request, here, who, "study_opening.html", name=name, section="/studies")
    look = _look(here, who, name)
    view = _view(request, here, who, look)
    chosen = view.recommended.advice.trial if view.recommended else None
    trials = trials_view(look, Asked(), chosen)
    told: dict[str, Any] = {"view": view, "trials": trials, "section": "/studies"}
    return page(request, here, who, "study.html", **told)


@router.get("/studies/{name}/summary")
def summary(request: Request, here: Here, who: Who, name: str) -> Response:
    """The head of a study's page."""
    look = _look(here, who, name)
    return page(request, here, who, "study_summary.html", view=_view(request, here, who, look))


@router.get("/studies/{name}/recommended")
def recommended(request: Request, here: Here, who: Who, name: str) -> Response:
    """What the models recommend now; this may take some seconds."""
    look, frame = _look(here, who, name), shell(request, here, who)
    view: dict[str, Any] = {
        "name": name,
        "recommended": worked_out(look, frame.study(name), frame.option),
        "infeasible": None,
    }
    return page(request, here, who, "recommended.html", view=view)


@router.get("/studies/{name}/charts/{key}")
def chart_of(request: Request, here: Here, who: Who, name: str, key: str) -> Response:
    """The data of one chart."""
    return figure(request, chart(_look(here, who, name), key))


@router.get("/studies/{name}/trials")
def trials(
    request: Request,
    here: Here,
    who: Who,
    name: str,
    contains: Word = "",
    state: Word = "",
    sort: Word = "-trial",
    page_: PageNumber = "1",
) -> Response:
    """The trials: filtered, sorted, in pages."""
    look = _look(here, who, name)
    found = trials_view(look, Asked(contains.strip(), state, sort, _number(page_)))
    template = "trials.html" if "hx-request" in request.headers else "trials_page.html"
    told: dict[str, Any] = {"trials": found, "view": {"name": name}, "section": "/studies"}
    return page(request, here, who, template, **told)


@router.get("/studies/{name}/trials/compare")
def trials_compared(
    request: Request,
    here: Here,
    who: Who,
    name: str,
    trial: Annotated[list[int] | None, Query(max_length=6)] = None,
) -> Response:
    """Two trials side by side."""
    found = compare_trials(_look(here, who, name), trial or [])
    template = "compared.html" if "hx-request" in request.headers else "compared_page.html"
    told: dict[str, Any] = {"compared": found, "view": {"name": name}, "section": "/studies"}
    return page(request, here, who, template, **told)


@router.get("/studies/{name}/trials/{number}")
def trial(request: Request, here: Here, who: Who, name: str, number: int) -> Response:
    """One trial, with the end of its log."""
    look = _look(here, who, name)
    compare_trials(look, [number])  # says what is there
    one = look.glance.trials(look.id, [number])[0]
    log = StoredStudy(look.store, look.record, look.problem).log(one)
    again = {"config": one.config, "fraction": one.fraction}
    told: dict[str, Any] = {
        "name": name,
        "trial": one,
        "measured": [(n, measured(look.problem.metric(n), v)) for n, v in one.metrics.items()],
        "reason": one.outcome.reason if isinstance(one.outcome, Failure) else "",
        "again": orjson.dumps(again, default=str).decode(),
        "enqueue": _enqueued(name, one),
        "log": None if log is None else log.read_text("utf-8", "replace")[-_LAST:],
        "section": "/studies",
    }
    return page(request, here, who, "trial.html", **told)


def _enqueued(name: str, trial: Trial) -> str:
    """The command that has the config of a trial tried again."""
    words = [f"{key}={value}" for key, value in trial.config.items()]
    told = " ".join(quoted_word(each) for each in ("tunewise", "enqueue", name, *words))
    return told if trial.fraction == 1 else f"{told} --fraction {trial.fraction}"


def figure(request: Request, told: dict[str, Any]) -> Response:
    """The data of a chart as an answer, packed where the browser can unpack it."""
    body = orjson.dumps(told)
    headers = {**HEADERS, "vary": "accept-encoding"}
    if len(body) < _SMALL or "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(body, 200, headers, "application/json")
    packed = gzip.compress(body, 4, mtime=0)
    return Response(packed, 200, {**headers, "content-encoding": "gzip"}, "application/json")
