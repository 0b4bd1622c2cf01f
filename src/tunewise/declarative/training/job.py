"""One training, as a job that runs in a process of its own."""

import hashlib
import io
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.declarative.examples import Files
from tunewise.declarative.examples.parts import FOLDS
from tunewise.declarative.models import Fitted, disagreement
from tunewise.declarative.models.threads import with_threads
from tunewise.declarative.quality import (
    Losses,
    baseline,
    confusion,
    interval,
    losses,
    recalls,
)
from tunewise.declarative.serving.served import Served
from tunewise.declarative.templates import candidate, encode
from tunewise.declarative.templates.candidates import Candidate
from tunewise.declarative.training.dataset import Dataset, load_dataset
from tunewise.errors import TaskError
from tunewise.storage.tasks import TaskStore, open_tasks

CLOSE = 1e-3
"""How far the graph's answers may be from the model's own, on the scale of its outputs."""

SMALLEST = 300
"""Examples of a slice: fewer say nothing about the whole."""

HALVED = 3.0
"""Processor seconds of a training that is repeated on half of the examples, for their curve."""

COMPARED = 200
"""Examples on which they are compared."""


@dataclass(frozen=True)
class Assignment:
    """What to train.

    Attributes:
        url: Of the store.
        folder: Of the task's files.
        task: Its number in the store.
        model: The candidate's name.
        fraction: Of the training part.
        seed: Of the slice, and of all that is drawn.
        threads: Of the training.
    """

    url: str
    folder: str
    task: int
    model: str
    fraction: float
    seed: int = 0
    threads: int = 1


def enough(fraction: float, examples: int) -> float:
    """The fraction, or a larger one where that would leave too few examples to learn from."""
    return min(1.0, max(fraction, SMALLEST / max(examples, 1)))


def run(trial: Any) -> dict[str, float]:
    """The job: train what the trial's config says, and leave the model's card beside it."""
    config = dict(trial.config)
    out = Path(config.pop("out"))
    assignment = Assignment(**config)
    store = open_tasks(assignment.url)
    try:
        with with_threads(assignment.threads):
            for card in trained(store, assignment):
                passing = out.with_suffix(".new")
                passing.write_text(json.dumps(card), encoding="utf-8")
                passing.replace(out)
    finally:
        store.close()
    return {"accuracy": card["quality"], "time": card["seconds"]}


def trained(store: TaskStore, assignment: Assignment) -> Iterator[dict[str, Any]]:
    """Train, measure, keep the files: the model's card, and where it is the best one more.

    The best model so far is trained again on all examples, the validation part too: that one
    serves, and is at least as good on average as the one that was measured. Where it is
    quick and was tried on no slice, half of the examples tell what more of them would bring.
    """
    began, cpu = time.perf_counter(), time.process_time()
    task = store.by_id(assignment.task)
    if task is None:
        raise TaskError("the task was deleted meanwhile")
    files = Files(Path(assignment.folder), task.settings.get("quota"))
    dataset = load_dataset(store, files, task)
    chosen = candidate(dataset.program, assignment.model, dataset.settings)
    start = _start(store, files, assignment, dataset.version)
    result = _measured(dataset, chosen, assignment, start)
    card = {
        "model": assignment.model,
        "fraction": assignment.fraction,
        "seed": assignment.seed,
        "version": dataset.version,
        **_kept(files, dataset, result),
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "code": version("tunewise"),
        "refit": 0.0,
    }
    yield card
    if assignment.fraction < 1.0 or not _is_best(store, card, assignment.task):
        return
    began = time.perf_counter()
    if not dataset.few:
        parts = _refitted(files, dataset, chosen, result, assignment.seed)
        card = {**card, **parts, "refit": time.perf_counter() - began}
        yield card
    if card["cpu"] <= HALVED and not _sliced(store, card, assignment.task):
        halved = _halved(dataset, chosen, assignment.seed)
        yield {**card, "halved": halved, "refit": time.perf_counter() - began}


def _is_best(store: TaskStore, card: Mapping[str, Any], task: int) -> bool:
    others = (each for each in store.models(task) if each["version"] == card["version"])
    return all(card["quality"] >= each["quality"] for each in others)


def _sliced(store: TaskStore, card: Mapping[str, Any], task: int) -> bool:
    """Whether the same model was tried on a slice of the same data."""
    return any(
        (each["model"], each["version"]) == (card["model"], card["version"])
        and each["fraction"] < 1.0
        for each in store.models(task)
    )


