"""What every candidate model must do, as tests to inherit from.

```python
class TestMine(ModelConformance):
    model = "mine"
```
"""

import json
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tunewise.declarative.models import CLASSES, Data, Fitted, Size, answers, disagreement
from tunewise.declarative.models.model import Array
from tunewise.declarative.templates import Candidate, candidate, decode, encode
from tunewise.declarative.templates.candidates import MODELS, installed
from tunewise.testing.examples import fits, made_up

_FITTED: dict[type, dict[Any, Fitted]] = {}


class ModelConformance:
    """Inherit, name a registered model, and pytest finds the rest."""

    model: str = "ridge"
    options: Mapping[str, Any] = MappingProxyType({})
    """Keywords of the model, such as a shorter training."""
    brief: Mapping[str, Any] = MappingProxyType({})
    """Keywords for trainings that are only compared with each other."""
    kinds: tuple[str, ...] | None = None
    """What comes out in its tests; all that it can put out, where none is named."""
    beats_baseline: bool = True
    """False for the floors that others are compared with."""

    def cases(self) -> list[tuple[str, str]]:
        """The templates that the model is for, with what comes out; numbers only of its first."""
        made = MODELS.load(self.model)
        first, *others = made.templates
        kinds = [kind for kind in self.kinds or made.outputs if fits(first, kind)]
        usual = {
            other: next(kind for kind in made.outputs if fits(other, kind)) for other in others
        }
        return [*((first, kind) for kind in kinds), *usual.items()]

    def fitted(self, template: str, kind: str, fraction: float = 1.0, time: int = 0) -> Fitted:
        """The model, fitted once to the made-up examples of a template."""
        kept: dict[Any, Fitted] = _FITTED.setdefault(type(self), {})
        key = template, kind, fraction, time
        if key not in kept:
            _skip_without(MODELS.load(self.model).needs)
            data = made_up(template, kind)[0]
            usual = candidate(data.program, self.model)
            options = {**self.options, **(self.brief if fraction < 1 else {})}
            model = MODELS.load(self.model)(**options) if options else usual.model
            kept[key] = Candidate(usual.name, model).fit(data, fraction=fraction, seed=1)
        return kept[key]

    def outputs(self, template: str, kind: str) -> Any:
        """What the stored form of the model puts out for the examples that judge it."""
        found = self.fitted(template, kind)
        feeds = encode(found.encoder, made_up(template, kind)[1].inputs)
        return decode(found.encoder, answers(found.onnx, feeds))

    def test_it_learns_more_than_the_baseline_knows(self) -> None:
        """The most frequent class, or the average output."""
        for template, kind in self.cases():
            judged = made_up(template, kind)[1]
            baseline = loss(judged, _baseline(template, kind, len(judged)))
            reached = loss(judged, self.outputs(template, kind))
            assert reached < baseline or not self.beats_baseline, (template, kind)

    def test_its_graph_answers_as_it_does_itself(self) -> None:
        """On examples it has not seen, to four digits."""
        for template, kind in self.cases():
            found = self.fitted(template, kind)
            feeds = encode(found.encoder, made_up(template, kind)[1].inputs)
            assert found.native is not None
            assert disagreement(found, feeds) < 1e-4

    def test_one_input_is_answered_as_among_many(self) -> None:
        """So that a batch may be of any size."""
        for template, kind in self.cases():
            found, judged = self.fitted(template, kind), made_up(template, kind)[1]
            alone = answers(found.onnx, encode(found.encoder, judged.inputs[:1]))
            among = answers(found.onnx, encode(found.encoder, judged.inputs))[:1]
            assert np.allclose(alone, among, atol=1e-4)

    def test_its_encoder_is_plain_data(self) -> None:
        """JSON, that gives the same tensors when it is read again."""
        for template, kind in self.cases():
            encoder, inputs = (
                self.fitted(template, kind).encoder,
                made_up(template)[1].inputs,
            )
            read = json.loads(json.dumps(encoder, allow_nan=False))
            first, second = encode(encoder, inputs), encode(read, inputs)
            assert all(np.array_equal(first[name], second[name]) for name in first)

    def test_the_same_seed_makes_the_same_model(self) -> None:
        """To the last digit that its answers show."""
        judged = made_up(*self.cases()[0])[1]
        made = [self.fitted(*self.cases()[0], fraction=0.5, time=time) for time in range(2)]
        first, second = (answers(m.onnx, encode(m.encoder, judged.inputs)) for m in made)
        assert np.array_equal(first, second)

    def test_it_leaves_no_thread_behind(self) -> None:
        """One thread a training: pools of libraries would stay."""
        self.fitted(*self.cases()[0], fraction=0.5, time=0)
        before = len(os.listdir("/proc/self/task"))
        self.fitted(*self.cases()[0], fraction=0.5, time=1)
        assert len(os.listdir("/proc/self/task")) <= before

    def test_its_seconds_are_estimated_before_it_runs(self) -> None:
        """Positive, and more for more examples."""
        made = MODELS.load(self.model)()
        few, many = (made.seconds(Size(n, (12, 12, 1), 10, 20)) for n in (100, 100_000))
        assert 0 < few < many


def _skip_without(extras: tuple[str, ...]) -> None:
    for extra in extras:
        if not installed(extra):
            pytest.skip(f"needs more packages: pip install 'tunewise[{extra}]'")


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
