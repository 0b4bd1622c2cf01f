"""A task's page: how good it is, what was trained, what is next, and its examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

from tunewise.declarative.quality import Confusion, Quality, never_found
from tunewise.declarative.schema import Field, Program, parse
from tunewise.declarative.task import Task
from tunewise.declarative.templates import match
from tunewise.errors import NotReady, TunewiseError
from tunewise.format import duration
from tunewise.report.layout import theme
from tunewise.service.context import Context
from tunewise.service.pages.views.charts import light
from tunewise.service.pages.views.looks import once
from tunewise.service.pages.views.tasks import input_kind, short, task_size
from tunewise.storage.tasks import TaskRow
from tunewise.storage.tasks.counting import Counted, counted

MODELS = 60
THUMBS = 48
CLASSES = 12
_PREVIEW = 240


@dataclass(frozen=True)
class ModelLine:
    """A model that was trained, or that could not be."""

    name: str
    quality: str
    interval: str
    on: str
    seconds: str
    latency: str
    state: str
    role: str
    why: str


@dataclass(frozen=True)
class ClassLine:
    """How much of a class is found, and which other it is most often taken for."""

    name: str
    found: str
    share: float
    mistaken: str


@dataclass(frozen=True)
class Standing:
    """What training has come to.

    Attributes:
        quality: Of the model that serves; None before the first.
        model: Its name.
        more: The quality to expect with 100 more examples; None where nobody can say.
        models: The one that serves, then the others, the best first.
        left_out: How many weaker ones are not in the list.
        next: What is next and why, or what is missing.
        trained: How many were trained.
        verdict: What to know before the model is relied on; often nothing.
        classes: How much of each is found, those of which least is first.
    """

    quality: Quality | None
    model: str
    more: float | None
    models: Sequence[ModelLine]
    left_out: int
    next: str
    trained: int
    verdict: str
    classes: Sequence[ClassLine]


@dataclass(frozen=True)
class TaskView:
    """A task's page without what training has come to."""

    name: str
    program: str
    short: str
    template: str
    workload: str
    classes: Sequence[str]
    columns: Sequence[tuple[str, str]]
    counted: Counted
    version: int
    bytes: int
    seconds: float
    created_at: float
    weight: float
    latency: float | None
    label: str | None
    input: str
    example: str
    has_models: bool


def task_view(here: Context, namespace: str, row: TaskRow) -> TaskView:
    """What a page shows of a task at once."""
    program = parse(row.program)
    found, labels = match(program), program.labels
    field = program.input.single
    return TaskView(
        name=row.name,
        program=row.program,
        short=short(row.program),
        template=found.name,
        workload=found.workload,
        classes=_classes(labels),
        columns=[(c.name, c.kind) for c in (field.columns or ())] if field is not None else [],
        counted=counted(here.store.database, row.id),
        version=row.version,
        bytes=task_size(here, row),
        seconds=row.seconds,
        created_at=row.created_at,
        weight=float(row.settings.get("weight") or 1.0),
        latency=row.settings.get("latency"),
        label=row.settings.get("label"),
        input=input_kind(row.program),
        example=_json_example(program),
        has_models=here.tasks.within(namespace).marks(row.id)[1] > 0,
    )


def _json_example(program: Any) -> str:
    field = program.input.single
    if field is None or not field.shape or program.input.recursive:
        return "[[0.1, 0.2], [0.3, 0.4]]"
    return str([0.0] * min(field.width, 8))


def standing(here: Context, namespace: str, row: TaskRow) -> Standing:
    """What training has come to, worked out once a revision, and when a quota is full or not."""
    task = here.opened.task(namespace, row.name)
    key = row.id, row.revision, here.room.full([row]).get(row.id)
    return once(here.store.database, "standings", key, lambda: standing_of(task), 500)


