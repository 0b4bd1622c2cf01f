"""What every candidate model must do, as tests to inherit from.

```python
class TestMine(ModelConformance):
    model = "mine"
```
"""

import json
import os
from functools import cache
from typing import Any

import numpy as np

from tunewise.declarative.models import CLASSES, NUMBERS, Data, Fitted, Size, answers, disagreement
from tunewise.declarative.templates import Candidate, candidate, decode, encode
from tunewise.declarative.templates.candidates import MODELS
from tunewise.surrogate import Array
from tunewise.testing.examples import made_up


class ModelConformance:
    """Inherit, name a registered model, and pytest finds the rest."""

    model: str = "ridge"
    beats_baseline: bool = True
    """False for the floors that others are compared with."""

    def test_it_learns_more_than_the_baseline_knows(self) -> None:
        """The most frequent class, or the average output."""
        for template, kind in cases(self.model):
            judged = made_up(template, kind)[1]
            baseline = loss(judged, _baseline(template, kind, len(judged)))
            reached = loss(judged, outputs(self.model, template, kind))
            assert reached < baseline or not self.beats_baseline, (template, kind)

    def test_its_graph_answers_as_it_does_itself(self) -> None:
        """On examples it has not seen, to four digits."""
        for template, kind in cases(self.model):
            found = fitted(self.model, template, kind)
            feeds = encode(found.encoder, made_up(template, kind)[1].inputs)
            assert found.native is not None
            assert disagreement(found, feeds) < 1e-4

    def test_one_input_is_answered_as_among_many(self) -> None:
        """So that a batch may be of any size."""
        for template, kind in cases(self.model):
            found, judged = fitted(self.model, template, kind), made_up(template, kind)[1]
            alone = answers(found.onnx, encode(found.encoder, judged.inputs[:1]))
            among = answers(found.onnx, encode(found.encoder, judged.inputs))[:1]
            assert np.allclose(alone, among, atol=1e-4)

    def test_its_encoder_is_plain_data(self) -> None:
        """JSON, that gives the same tensors when it is read again."""
        for template, kind in cases(self.model):
            encoder, inputs = (
                fitted(self.model, template, kind).encoder,
                made_up(template)[1].inputs,
            )
            read = json.loads(json.dumps(encoder, allow_nan=False))
            first, second = encode(encoder, inputs), encode(read, inputs)
            assert all(np.array_equal(first[name], second[name]) for name in first)

    def test_the_same_seed_makes_the_same_model(self) -> None:
        """To the last digit that its answers show."""
        judged = made_up(*cases(self.model)[0])[1]
        made = twice(self.model)[0]
        first, second = (answers(m.onnx, encode(m.encoder, judged.inputs)) for m in made)
        assert np.array_equal(first, second)

    def test_it_leaves_no_thread_behind(self) -> None:
        """One thread a training: pools of libraries would stay."""
        before, after = twice(self.model)[1]
        assert after <= before

    def test_its_seconds_are_estimated_before_it_runs(self) -> None:
        """Positive, and more for more examples."""
        made = MODELS.load(self.model)()
        few, many = (made.seconds(Size(n, (12, 12, 1), 10, 20)) for n in (100, 100_000))
        assert 0 < few < many


def cases(model: str) -> list[tuple[str, str]]:
    """The templates that a model is for, with what comes out."""
    made = MODELS.load(model)
    kinds = [kind for kind in (CLASSES, NUMBERS) if kind in made.outputs] or [made.outputs[0]]
    with_numbers = {"tables": kinds, "images": kinds}
    return [
        (template, kind)
        for template in made.templates
        for kind in with_numbers.get(template, kinds[:1])
    ]


@cache
def fitted(model: str, template: str, kind: str) -> Fitted:
    """The model, fitted to the made-up examples of a template."""
    data = made_up(template, kind)[0]
    return _candidate(model, data).fit(data, seed=1)


@cache
def twice(model: str) -> tuple[list[Fitted], list[int]]:
    """The same training two times, and how many threads the process had after each."""
    data = made_up(*cases(model)[0])[0]
    made: list[Fitted] = []
    threads: list[int] = []
    for _ in range(2):
        made.append(_candidate(model, data).fit(data, fraction=0.5, seed=3))
        threads.append(len(os.listdir("/proc/self/task")))
    return made, threads


def outputs(model: str, template: str, kind: str) -> Any:
    """What the stored form of the model puts out for the examples that judge it."""
    found = fitted(model, template, kind)
    feeds = encode(found.encoder, made_up(template, kind)[1].inputs)
    return decode(found.encoder, answers(found.onnx, feeds))


def loss(data: Data, found: Any) -> float:
    """The share of wrong classes, of wrong sequences' steps, or the squared error."""
    if data.kind == CLASSES:
        return float(np.mean(np.argmax(found, axis=1) != data.outputs))
    if isinstance(data.outputs, list):
        return float(np.mean([distance(a, b) for a, b in zip(found, data.outputs, strict=True)]))
    return float(np.mean((found - data.outputs) ** 2))


def distance(found: Any, wanted: Any) -> float:
    """Between two sequences: 0 where they are equal, 1 where nothing is."""
    if isinstance(wanted, str):
        found, wanted = ([ord(letter) for letter in text] for text in (found, wanted))
    one, two = np.asarray(found, float), np.asarray(wanted, float)
    if not len(one) or one.shape[1:] != two.shape[1:]:
        return 1.0
    steps = min(len(one), len(two))
    near = np.abs(one[:steps] - two[:steps]).reshape(steps, -1).max(axis=1) < 0.5
    return 1.0 - float(near.sum()) / max(len(one), len(two))


def _baseline(template: str, kind: str, rows: int) -> Any:
    data = made_up(template, kind)[0]
    if data.kind == CLASSES:
        counts: Array = np.bincount(data.outputs, minlength=data.width())
        return np.tile(counts, (rows, 1))
    if isinstance(data.outputs, list):
        return [data.outputs[0]] * rows
    return np.broadcast_to(data.outputs.mean(axis=0), (rows, *data.outputs.shape[1:]))


def _candidate(model: str, data: Data) -> Candidate:
    return candidate(data.program, model)
