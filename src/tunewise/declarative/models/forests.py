"""Ensembles of trees grown by scikit-learn: extra trees and random forests."""

from math import log2, sqrt
from typing import Any

import numpy as np

from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.matrix import Learned, MatrixModel, Rows
from tunewise.declarative.models.model import Array, Size
from tunewise.declarative.models.threads import quiet, threads
from tunewise.errors import optional

TREES = 150
"""In an ensemble: more cost seconds and bytes, and bring little."""

MOST_LEAVES = 400_000
"""Of an ensemble, so that its file stays below some 40 MB."""


class ExtraTrees(MatrixModel):
    """Extremely randomised trees."""

    name, year, citations = "extra_trees", 2006, 9000
    templates = ("tables", "images")
    normalised = False

    def learn(self, rows: Rows) -> Learned:
        """Grow the trees."""
        return forest_learned("ExtraTrees", rows)

    def seconds(self, size: Size) -> float:
        """At each split some columns, one threshold each."""
        return 0.2 + 3e-6 * size.examples * log2(size.examples + 2) * _columns(size, 1.0)


class Forest(MatrixModel):
    """Random forest."""

    name, year, citations = "forest", 2001, 120000
    templates = ("tables",)

    def learn(self, rows: Rows) -> Learned:
        """Grow the trees."""
        return forest_learned("RandomForest", rows)

    def seconds(self, size: Size) -> float:
        """As extra trees, with all thresholds of each column."""
        return 0.2 + 6e-6 * size.examples * log2(size.examples + 2) * _columns(size, 0.5)


def _columns(size: Size, share: float) -> float:
    """Columns that are looked at: for classes the square root of all, for numbers a share."""
    return share * size.inputs if size.outputs == 1 else sqrt(size.inputs)


def forest_learned(kind: str, rows: Rows) -> Learned:
    """An ensemble of scikit-learn by the first half of its class's name."""
    ensemble = optional("sklearn.ensemble", extra="tasks")
    made = getattr(ensemble, kind + ("Classifier" if rows.classes else "Regressor"))
    options: dict[str, Any] = {
        "n_estimators": TREES,
        "random_state": rows.seed,
        "n_jobs": threads(),
    }
    if not rows.classes:
        options["max_features"] = 0.5 if kind == "RandomForest" else 1.0
    if len(rows.x) * TREES > MOST_LEAVES:
        options["max_leaf_nodes"] = MOST_LEAVES // TREES
    trees = made(**options)
    with quiet():
        trees.fit(
            rows.x, rows.y if rows.classes else rows.y.squeeze(1) if rows.width == 1 else rows.y
        )
    return Learned(lambda x: _own(trees, x, rows), lambda graph, x: write(graph, x, trees, rows))


def _own(trees: Any, x: Array, rows: Rows) -> Array:
    with quiet():
        if not rows.classes:
            return np.asarray(trees.predict(x), np.float32).reshape(len(x), -1)
        found = np.zeros((len(x), rows.width), np.float32)
        found[:, trees.classes_] = trees.predict_proba(x)
    return found


def write(graph: Graph, source: str, trees: Any, rows: Rows) -> str:
    """The ensemble as one node: numbers of all trees side by side."""
    targets = trees.classes_ if rows.classes else np.arange(rows.width)
    grown = [_arrays(each.tree_, rows, len(trees.estimators_)) for each in trees.estimators_]
    return write_trees(graph, source, grown, np.asarray(targets), rows.width)


def _arrays(tree: Any, rows: Rows, count: int) -> dict[str, Array]:
    leaf = tree.children_left < 0
    values = tree.value[leaf]
    values = values[:, 0, :] if rows.classes else values[:, :, 0]
    if rows.classes:
        values = values / values.sum(axis=1, keepdims=True)
    return {
        "column": np.where(leaf, 0, tree.feature),
        "threshold": np.where(leaf, 0.0, tree.threshold),
        "left": np.where(leaf, 0, tree.children_left),
        "right": np.where(leaf, 0, tree.children_right),
        "leaf": leaf,
        "values": values / count,
    }


def write_trees(
    graph: Graph, source: str, trees: list[dict[str, Array]], targets: Array, width: int
) -> str:
    """Trees given as arrays over their nodes, and over their leaves the values of the targets."""
    sizes = [len(tree["left"]) for tree in trees]
    numbers = np.repeat(np.arange(len(trees)), sizes)
    nodes = np.concatenate([np.arange(size) for size in sizes])
    leaf = np.concatenate([tree["leaf"] for tree in trees])
    places, columns = np.nonzero(values := np.concatenate([tree["values"] for tree in trees]))
    leaves = np.flatnonzero(leaf)[places]
    joined = {
        key: np.concatenate([tree[key] for tree in trees])
        for key in ("column", "threshold", "left", "right")
    }
    return graph.trees(
        source,
        width,
        nodes_treeids=numbers,
        nodes_nodeids=nodes,
        nodes_featureids=joined["column"],
        nodes_values=_below(joined["threshold"]),
        nodes_truenodeids=joined["left"],
        nodes_falsenodeids=joined["right"],
        nodes_modes=["LEAF" if each else "BRANCH_LEQ" for each in leaf.tolist()],
        target_treeids=numbers[leaves],
        target_nodeids=nodes[leaves],
        target_ids=targets[columns],
        target_weights=values[places, columns].astype(np.float32),
    )


def _below(thresholds: Array) -> Array:
    """The largest float32 at or below each threshold: `x <= t` is then the same for float32 x."""
    near = thresholds.astype(np.float32)
    return np.where(near > thresholds, np.nextafter(near, np.float32(-np.inf)), near)