def standing_of(task: Task) -> Standing:
    """What training has come to."""
    models = task.models()
    serving = next((each.name for each in models if each.serves), "")
    try:
        quality, more, confusion = task.quality, task.with_more(100), task.confusion
    except (NotReady, TunewiseError):
        quality, more, confusion = None, None, {}
    said = quality.verdict if quality is not None else ""
    ranked = sorted(models, key=lambda each: (not each.serves, -(each.quality or 0.0)))
    lines = [_model(each) for each in ranked]
    return Standing(
        quality=quality,
        model=serving,
        more=more,
        models=lines[:MODELS],
        left_out=max(0, len(lines) - MODELS),
        next=task.outlook(),
        trained=sum(not each.why for each in models),
        verdict="; ".join(filter(None, (said, never_found(confusion)))),
        classes=class_lines(confusion),
    )


def class_lines(confusion: Confusion) -> list[ClassLine]:
    """The classes of which least is found, and what they are taken for."""
    made = []
    for name, answers in confusion.items():
        count, right = sum(answers.values()), answers.get(name, 0)
        wrong = sorted(((n, other) for other, n in answers.items() if other != name), reverse=True)
        mistaken = f"{wrong[0][1]} ({wrong[0][0]:,})" if wrong else ""
        made.append(ClassLine(name, f"{right:,} of {count:,}", right / count, mistaken))
    return sorted(made, key=lambda line: line.share)[:CLASSES]


def _model(each: Any) -> ModelLine:
    failed = each.quality is None
    state, role = ("failed", "bad") if failed else ("serves", "good") if each.serves else ("", "")
    return ModelLine(
        name=each.name,
        quality="–" if failed else f"{each.quality:.3f}",
        interval="" if failed else f"{each.low:.3f} to {each.high:.3f}",
        on="" if failed else f"{each.examples:,} examples, version {each.data}",
        seconds=duration(each.seconds),
        latency="" if failed else duration(each.latency),
        state=state,
        role=role,
        why=each.why,
    )


def quality_chart(here: Context, namespace: str, row: TaskRow) -> dict[str, Any]:
    """The best quality over time, with each model that was trained."""
    cards = here.tasks.within(namespace).models(row.id)
    if not cards:
        return {"empty": "No model has been trained yet."}
    first = min(row.created_at, cards[0]["at"])
    seconds = [card["at"] - first for card in cards]
    unit, per = theme.clock(seconds)
    best, steps = 0.0, []
    for card in cards:
        best = max(best, card["quality"])
        steps.append(best)
    at = [second / per for second in seconds]
    told = [theme.escaped(f"{c['model']}: {c['quality']:.3f}") for c in cards]
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "models",
            "x": at,
            "y": [card["quality"] for card in cards],
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [c["high"] - c["quality"] for c in cards],
                "arrayminus": [c["quality"] - c["low"] for c in cards],
                "color": theme.colour("line"),
                "thickness": 1.2,
                "width": 0,
            },
            "marker": {"size": 7, "color": theme.colour("blue")},
            "hoverinfo": "text",
            "hovertext": told,
        },
        {
            "type": "scatter",
            "mode": "lines",
            "name": "best so far",
            "x": at,
            "y": steps,
            "line": {"shape": "hv", "width": 2.4, "color": theme.colour("keeps")},
            "hoverinfo": "skip",
        },
    ]
    x = theme.Axis("Since it was declared", unit)
    return light(theme.figure(traces, x, theme.Axis("Quality")))


@dataclass(frozen=True)
class Thumb:
    """An example: its label, whether it is on, what it looks like as text, or as lines."""

    id: str
    label: str
    on: bool
    part: str
    source: str
    text: str | None
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class ExamplesView:
    """A page of examples; `next` leads to more of those that are asked for."""

    name: str
    thumbs: Sequence[Thumb]
    counted: Counted
    is_image: bool
    first: bool
    next: str | None
    label: str
    state: str

    @property
    def filtered(self) -> bool:
        """Whether some examples are left out."""
        return bool(self.label or self.state)