def _halved(dataset: Dataset, chosen: Candidate, seed: int) -> float | None:
    """The model's quality after half as many examples: a second point of its learning curve."""
    parts = []
    for train, out in dataset.folds() if dataset.few else [dataset.parts()]:
        try:
            fitted, classes = _fit(dataset, chosen, train, 0.5, seed, None)
        except (TaskError, ValueError):
            return None  # half of them hold too few of a class
        told = list(served(fitted, dataset, classes, out)[0])
        parts.append(_losses(dataset, train, out, told))
    return _joined(parts).value


def _refitted(
    files: Files, dataset: Dataset, chosen: Candidate, result: "_Result", seed: int
) -> dict[str, Any]:
    """What a card says of the same model after a training on all examples."""
    every = list(range(len(dataset)))
    fitted, classes = _fit(dataset, chosen, every, 1.0, seed, result.fitted.checkpoint)
    away = _disagreement(fitted, dataset, result.held[:COMPARED])
    grown = len(every) / max(result.trained_on, 1)
    return {**_model(files, fitted, classes), "disagreement": away, "grown": grown}


def _model(files: Files, fitted: Fitted, classes: tuple[str, ...] | None) -> dict[str, Any]:
    encoder = json.dumps({"encoder": dict(fitted.encoder)}, sort_keys=True).encode()
    return {
        "graph": files.put(fitted.onnx),
        "bytes": len(fitted.onnx),
        "encoder": files.put(encoder),
        "classes": None if classes is None else list(classes),
    }


@dataclass(frozen=True, eq=False)
class _Result:
    fitted: Fitted
    classes: tuple[str, ...] | None
    trained_on: int
    held: list[int]
    answers: list[Any]
    losses: Losses
    baseline: float
    disagreement: float
    latency: float


def _measured(
    dataset: Dataset, chosen: Candidate, assignment: Assignment, start: bytes | None
) -> _Result:
    fraction, seed = assignment.fraction, assignment.seed
    if dataset.few:
        held, answers, parts = [], [], []
        for train, out in dataset.folds():
            fitted, classes = _fit(dataset, chosen, train, 1.0, seed, None)
            told = list(served(fitted, dataset, classes, out)[0])
            parts.append(_losses(dataset, train, out, told))
            held += out
            answers += told
        whole = list(range(len(dataset)))
        final, classes = _fit(dataset, chosen, whole, 1.0, seed, None)
        known, count, compared = whole, len(whole), held
        measured = _joined(parts)
    else:
        known, held = dataset.parts()
        fraction = enough(fraction, len(known))
        compared, count = held, max(1, round(len(known) * fraction))
        final, classes = _fit(dataset, chosen, known, fraction, seed, start)
        answers = list(served(final, dataset, classes, held)[0])
        measured = _losses(dataset, known, held, answers)
    inputs = [dataset.inputs[at] for at in held]
    outputs = [dataset.outputs[at] for at in held]
    known_outputs = [dataset.outputs[at] for at in known]
    floor = baseline(inputs, outputs, known_outputs, text=dataset.text)
    away = _disagreement(final, dataset, compared[:COMPARED])
    _, seconds = served(final, dataset, classes, compared[:COMPARED])
    latency = seconds / max(len(compared[:COMPARED]), 1)
    return _Result(final, classes, count, held, answers, measured, floor, away, latency)


def _joined(parts: Sequence[Losses]) -> Losses:
    return Losses(*(np.concatenate([getattr(p, k) for p in parts]) for k in ("loss", "base")))


def _fit(
    dataset: Dataset,
    chosen: Candidate,
    places: Sequence[int],
    fraction: float,
    seed: int,
    start: bytes | None,
) -> tuple[Fitted, tuple[str, ...] | None]:
    data = dataset.data(places)
    if data.classes is not None and len(data.classes) < 2:
        raise TaskError(f"all examples are {data.classes[0]!r}; feed some of another class")
    return chosen.fit(data, fraction=fraction, seed=seed, start=start), data.classes


