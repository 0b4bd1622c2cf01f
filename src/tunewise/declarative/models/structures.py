"""Trees as inputs: hashed counts of subtrees, with a linear model or with support vectors."""

from typing import Any

from tunewise.declarative.encoders import nodes
from tunewise.declarative.models.linear import logistic_learned, ridge_learned
from tunewise.declarative.models.matrix import Learned, MatrixModel, Rows
from tunewise.declarative.models.model import Data, Size
from tunewise.declarative.models.vectors import Vectors, vectors_learned


class Subtrees(MatrixModel):
    """How often each subtree is there, with a linear model."""

    name, year, citations = "subtrees", 2009, 3000
    templates = ("trees",)

    def encoder(self, part: Data) -> dict[str, Any]:
        """Hashed counts."""
        return nodes.learned(part.inputs, part.program.input.recursive, "subtrees")

    def learn(self, rows: Rows) -> Learned:
        """Logistic regression, or ridge for numbers."""
        return logistic_learned(rows) if rows.classes else ridge_learned(rows)

    def seconds(self, size: Size) -> float:
        """Mostly the counting."""
        return 0.3 + 2e-5 * size.examples * size.length + 1e-4 * size.examples * size.outputs


class TreeKernel(MatrixModel):
    """Support vectors; two trees are near when they share subtrees."""

    name, year, citations = "tree_kernel", 2001, 2500
    templates = ("trees",)

    def encoder(self, part: Data) -> dict[str, Any]:
        """Hashed counts: their products count the shared subtrees."""
        return nodes.learned(part.inputs, part.program.input.recursive, "subtrees")

    def learn(self, rows: Rows) -> Learned:
        """As for tables."""
        return vectors_learned(rows)

    def seconds(self, size: Size) -> float:
        """The counting, and support vectors."""
        columns = Size(size.examples, (nodes.BUCKETS,), size.outputs)
        return 2e-5 * size.examples * size.length + Vectors().seconds(columns)