def examples_view(
    here: Context, task: Task, row: TaskRow, after: str = "e0", label: str = "", state: str = ""
) -> ExamplesView:
    """Some examples, with what they look like: of one label, or those that are on or off."""
    on = {"on": True, "off": False}.get(state)
    found = task.some_examples(after, THUMBS + 1, label=label or None, on=on)
    shown = found[:THUMBS]
    is_image = input_kind(row.program) == "image"
    known = {} if is_image else task.contents([each.id for each in shown])
    thumbs = []
    for e in shown:
        given, _ = known.get(e.id, ("", None))
        text, drawn = preview(task.program, given), lines(task.program, given)
        said = answered(task.program, e.label)
        thumbs.append(Thumb(e.id, said, e.on, e.part, e.source, text, drawn))
    more = None
    if len(found) > THUMBS:
        asked = {"after": shown[-1].id, "label": label, "state": state}
        more = urlencode({key: said for key, said in asked.items() if said})
    count = counted(here.store.database, row.id)
    return ExamplesView(row.name, thumbs, count, is_image, after == "e0", more, label, state)


def preview(program: Program, given: Any) -> str:
    """The beginning of an input as text: of a table's row each column with its name."""
    field = program.input.single
    if field is not None and field.columns and isinstance(given, list):
        given = dict(zip((column.name for column in field.columns), given, strict=True))
    if isinstance(given, dict):
        return "\n".join(f"{name}: {_written(v)}" for name, v in given.items())[:_PREVIEW]
    return _written(given)[:_PREVIEW]


def _written(value: Any) -> str:
    """A value as people write it: a number with the digits that tell it from its neighbours."""
    if isinstance(value, np.ndarray):
        some = value.ravel()[:_PREVIEW] if value.ndim < 2 else value[:_PREVIEW]
        return f"[{', '.join(map(_written, some))}]" if value.ndim else _written(value[()])
    if isinstance(value, float | np.floating):
        short = np.float32(value)
        exact = value if float(short) != float(value) else short
        return np.format_float_positional(exact, trim="-")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    return "–" if value is None else str(value)


def answered(program: Program, label: str | None) -> str:
    """An answer as people write it: numbers are kept with nine digits."""
    field = program.output.single
    if label is None or field is None or field.classes is not None or program.undecided:
        return label or ""
    try:
        return _written(np.float32(label))
    except ValueError:
        return label


_WIDE, _HIGH = 100.0, 60.0
_STEPS = 100
_CURVES = 8


def lines(program: Program, given: Any) -> list[str]:
    """The points of a series' curves within 100 by 60, at most 100 points of each; else none."""
    if not program.input.recursive or not isinstance(given, np.ndarray) or given.ndim != 2:
        return []
    steps, low = given[:: max(1, -(-len(given) // _STEPS)), :_CURVES], float(given.min())
    if len(steps) < 2:
        return []
    across = np.linspace(0.0, _WIDE, len(steps))
    down = _HIGH * (1 - (steps - low) / ((float(given.max()) - low) or 1.0))
    return [" ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, y_, strict=True)) for y_ in down.T]


@dataclass(frozen=True)
class Suspected:
    """An example that is worth a look."""

    id: str
    kind: str
    label: str
    why: str
    part: str
    source: str
    text: str
    lines: Sequence[str] = ()


def suspected(task: Task, most: int) -> list[Suspected]:
    """Examples whose label may be wrong first, then the others."""
    found = sorted(task.suspects(), key=lambda each: each.kind != "label")[:most]
    known = task.contents([each.id for each in found])
    told = []
    for e in found:
        if e.id in known:
            given, label = known[e.id]
            text, drawn = preview(task.program, given), lines(task.program, given)
            label = answered(task.program, label)
            told.append(Suspected(e.id, e.kind, label, e.why, e.part, e.source, text, drawn))
    return told


def _classes(labels: Field | None) -> list[str]:
    """The names of the classes, where the program names them."""
    named = labels.classes if labels is not None else None
    return list(named) if isinstance(named, tuple) else []
