"""The loss of each example, beside that of knowing nothing."""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Losses:
    """Of each example, (n,).

    Attributes:
        loss: Of the model.
        base: Of knowing nothing.
    """

    loss: Array
    base: Array

    def __len__(self) -> int:
        """How many examples."""
        return len(self.loss)

    @property
    def value(self) -> float:
        """The quality, from 0 to 1."""
        whole = float(self.base.sum())
        return 0.0 if whole <= 0 else float(np.clip(1 - self.loss.sum() / whole, 0.0, 1.0))

    @property
    def accuracy(self) -> bool:
        """Whether answers are right or wrong and nothing between."""
        return bool((self.base == 1).all() and np.isin(self.loss, (0, 1)).all())

    def at(self, places: Any) -> "Losses":
        """Those at these places."""
        return Losses(self.loss[places], self.base[places])


def losses(answers: Any, outputs: Any, known: Any, *, text: bool = False) -> Losses:
    """Losses of answers to outputs; `known` are the outputs of the training part.

    Labels are compared as words, texts byte by byte; anything else as numbers, and where answer and
    output are of different length the rest counts as 0.
    """
    if len(outputs) and isinstance(outputs[0], str):
        differ = _bytes if text else operator.ne
        wrong = np.array([differ(a, o) for a, o in zip(answers, outputs, strict=True)], float)
        return Losses(wrong, np.ones(len(wrong)))
    flat = [flattened(output) for output in known]
    length = max((len(row) for row in flat), default=0)
    mean, variance = _moments(flat, length)
    loss, base = np.empty(len(outputs)), np.empty(len(outputs))
    for place, (answer, output) in enumerate(zip(answers, outputs, strict=True)):
        one, other = flattened(answer), flattened(output)
        size = max(len(one), len(other), 1)
        scale = _padded(variance, size, 1.0)
        loss[place] = ((_padded(one, size) - _padded(other, size)) ** 2 / scale).mean()
        away = _padded(other, size) - _padded(mean, size)
        base[place] = (away**2 / scale).mean()
    return Losses(np.nan_to_num(loss, nan=1e6, posinf=1e6), base)


def _bytes(one: str, other: str) -> float:
    """The share of bytes that differ."""
    a, b = (np.frombuffer(v.encode("utf-8", "replace"), np.uint8) for v in (one, other))
    size, shared = max(len(a), len(b), 1), min(len(a), len(b))
    return float(1 - (a[:shared] == b[:shared]).sum() / size)


def baseline(inputs: Any, outputs: Any, known: Any, *, text: bool = False) -> float:
    """The best quality of the most frequent class, the mean, or the input itself."""
    if text:
        return losses([""] * len(outputs), outputs, known, text=True).value
    if len(known) and isinstance(known[0], str):
        names, counts = np.unique(np.asarray(known, object).astype(str), return_counts=True)
        usual = str(names[counts.argmax()])
        return losses([usual] * len(outputs), outputs, known).value
    same = len(outputs) > 0 and len(flattened(inputs[0])) == len(flattened(outputs[0])) > 1
    return losses(inputs, outputs, known).value if same else 0.0


def flattened(value: Any) -> Array:
    """All numbers of a value, in order; text by its bytes."""
    if isinstance(value, np.ndarray):
        return np.asarray(value, float).ravel()
    if isinstance(value, str):
        return np.frombuffer(value.encode("utf-8", "replace"), np.uint8).astype(float)
    if isinstance(value, dict):
        value = [value[name] for name in sorted(value)]
    if isinstance(value, list | tuple):
        parts = [flattened(part) for part in value]
        return np.concatenate(parts) if parts else np.empty(0)
    return np.array([0.0 if value is None else float(value)])


def _moments(rows: list[Array], length: int) -> tuple[Array, Array]:
    """Mean and variance of each place over the rows that are long enough."""
    if rows and all(len(row) == length for row in rows):
        stacked = np.stack(rows)
        mean, variance = stacked.mean(axis=0), stacked.var(axis=0)
    else:
        whole = np.concatenate(rows) if rows else np.zeros(1)
        mean, variance = np.full(length, whole.mean()), np.full(length, whole.var())
    # Pixels that never change must not outweigh all others: tensors share one scale.
    if length > 16:
        variance = np.full(length, variance.mean())
    return mean, np.where(variance > 1e-12, variance, 1.0)


def _padded(row: Array, size: int, value: float = 0.0) -> Array:
    if len(row) >= size:
        return row[:size]
    return np.concatenate([row, np.full(size - len(row), value)])
