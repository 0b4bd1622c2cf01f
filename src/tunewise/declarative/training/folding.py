"""Probabilities of every example by models that were not trained on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.declarative.serving.served import Served
from tunewise.declarative.standing import Card
from tunewise.declarative.templates import candidate, encode
from tunewise.declarative.training.dataset import Dataset, label_order

QUICK = 20.0
"""Processor seconds of a training that is repeated for every fold."""

WIDEST = 4096
"""Numbers of a vector by which inputs are compared."""


@dataclass(frozen=True, eq=False)
class Folded:
    """What models say of examples that they have not seen.

    Attributes:
        classes: Names of the columns; None where outputs are no classes.
        probabilities: (n, classes) out of fold; None likewise.
        vectors: (n, d) of the encoded inputs, for distances between them.
    """

    classes: tuple[str, ...] | None
    probabilities: Any
    vectors: Any


def out_of_fold(dataset: Dataset, cards: Sequence[Card], best: Card) -> Folded:
    """Train the best of the quick candidates once a fold."""
    quick = [c for c in cards if c["cpu"] <= QUICK and c["fraction"] == 1.0] or [best]
    card = max(quick, key=lambda each: each["quality"])
    chosen = candidate(dataset.program, card["model"], dataset.settings)
    everything = list(range(len(dataset)))
    whole = dataset.data(everything)
    vectors: Any = None
    classes = None if whole.classes is None else tuple(sorted(whole.classes, key=label_order))
    probabilities = None if classes is None else np.zeros((len(dataset), len(classes)))
    for train, out in dataset.folds():
        data = dataset.data(train)
        if classes is None or data.classes is None:
            break
        fitted = chosen.fit(data, fraction=1.0, seed=0)
        described = {
            "program": str(dataset.program),
            "classes": data.classes,
            "encoder": fitted.encoder,
        }
        raw = Served(fitted.onnx, described).raw(dataset.data(out).inputs)
        columns = [classes.index(name) for name in data.classes]
        assert probabilities is not None
        probabilities[np.ix_(out, columns)] = raw
        if vectors is None:
            vectors = _vectors(fitted.encoder, whole.inputs)
    if vectors is None:
        fitted = chosen.fit(whole, fraction=1.0, seed=0)
        vectors = _vectors(fitted.encoder, whole.inputs)
    return Folded(classes, probabilities, vectors)


def _vectors(encoder: Any, inputs: Any) -> Any:
    arrays = encode(encoder, inputs).values()
    flat = [np.asarray(a, np.float32).reshape(len(a), -1)[:, :WIDEST] for a in arrays]
    return np.concatenate(flat, axis=1)
