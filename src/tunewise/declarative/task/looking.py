"""What a task can tell of itself: models, what is next, what is worth a look."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tunewise.declarative.examples import Files
from tunewise.declarative.examples.suspicion import Suspect, suspicious
from tunewise.declarative.quality import losses, recalls
from tunewise.declarative.schema import parse
from tunewise.declarative.serving import Served
from tunewise.declarative.standing import Standing
from tunewise.declarative.task.told import TrainedModel
from tunewise.declarative.templates import left_out
from tunewise.declarative.training.dataset import Dataset, load_dataset, stacked
from tunewise.declarative.training.events import Event, family, for_tasks, joined, waits_for
from tunewise.declarative.training.folding import out_of_fold
from tunewise.declarative.training.prior import prior
from tunewise.declarative.training.room import Room
from tunewise.declarative.training.schedule import Running, Schedule
from tunewise.errors import TaskError
from tunewise.storage.tasks import ExampleRow, TaskRow, TaskStore

__all__ = [
    "Suspect",
    "being_trained",
    "dataset",
    "lacking",
    "last_refine",
    "models",
    "no_model",
    "outlook",
    "reopen",
    "status",
    "suspects",
    "training_score",
]


def dataset(
    store: TaskStore, files: Files, task: TaskRow, chosen: Callable[[ExampleRow], bool]
) -> Dataset:
    """Some examples of a task with their content."""
    return load_dataset(store, files, task, chosen)


def models(store: TaskStore, task: int, best: Standing | None) -> list[TrainedModel]:
    """All that was trained, and all that failed."""
    told = []
    for card in store.models(task):
        serves = best is not None and card["number"] == best.card["number"]
        counts = best.confusion if serves and best is not None else {}
        told.append(
            TrainedModel(
                card["model"],
                card["quality"],
                card["low"],
                card["high"],
                card["fraction"],
                card["seconds"] + card.get("refit", 0.0),
                card["version"],
                card["examples"],
                serves,
                card["latency"],
                recall=recalls(counts) if serves else dict(card.get("recall", {})),
                confusion={label: dict(answers) for label, answers in counts.items()},
                card=dict(card),
            )
        )
    failed = [
        TrainedModel(
            event["model"], None, None, None, 1.0, event["seconds"], 0, 0, why=event["reason"]
        )
        for event in store.events()
        if event["kind"] == "failed" and event["task"] == task
    ]
    return told + failed


def status(store: TaskStore, task: TaskRow, best: Standing | None) -> dict[str, Any]:
    """What a task has, and what its best model is worth, in words of JSON."""
    rows = store.examples(task.id)
    return {
        "task": task.name,
        "program": task.program,
        "examples": len(rows),
        "on": sum(row.on for row in rows),
        "version": task.version,
        "quality": None if best is None else best.quality.value,
        "model": None if best is None else best.card["model"],
        "trained": len(store.models(task.id)),
        "verdict": "" if best is None else best.verdict,
        "recall": {} if best is None else recalls(best.confusion),
    }


def training_score(store: TaskStore, files: Files, task: TaskRow, server: Served) -> float:
    """The quality of a model on the examples that are on, most of which it has learned from."""
    data = load_dataset(store, files, task)
    answers = server.outputs(server.raw(stacked(data.inputs, data.program.input)))
    return losses(answers, data.outputs, data.outputs, text=data.text).value


def lacking(store: TaskStore, folder: Path, task: TaskRow) -> str | None:
    """What a task has too little of to be trained: examples, or room; None: it can be."""
    missing = waits_for(parse(task.program), store.examples(task.id))
    return missing or Room(store, folder).full([task]).get(task.id)


def outlook(store: TaskStore, folder: Path, task: TaskRow) -> str:
    """What is trained next and why, or what is missing; the folder is that of all tasks' files."""
    missing = waits_for(parse(task.program), store.examples(task.id))
    if missing is not None:
        return missing
    log = prior([family(parse(task.program))], store, [task.id])
    schedule = Schedule(tasks=[task.id], log=log)
    schedule.hear(store.events())
    now = store.now()
    for running in schedule.running.values():
        if not running.lost(now):
            return being_trained(running, now)
    if task.id not in schedule.joined:
        joins = _to_join(store, folder, task, schedule.position + 1)
        if not joins["seconds"]:
            return "; ".join(["nothing can be trained here", *left_out(parse(task.program))])
        schedule.hear([joins])
    found = schedule.outlook(task.id)
    assert found is not None
    if found.model is None:
        return for_tasks(found.why)
    full = Room(store, folder).full([task])
    if full:
        return f"it waits: {full[task.id]}"
    model = found.model.partition("/")[2]
    left = Room(store, folder).seconds([task]).get(task.id)
    if left is not None and found.seconds > left:
        return (
            f"{model} waits for quota: it is expected to take {found.seconds:.3g} s, and its tenant"
            f" has {left:.3g} s of training left; the operator of the service can allow more"
        )
    return (
        f"{model} is next, expected at {found.expected:.3f} in {found.seconds:.3g} s once"
        f" something trains; {for_tasks(found.why)}"
    )


def being_trained(running: Running, now: float) -> str:
    """What is trained, since when, and how long it was expected to take."""
    since = datetime.fromtimestamp(running.began, UTC).strftime("%H:%M:%S UTC")
    ran, expected = running.ran(now), running.pick.seconds
    said = f"{running.model} is being trained since {since}, expected to take {expected:.3g} s"
    if ran <= expected:
        return said
    late = f"{ran:.0f} s by now, longer than expected"
    return f"{said}; {late}; it is ended after {running.limit:.0f} s"


def _to_join(store: TaskStore, folder: Path, task: TaskRow, number: int) -> Event:
    """The event by which it will join whoever trains next."""
    files = Files(folder / str(task.id))
    event = joined(task, parse(task.program), store.examples(task.id), 1.0, files)
    return {**event, "id": number}


def no_model(store: TaskStore, folder: Path, task: TaskRow) -> str:
    """Why nothing can answer: all models are too slow, or what it waits for."""
    quickest = min((card["latency"] for card in store.models(task.id)), default=None)
    if quickest is None:
        return outlook(store, folder, task)
    limit = task.settings["latency"]
    said = f"the quickest takes {quickest:.2g} s an answer, of {limit:g} s"
    return f"{said}; {outlook(store, folder, task)}"


def reopen(store: TaskStore, task: TaskRow) -> None:
    """Let all candidates be trained again."""
    count = sum(row.on for row in store.examples(task.id))
    event: dict[str, Any] = {"kind": "reopened", "task": task.id, "version": task.version}
    store.decide(0, lambda events: [{**event, "examples": count}])


def last_refine(changes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The last refine that nobody has taken back."""
    undone = {change["undoes"] for change in changes if "undoes" in change}
    for change in reversed(changes):
        plain = change["kind"] == "refine" and "undoes" not in change
        if plain and change["version"] not in undone:
            return {**change}
    raise TaskError("there is no refine to take back")


def suspects(store: TaskStore, files: Files, task: TaskRow, best: Standing) -> list[Suspect]:
    """Examples that are worth a look, without those that a person found right."""
    data = load_dataset(store, files, task)
    folded = out_of_fold(data, store.models(task.id), best.card)
    right = {f"e{number}" for number in task.settings.get("right", ())}
    told = folded.classes, folded.probabilities, folded.vectors
    every = suspicious(data.rows, *told, data.salt, data.inputs)
    return [one for one in every if one.id not in right]
