"""A study's page: what it found, what it costs, and what is recommended."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tunewise.format import MISSING, measured, money, percent
from tunewise.history import TrialState
from tunewise.report.charts.importance import FEWEST
from tunewise.report.failures import FailureGroup, failures
from tunewise.report.overview import Advice, Overview, overview
from tunewise.service.pages.views.looks import Look
from tunewise.service.pages.views.studies import state_of
from tunewise.storage.looking.glance import StudyHead
from tunewise.strategy.strategy import Recommendation

ROLES = {
    TrialState.COMPLETE: "keeps",
    TrialState.FAILED: "failed",
    TrialState.PREEMPTED: "preempted",
    TrialState.CANCELLED: "partial",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "partial",
}


@dataclass(frozen=True)
class Panel:
    """A chart behind a tab: what the tab says, where the data are, what it shows."""

    name: str
    src: str
    about: str


@dataclass(frozen=True)
class NamedChart:
    """A chart with a heading of its own."""

    title: str
    src: str
    about: str


@dataclass(frozen=True)
class Recommended:
    """What to deploy, and how that is known.

    Attributes:
        advice: The config and what to expect of it.
        source: Where it comes from, in a sentence.
        outdated: Whether the models may know better by now.
        as_json: The config for a file.
        command: What runs it.
        python: What runs it, in Python.
    """

    advice: Advice
    source: str
    outdated: bool
    as_json: str
    command: str
    python: str


@dataclass(frozen=True)
class StudyView:
    """All of a study's page but its list of trials and the data of its charts."""

    name: str
    goal: str
    objective: str
    limits: Sequence[str]
    budget: float | None
    strategy: str
    seed: int
    created_at: float | None
    state: str
    role: str
    stopped: str | None
    problems: Sequence[str]
    spent: str
    spent_time: float
    spent_share: str
    levels: Sequence[tuple[str, float]]
    counts: Sequence[tuple[str, str, int]]
    trials: int
    asked: Sequence[tuple[str, str]]
    recommended: Recommended | None
    infeasible: str | None
    best: Sequence[Panel]
    plane: Sequence[Panel]
    limit_charts: Sequence[NamedChart]
    parameters: Sequence[NamedChart]
    several: Sequence[Panel]
    importance: NamedChart | None
    what_if: NamedChart | None
    failures: Sequence[FailureGroup]
    remark: str
    sampled: str
    enqueue_example: str
    fractions: Sequence[float]
    can_resume: bool


def study_view(
    look: Look, head: StudyHead, opens: str, option: str = "", can_resume: bool = False
) -> StudyView:
    """What a page shows of a study."""
    problem, digest = look.problem, look.digest
    given = look.noted or look.measured
    seen = overview(problem, look.sample, given)
    state, role = state_of(head, {s.value: n for s, n in digest.counts.items()})
    cost, time = float(digest.spent("cost").sum()), float(digest.spent("time").sum())
    root = f"/studies/{quoted(head.name)}/charts"
    return StudyView(
        name=head.name,
        goal=seen.goal,
        objective=problem.objective,
        limits=seen.limits,
        budget=problem.budget,
        strategy=head.strategy,
        seed=look.record.seed,
        created_at=head.created_at,
        state=state,
        role=role,
        stopped=head.stopped,
        problems=[f"from trial {p.since} on" for p in look.record.noted.problems],
        spent=money(cost),
        spent_time=time,
        spent_share=f"{percent(cost / problem.budget)} of the budget used"
        if problem.budget
        else "no budget set",
        levels=_levels(look, cost),
        counts=[(s.value, ROLES[s], n) for s, n in digest.counts.items()],
        trials=len(digest),
        asked=_asked(look, seen),
        recommended=recommended(look, seen, opens, option),
        infeasible=seen.infeasible,
        best=_best(look, root),
        plane=_plane(look, root),
        limit_charts=_limits(look, root),
        parameters=[
            NamedChart(p.name, f"{root}/parameter-{i}", f"{problem.objective} against {p.name}")
            for i, p in enumerate(problem.space.parameters)
        ],
        several=_several(look, root),
        importance=_importance(look, root),
        what_if=_what_if(look, root),
        failures=failures(look.sample)[:12],
        remark=str(look.record.notes.get("remark") or ""),
        sampled=""
        if look.is_whole
        else f"Charts show {len(look.sample):,} of {len(digest):,} trials, evenly spread.",
        enqueue_example=json.dumps(_example(look), default=str),
        fractions=problem.fractions,
        can_resume=can_resume,
    )


def quoted(name: str) -> str:
    """A name as a part of an address."""
    return quote(name, safe="")


