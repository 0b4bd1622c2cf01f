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
from tunewise.declarative.examples.parts import FEW, part_of
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
        score: How suspicious, 1 is most; of a label the probability that models which did not see
            the example give to all other labels.
        why: One sentence.
        part: "training" or "validation"; "either" while examples are few.
        source: Where it came from.
    """

    id: str
    kind: str
    score: float
    why: str
    part: str
    source: str = ""


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
    few = len(rows) < FEW
    if classes is not None:
        given = np.array([classes.index(row.label or "") for row in rows])
        for at, doubt in wrong_labels(given, probabilities):
            likely = classes[int(probabilities[at].argmax())]
            why = (
                f"labelled {rows[at].label!r}, which models that did not see it believe with"
                f" {probabilities[at][given[at]]:.0%}; they say {likely!r}"
                f" with {probabilities[at].max():.0%}"
            )
            found.append(_suspect(rows[at], "label", doubt, why, salt, few))
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
    first, few = max(0, len(rows) - MOST), len(rows) < FEW
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
        apart = part_of(rows[at].input, salt, few) != part_of(rows[other].input, salt, few)
        kind = "leak" if apart else "duplicate"
        said = f"nearly the same as e{rows[other].number}"
        said += ", which is in the other part" if apart else ""
        if rows[at].label != rows[other].label:
            said += f", which is labelled {rows[other].label!r}"
        found.append(
            _suspect(rows[at], kind, 1 - float(nearest[at]) / max(usual, 1e-12), said, salt, few)
        )
    middle = float(np.median(fifth))
    spread = float(np.median(np.abs(fifth - middle))) or 1e-12
    for at in np.flatnonzero(fifth > middle + FAR * spread).tolist():
        score = 1 - (middle + FAR * spread) / float(fifth[at])
        found.append(_suspect(rows[at], "outlier", score, "it is like no other input", salt, few))
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


def _suspect(row: ExampleRow, kind: str, score: float, why: str, salt: str, few: bool) -> Suspect:
    return Suspect(
        f"e{row.number}", kind, float(score), why, part_of(row.input, salt, few), row.source
    )