def served(
    fitted: Fitted, dataset: Dataset, classes: tuple[str, ...] | None, places: Sequence[int]
) -> tuple[Sequence[Any], float]:
    """Answers as serving would give them, and the seconds they took."""
    card = {"program": str(dataset.program), "classes": classes, "encoder": fitted.encoder}
    server = Served(fitted.onnx, card)
    inputs = dataset.data(places).inputs
    if not len(inputs):
        return [], 0.0
    began = time.perf_counter()
    outputs = server.outputs(server.raw(inputs))
    return outputs, time.perf_counter() - began


def _losses(
    dataset: Dataset, known: Sequence[int], held: Sequence[int], answers: Sequence[Any]
) -> Losses:
    outputs = [dataset.outputs[at] for at in held]
    return losses(answers, outputs, [dataset.outputs[at] for at in known], text=dataset.text)


def _disagreement(fitted: Fitted, dataset: Dataset, places: Sequence[int]) -> float:
    """How far the graph is from the model that it was made of; refused where that is too far."""
    if fitted.native is None or not places:
        return 0.0
    away = disagreement(fitted, encode(fitted.encoder, dataset.data(places).inputs))
    if not away <= CLOSE:
        raise TaskError(f"its ONNX form answers differently, by {away:.3g}; it is not used")
    return float(away)


def _kept(files: Files, dataset: Dataset, result: _Result) -> dict[str, Any]:
    fitted = result.fitted
    low, high = interval(result.losses)
    checkpoint = None if fitted.checkpoint is None else files.put(fitted.checkpoint)
    return {
        **_model(files, fitted, result.classes),
        "checkpoint": checkpoint,
        "losses": files.put(_packed_losses(dataset, result)),
        "program": str(dataset.program),
        "quality": result.losses.value,
        "low": low,
        "high": high,
        "baseline": result.baseline,
        "recall": _recall(dataset, result),
        "measure": dataset.measure,
        "measured_on": len(result.losses),
        "method": "cross-validation" if dataset.few else "validation part",
        "examples": result.trained_on,
        "grown": FOLDS / (FOLDS - 1) if dataset.few else 1.0,
        "fingerprint": _fingerprint(dataset),
        "residual": _residual(dataset, result),
        "disagreement": result.disagreement,
        "latency": result.latency,
    }


def _recall(dataset: Dataset, result: _Result) -> dict[str, float]:
    if not dataset.labelled:
        return {}
    return recalls(confusion([dataset.outputs[at] for at in result.held], result.answers))


def _packed_losses(dataset: Dataset, result: _Result) -> bytes:
    keys = [bytes.fromhex(dataset.rows[at].content) for at in result.held]
    buffer = io.BytesIO()
    told: dict[str, Any] = {}
    if dataset.labelled:
        names, places = np.unique(np.asarray(result.answers, str), return_inverse=True)
        told = {"names": names, "told": places.astype(np.int32)}
    np.savez_compressed(
        buffer,
        **told,
        keys=np.frombuffer(b"".join(keys), np.uint8).reshape(-1, 32),
        loss=result.losses.loss.astype(np.float32),
        base=result.losses.base.astype(np.float32),
    )
    return buffer.getvalue()


def _residual(dataset: Dataset, result: _Result) -> list[float] | None:
    """How far nine of ten answers are from the truth at most, for each number of an output."""
    single = dataset.program.output.single
    if single is None or single.text or dataset.labelled or len(single.shape) != 1:
        return None
    if not result.held:
        return None
    truth = np.stack([dataset.outputs[at] for at in result.held])
    away = np.abs(np.stack(result.answers) - truth)
    count = len(away)
    level = min(1.0, 0.9 * (count + 1) / count)  # of split conformal prediction
    return [float(value) for value in np.quantile(away, level, axis=0)]


def _fingerprint(dataset: Dataset) -> str:
    """Of all examples that were on: what a model can be traced to."""
    digest = hashlib.sha256()
    for row in dataset.rows:
        digest.update(bytes.fromhex(row.content))
    return digest.hexdigest()


def _start(store: TaskStore, files: Files, assignment: Assignment, version: int) -> bytes | None:
    """The checkpoint of the same model on the largest smaller slice of the same data."""
    known: list[Mapping[str, Any]] = [
        card
        for card in store.models(assignment.task)
        if card["model"] == assignment.model
        and card["version"] == version
        and card["seed"] == assignment.seed
        and card["fraction"] < assignment.fraction
        and card.get("checkpoint")
    ]
    if not known:
        return None
    return files.get(max(known, key=lambda card: card["fraction"])["checkpoint"])