def recommended(look: Look, seen: Overview, opens: str, option: str) -> Recommended | None:
    """What to deploy, as far as is known without a model."""
    if seen.advice is None:
        return None
    source = "The last run recommended this." if look.noted else "The best that was measured."
    return told(look, seen.advice, source, look.noted is None, opens, option)


def worked_out(look: Look, opens: str, option: str) -> Recommended | None:
    """What the models recommend now."""
    given: Recommendation | None = look.worked_out
    advice = overview(look.problem, look.sample, given).advice if given else None
    if advice is None:
        return None
    return told(look, advice, "The models recommend this now.", False, opens, option)


def told(
    look: Look, advice: Advice, source: str, outdated: bool, opens: str, option: str
) -> Recommended:
    """Advice, with what runs it."""
    job = look.record.noted.job
    file = shlex.quote(job.path) if job else "job.yaml"
    chosen = " ".join(shlex.quote(f"{k}={v}") for k, v in advice.config.items())
    command = f"tunewise show {shlex.quote(look.record.name)}{option} --json"
    if job is not None and "--server" not in option:
        command = f"tunewise enqueue {shlex.quote(look.record.name)} {chosen}{option}"
        command += f"\ntunewise tune {file} --trials 1"
    python = f"{opens}\ntrain(study.recommendation.config)"
    as_json = json.dumps(advice.config, default=str)
    return Recommended(advice, source, outdated, as_json, command, python)


def _levels(look: Look, cost: float) -> list[tuple[str, float]]:
    """The share of the budget, or of what was spent, that went to trials of each state."""
    whole = max(cost, look.problem.budget or 0.0) or 1.0
    spent = look.digest.spent("cost")
    return [(ROLES[s], float(spent[look.digest.of(s)].sum()) / whole) for s in look.digest.counts]


def _asked(look: Look, seen: Overview) -> list[tuple[str, str]]:
    facts = [("data used", ", ".join(seen.fractions))] if seen.fractions else []
    return facts + [(p.name, p.range) for p in look.problem.space.parameters]


def _best(look: Look, root: str) -> list[Panel]:
    efforts = [e for e in ("cost", "time") if float(look.digest.spent(e).sum()) > 0] + ["trials"]
    if not look.digest.measured.any():
        return []
    best, metric = look.digest.best, look.problem.metrics[look.problem.objective]
    values = look.digest.column(look.problem.objective)
    reached = MISSING if best is None else measured(metric, float(values[best]))
    about = f"Best {metric.name} so far: {reached}"
    return [Panel(f"by {e}", f"{root}/best-{e}", f"{about}, by {e}") for e in efforts]


def _plane(look: Look, root: str) -> list[Panel]:
    names = [n for n in ("cost", "time") if n != look.problem.objective]
    known = [n for n in names if float(look.digest.spent(n).sum()) > 0]
    return [
        Panel(f"by {n}", f"{root}/plane-{n}", f"All trials by {look.problem.objective} and {n}")
        for n in known
    ]


def _limits(look: Look, root: str) -> list[NamedChart]:
    if not look.problem.constraints or not look.digest.measured.any():
        return []
    kept = int(look.digest.keeps.sum()), int(look.digest.measured.sum())
    said = f"{percent(kept[0] / kept[1])} of {kept[1]:,} trials kept all limits"
    charts = [
        NamedChart(look.problem.limit(c), f"{root}/margin-{i}", f"measured {c.metric} by trial")
        for i, c in enumerate(look.problem.constraints)
    ]
    return [*charts, NamedChart(said, f"{root}/share", said)]


def _several(look: Look, root: str) -> list[Panel]:
    if len(look.problem.space.parameters) < 2 or not look.digest.of(TrialState.COMPLETE).any():
        return []
    return [Panel("all at once", f"{root}/parallel", "A line for each trial through its values")]


def _importance(look: Look, root: str) -> NamedChart | None:
    if int(look.digest.of(TrialState.COMPLETE).sum()) < FEWEST:
        return None
    return NamedChart(
        "Which parameters matter",
        f"{root}/importance",
        f"The part of the differences in {look.problem.objective} that each parameter explains",
    )


def _what_if(look: Look, root: str) -> NamedChart | None:
    """Only where a part of the data was measured is there anything to save."""
    part = look.digest.of(TrialState.COMPLETE) & (look.digest.column("fraction") < 1)
    if not part.any():
        return None
    about = "What a part of the data saves, for every pair of limits"
    return NamedChart("What if the limits were others", f"{root}/what-if", about)


def _example(look: Look) -> dict[str, Any]:
    trials = list(look.sample)
    return dict(trials[-1].config) if trials else {}


def head_of(look: Look) -> StudyHead:
    """The study in a line of a list."""
    return look.glance.chosen([look.record.name])[0]
