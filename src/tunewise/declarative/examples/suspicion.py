"""Examples that are worth a look: likely wrong labels, near-duplicates, outliers, leaks.

Likely wrong labels are those of confident learning (Northcutt et al. 2021): a class's threshold is
the mean probability of the class among those labelled so, and an example is suspected when another
class passes its threshold and is likelier than the given one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.declarative.examples.checking import checksum
from tunewise.declarative.examples.parts import in_validation
from tunewise.storage.tasks import ExampleRow

MOST = 6000
"""Examples that are compared pair by pair; of more, the newest."""

NEAR = 0.05
"""Of the usual distance to the nearest neighbour: below it two inputs are hardly different."""

FAR = 8.0
"""Median deviations beyond the usual distance to neighbours: an input that is like no other."""


@dataclass(frozen=True)
class Suspect:
    """An example that is worth a look.

    Attributes:
        id: Of the example.
        kind: "label", "duplicate", "leak" or "outlier".
        score: How suspicious, 1 is most.
        why: One sentence.
        part: "training" or "validation".
    """

    id: str
    kind: str
    score: float
    why: str
    part: str


def suspicious(
    rows: Sequence[ExampleRow],
    classes: tuple[str, ...] | None,
    probabilities: Any,
    vectors: Any,
    salt: str,
    inputs: Sequence[Any],
) -> list[Suspect]:
    """All suspects: wrong labels first, each kind ranked."""
    found: list[Suspect] = []
    if classes is not None:
        given = np.array([classes.index(row.label or "") for row in rows])
        for at, doubt in wrong_labels(given, probabilities):
            likely = classes[int(probabilities[at].argmax())]
            why = (
                f"labelled {rows[at].label!r}, but models that did not see it say {likely!r}"
                f" ({probabilities[at].max():.0%})"
            )
            found.append(_suspect(rows[at], "label", doubt, why, salt))
    return found + _by_distance(rows, vectors, salt, inputs)


def wrong_labels(given: Any, probabilities: Any) -> list[tuple[int, float]]:
    """Places of likely wrong labels, the surest first, with how unlikely each given label is."""
    count, classes = probabilities.shape
    thresholds = np.array(
        [
            probabilities[given == k, k].mean() if (given == k).any() else np.inf
            for k in range(classes)
        ]
    )
    passing = np.where(probabilities >= thresholds - 1e-9, probabilities, -1.0)
    believed = passing.argmax(axis=1)
    own = probabilities[np.arange(count), given]
    others = probabilities.copy()
    others[np.arange(count), given] = -1.0
    margin = others.max(axis=1) - own
    flagged = (passing.max(axis=1) >= 0) & (believed != given) | (margin > 0)
    # By how unlikely the given label is: of all orders that were tried the best on hard data.
    order = np.argsort(own, kind="stable")
    return [(int(at), float(1 - own[at])) for at in order if flagged[at]]


def _by_distance(
    rows: Sequence[ExampleRow], vectors: Any, salt: str, inputs: Sequence[Any]
) -> list[Suspect]:
    first = max(0, len(rows) - MOST)
    rows, vectors = rows[first:], np.asarray(vectors[first:], np.float32)
    inputs = inputs[first:]
    if len(rows) < 10:
        return []
    nearest, where, fifth = _neighbours(vectors)
    usual = float(np.median(nearest))
    found = []
    close = np.flatnonzero(nearest <= NEAR * usual).tolist() if usual > 0 else []
    for at in close:
        other = int(where[at])
        if rows[at].label == rows[other].label and checksum(inputs[at]) == checksum(inputs[other]):
            continue
        apart = in_validation(salt, rows[at].input) != in_validation(salt, rows[other].input)
        kind = "leak" if apart else "duplicate"
        said = f"nearly the same as e{rows[other].number}"
        said += ", which is in the other part" if apart else ""
        if rows[at].label != rows[other].label:
            said += f", which is labelled {rows[other].label!r}"
        found.append(
            _suspect(rows[at], kind, 1 - float(nearest[at]) / max(usual, 1e-12), said, salt)
        )
    middle = float(np.median(fifth))
    spread = float(np.median(np.abs(fifth - middle))) or 1e-12
    for at in np.flatnonzero(fifth > middle + FAR * spread).tolist():
        score = 1 - (middle + FAR * spread) / float(fifth[at])
        found.append(_suspect(rows[at], "outlier", score, "it is like no other input", salt))
    order = {"leak": 0, "duplicate": 1, "outlier": 2}
    return sorted(found, key=lambda each: (order[each.kind], -each.score, each.id))


def _neighbours(
    vectors: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.float32]]:
    """Distance to the nearest other, which one that is, and the distance to the fifth nearest."""
    centred = vectors - vectors.mean(axis=0)
    squares = (centred**2).sum(axis=1)
    count = len(centred)
    nearest, where, fifth = (
        np.empty(count, np.float32),
        np.empty(count, np.intp),
        np.empty(count, np.float32),
    )
    for begin in range(0, count, 500):
        rows = slice(begin, min(begin + 500, count))
        away = squares[rows, None] + squares[None, :] - 2 * centred[rows] @ centred.T
        away[np.arange(away.shape[0]), np.arange(begin, begin + away.shape[0])] = np.inf
        where[rows] = away.argmin(axis=1)
        five = np.partition(away, min(4, count - 2), axis=1)
        nearest[rows] = np.sqrt(np.maximum(away.min(axis=1), 0))
        fifth[rows] = np.sqrt(np.maximum(five[:, min(4, count - 2)], 0))
    return nearest, where, fifth


def _suspect(row: ExampleRow, kind: str, score: float, why: str, salt: str) -> Suspect:
    part = "validation" if in_validation(salt, row.input) else "training"
    return Suspect(f"e{row.number}", kind, float(score), why, part)
