"""Text and anything else that is bytes: linear models on n-grams, and on word vectors."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from tunewise.declarative.encoders import grams
from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.linear import affine, logistic_learned, ridge_learned
from tunewise.declarative.models.matrix import Learned, Rows
from tunewise.declarative.models.model import Array, Data, Fitted, Model, Size
from tunewise.declarative.models.threads import quiet
from tunewise.declarative.schema import Program
from tunewise.errors import DataError, optional

STRENGTHS = (3.0, 30.0, 300.0)
"""Inverse strengths of logistic regression that are tried: rows have length 1 here."""

VARIABLE = "TUNEWISE_WORD_VECTORS"
"""Of the environment: names a file of word vectors."""

DIMENSIONS = 100
"""Of word vectors that are learned from the examples."""


class Grams(Model):
    """Byte n-grams, weighed by how rare they are, with a linear model."""

    name, year, citations = "byte_ngrams", 1994, 3000
    templates = ("general",)

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Count, weigh, learn."""
        part = data.slice(fraction, seed)
        encoder = grams.learned_grams(part.inputs, part.program.input)
        x = sparse(encoder, part.inputs)
        rows = Rows(x, part.targets(), part.width(), part.classes is not None, seed)
        learned = logistic_learned(rows, STRENGTHS) if rows.classes else _sparse_ridge(rows)
        graph = Graph(x=(x.shape[1],))
        onnx = graph.bytes(learned.write(graph, "x"), part.width())
        return Fitted(onnx, encoder, None, lambda feeds: learned.predict(feeds["x"]))

    def seconds(self, size: Size) -> float:
        """Each byte begins five grams."""
        return 0.3 + 2e-6 * size.examples * size.inputs * (5 + size.outputs)


class WordVectors(Model):
    """The average vector of a text's words, with a linear model.

    The vectors are learned from the examples, or come from a file in GloVe's format.
    """

    name, year, citations = "word_vectors", 2014, 40000
    templates = ("general",)

    def __init__(self, *, power: float | None = None, vectors: Path | None = None) -> None:
        """Take a file of word vectors; without, they are learned."""
        super().__init__(power=power)
        self.vectors = vectors

    @classmethod
    def variants(cls, settings: Mapping[str, Any]) -> dict[str, Model]:
        """With the vectors of the file that the task or the environment names."""
        file = settings.get("vectors") or os.environ.get(VARIABLE)
        return {"file": cls(vectors=Path(file))} if file else {}

    @classmethod
    def suits(cls, program: Program) -> bool:
        """Words are in texts alone."""
        return program.input.single is not None and program.input.single.text

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Weigh the words, average their vectors, learn."""
        part = data.slice(fraction, seed)
        encoder = grams.learned_words(part.inputs)
        x = sparse(encoder, part.inputs)
        known = encoder["vocabulary"]
        vectors = _learned(x, seed) if self.vectors is None else read(self.vectors, known)
        rows = Rows(x @ vectors, part.targets(), part.width(), part.classes is not None, seed)
        learned = logistic_learned(rows, STRENGTHS) if rows.classes else ridge_learned(rows)
        graph = Graph(x=(len(known),))
        average = graph.add("MatMul", "x", graph.constant(vectors))
        onnx = graph.bytes(learned.write(graph, average), part.width())
        return Fitted(onnx, encoder, None, lambda feeds: learned.predict(feeds["x"] @ vectors))

    def seconds(self, size: Size) -> float:
        """A decomposition of the words' matrix."""
        return 0.5 + 3e-6 * size.examples * size.inputs + 1e-6 * size.examples * size.outputs


def sparse(encoder: dict[str, Any], inputs: Any) -> Any:
    """What the encoder gives, as a sparse matrix (n, columns)."""
    matrices = optional("scipy.sparse", extra="tasks")
    rows, columns, values = grams.entries(encoder)(inputs)
    shape = (len(inputs), len(encoder["rare"]))
    return matrices.csr_matrix((values, (rows, columns)), shape=shape)


def _learned(x: Any, seed: int) -> Array:
    """Vectors (words, dimensions) that explain which words stand in the same texts."""
    decomposition = optional("sklearn.decomposition", extra="tasks")
    dimensions = max(1, min(DIMENSIONS, min(x.shape) - 1))
    with quiet():
        found = decomposition.TruncatedSVD(dimensions, random_state=seed).fit(x)
    return np.ascontiguousarray(found.components_.T, np.float32)


def read(file: Path, known: list[str]) -> Array:
    """The vectors (words, dimensions) of known words; a word that is not in the file gets 0.

    Args:
        file: A line a word: the word, then its numbers, separated by blanks.
        known: The words of the examples.
    """
    places = {word: place for place, word in enumerate(known)}
    found: dict[int, Array] = {}
    width: int | None = None
    with _opened(file) as lines:
        for number, line in enumerate(lines, 1):
            word, *values = line.rstrip().split(" ")
            if width is not None and len(values) != width:
                raise DataError(
                    f"{file.name}:{number} has {len(values)} numbers; expected {width} as before"
                )
            width = len(values)
            if word in places:
                found[places[word]] = _numbers(values, f"{file.name}:{number}")
    vectors = np.zeros((len(known), width or 1), np.float32)
    for place, vector in found.items():
        vectors[place] = vector
    return vectors


def _opened(file: Path) -> TextIO:
    try:
        return file.open(encoding="utf-8")
    except OSError as error:
        raise DataError(f"the file of word vectors {file} cannot be read: {error}") from error


def _numbers(values: list[str], where: str) -> Array:
    try:
        return np.array(values, np.float32)
    except ValueError as error:
        raise DataError(f"{where} has a word vector that is no list of numbers") from error


def _sparse_ridge(rows: Rows) -> Learned:
    """A ridge on a sparse matrix; its strength is chosen on a held-out fifth."""
    linear_model = optional("sklearn.linear_model", extra="tasks")
    learning, judging = rows.split()
    losses = []
    for strength in STRENGTHS:
        found = linear_model.Ridge(alpha=30.0 / strength).fit(learning.x, learning.y)
        guess = found.predict(judging.x).reshape(judging.y.shape)
        losses.append(float(np.mean((guess - judging.y) ** 2)))
    best = STRENGTHS[int(np.argmin(losses))]
    found = linear_model.Ridge(alpha=30.0 / best).fit(rows.x, rows.y)
    weights = np.atleast_2d(found.coef_).T
    return affine(weights, np.broadcast_to(found.intercept_, rows.width), classes=False)
