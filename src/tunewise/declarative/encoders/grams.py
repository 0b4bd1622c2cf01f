"""Counts of byte n-grams and of words, for linear models."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.declarative.encoders import serial

Array = npt.NDArray[Any]
Entries = tuple[Array, Array, Array]

LONGEST_GRAM = 5
"""Bytes: 40 bits, so that a gram and its length are one whole number."""

MOST_GRAMS = 8192
"""Grams that are counted: those in the most examples."""

MOST_BYTES = 4000
"""Of an input that are looked at."""

MOST_WORDS = 5000
"""Words that are counted: those in the most examples."""

LOOKED_AT = 4000
"""Examples that the vocabulary is made of."""

_WORD = re.compile(r"\w+")


def learned_grams(inputs: Sequence[Any], kind: Any) -> dict[str, Any]:
    """The most frequent grams, and how rare each is."""
    spec = serial.learned(inputs[:LOOKED_AT], kind)
    per_text = [np.unique(grams(serial.packed(value, spec))) for value in inputs[:LOOKED_AT]]
    found, seen = np.unique(np.concatenate(per_text), return_counts=True)
    order = np.lexsort((found, -seen))
    kept = np.sort(order[seen[order] >= min(2, len(inputs))][:MOST_GRAMS])
    return {
        "kind": "grams",
        "spec": spec,
        "vocabulary": found[kept].tolist(),
        "rare": _rare(seen[kept], len(per_text)).tolist(),
    }


def learned_words(inputs: Sequence[str]) -> dict[str, Any]:
    """The most frequent words, and how rare each is."""
    seen = Counter(word for text in inputs for word in set(words(text)))
    common = sorted(seen.items(), key=lambda each: (-each[1], each[0]))[:MOST_WORDS]
    counts = np.array([count for _, count in common] or [1])
    return {
        "kind": "words",
        "vocabulary": [word for word, _ in common] or [""],
        "rare": _rare(counts, len(inputs)).tolist(),
    }


def _rare(seen: Array, texts: int) -> Array:
    return np.log((1.0 + texts) / (1.0 + seen)) + 1.0


def words(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return _WORD.findall(text.lower())


def grams(text: bytes) -> Array:
    """All n-grams of a text as whole numbers, n from 1 on."""
    letters = np.frombuffer(text[:MOST_BYTES], np.uint8).astype(np.int64)
    found, parts = np.zeros(len(letters) + 1, np.int64), []
    for n in range(1, LONGEST_GRAM + 1):
        if n > len(letters):
            break
        found = found[: len(letters) - n + 1] * 256 + letters[n - 1 :]
        parts.append(found + (n << 40))
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def entries(encoder: Mapping[str, Any]) -> Callable[[Any], Entries]:
    """A function from inputs to the numbers that are not 0: rows, columns and values."""
    rare = np.array(encoder["rare"], np.float32)
    places = _places(encoder)

    def found(inputs: Any) -> Entries:
        per_text = [places(value) for value in inputs]
        rows = np.repeat(np.arange(len(per_text)), [len(each) for each in per_text])
        columns = np.concatenate([*per_text, np.empty(0, np.int64)]).astype(np.int64)
        cells, counts = np.unique(rows * len(rare) + columns, return_counts=True)
        rows, columns = cells // len(rare), cells % len(rare)
        values = (1 + np.log(counts)).astype(np.float32) * rare[columns]
        lengths = np.sqrt(np.bincount(rows, values**2, minlength=len(per_text)))
        return rows, columns, values / lengths[rows].astype(np.float32)

    return found


def _places(encoder: Mapping[str, Any]) -> Callable[[Any], Array]:
    """A function from one input to the places of its grams or words in the vocabulary."""
    if encoder["kind"] == "words":
        known = {word: place for place, word in enumerate(encoder["vocabulary"])}
        return lambda text: np.array([known[w] for w in words(text) if w in known], np.int64)
    vocabulary, spec = np.array(encoder["vocabulary"], np.int64), encoder["spec"]

    def places(value: Any) -> Array:
        there = grams(serial.packed(value, spec))
        near = np.minimum(np.searchsorted(vocabulary, there), len(vocabulary) - 1)
        return np.asarray(near[vocabulary[near] == there])

    return places


def ready(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """Inputs as rows of length 1, one column a gram or word."""
    found, width = entries(encoder), len(encoder["rare"])

    def encoded(inputs: Any) -> dict[str, Array]:
        rows, columns, values = found(inputs)
        x = np.zeros((len(inputs), width), np.float32)
        x[rows, columns] = values
        return {"x": x}

    return encoded
