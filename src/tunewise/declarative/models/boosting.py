"""Boosted trees by LightGBM."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np

from tunewise.declarative.models.forests import write_trees
from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.matrix import Learned, MatrixModel, Rows, softmax
from tunewise.declarative.models.model import Array, Model, Size
from tunewise.declarative.models.threads import quiet, threads
from tunewise.errors import optional


@dataclass(frozen=True)
class Trees:
    """How trees are grown.

    Attributes:
        rate: By which each tree counts.
        leaves: Of a tree at most.
        rounds: At most; a held-out part stops it before.
        patience: Rounds without a better held-out loss before it stops.
    """

    rate: float = 0.1
    leaves: int = 31
    rounds: int = 300
    patience: int = 20


SMALL = Trees(rate=0.05, leaves=7, rounds=1500, patience=60)
"""Better than the usual ones for smooth numbers, worse for many classes."""

HELD_OUT = 0.15
"""The share of the rows that chooses the number of rounds."""


class Boosting(MatrixModel):
    """LightGBM; the number of rounds is chosen on a held-out part."""

    name, year, citations = "boosting", 2017, 15000
    templates = ("tables", "images")
    normalised = False

    def __init__(self, *, power: float | None = None, trees: Trees | None = None) -> None:
        """Take how trees are grown."""
        super().__init__(power=power)
        self.trees = trees or Trees()

    @classmethod
    def variants(cls, settings: Mapping[str, Any]) -> dict[str, Model]:
        """Many small trees."""
        return {"small": cls(trees=SMALL)}

    def learn(self, rows: Rows) -> Learned:
        """One booster for classes, one a number otherwise."""
        if rows.classes:
            return _classes(rows, self.trees)
        made = [
            _booster(rows, rows.y[:, k], {"objective": "l2"}, self.trees) for k in range(rows.width)
        ]

        def predict(x: Array) -> Array:
            return np.stack([each.predict(x) for each in made], axis=1).astype(np.float32)

        def write(graph: Graph, source: str) -> str:
            spread = [
                _spread(tree, k, rows.width) for k, each in enumerate(made) for tree in _trees(each)
            ]
            return write_trees(graph, source, spread, np.arange(rows.width), rows.width)

        return Learned(predict, write)

    def seconds(self, size: Size) -> float:
        """A histogram of each column in each round, for each class."""
        classes = 1 if size.outputs <= 2 else size.outputs
        bins = size.examples * exp(0.8 * log(size.inputs)) + 2000
        rounds = self.trees.rounds * self.trees.leaves / (self.trees.leaves + 31) * 2
        return 0.1 + 2.5e-8 * rounds * classes * bins


def _classes(rows: Rows, trees: Trees) -> Learned:
    single = rows.width == 2
    objective = (
        {"objective": "binary"} if single else {"objective": "multiclass", "num_class": rows.width}
    )
    booster = _booster(rows, rows.y, objective, trees)
    outputs = 1 if single else rows.width

    def scores(x: Array) -> Array:
        raw = np.asarray(booster.predict(x, raw_score=True)).reshape(len(x), -1)
        return np.hstack([np.zeros_like(raw), raw]) if single else raw

    def write(graph: Graph, source: str) -> str:
        spread = [
            _spread(tree, number % outputs, outputs) for number, tree in enumerate(_trees(booster))
        ]
        raw = write_trees(graph, source, spread, np.arange(outputs), outputs)
        if single:
            raw = graph.add("Concat", graph.scaled(raw, 0.0), raw, axis=1)
        return graph.softmax(raw)

    return Learned(lambda x: softmax(scores(x)), write)


def _booster(rows: Rows, target: Array, objective: dict[str, Any], trees: Trees) -> Any:
    """Rounds by a held-out part, then all rows."""
    lightgbm = optional("lightgbm", extra="tasks")
    options = {
        **objective,
        "num_threads": threads(),
        "seed": rows.seed,
        "deterministic": True,
        "verbosity": -1,
        "force_row_wise": True,
        "learning_rate": trees.rate,
        "num_leaves": trees.leaves,
        "feature_fraction": 0.8,
        "min_data_in_leaf": 10 if len(rows.x) < 2000 else 20,
        "feature_pre_filter": False,
    }
    places = np.random.default_rng(rows.seed).permutation(len(target))
    cut = max(1, round(len(places) * HELD_OUT))
    with quiet():
        learning = lightgbm.Dataset(rows.x[places[cut:]], target[places[cut:]])
        judging = learning.create_valid(rows.x[places[:cut]], target[places[:cut]])
        stop = lightgbm.early_stopping(trees.patience, verbose=False)
        first = lightgbm.train(options, learning, trees.rounds, [judging], callbacks=[stop])
        rounds = max(1, first.best_iteration)
        return lightgbm.train(options, lightgbm.Dataset(rows.x, target), rounds)


def _trees(booster: Any) -> list[dict[str, Array]]:
    """Each tree's nodes as arrays: first the splits, then the leaves."""
    return [_tree(text) for text in booster.model_to_string().split("\nTree=")[1:]]


def _tree(text: str) -> dict[str, Array]:
    fields = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    values = np.array(fields["leaf_value"].split(), float)
    if len(values) == 1:
        nothing = np.zeros(1, int)
        return {
            "column": nothing,
            "threshold": np.zeros(1),
            "left": nothing,
            "right": nothing,
            "leaf": np.ones(1, bool),
            "values": values,
        }
    splits = len(values) - 1
    padding = np.zeros(len(values), int)
    children = {side: np.array(fields[f"{side}_child"].split(), int) for side in ("left", "right")}
    children = {side: np.where(c < 0, splits - 1 - c, c) for side, c in children.items()}
    return {
        "column": np.concatenate([np.array(fields["split_feature"].split(), int), padding]),
        "threshold": np.concatenate([np.array(fields["threshold"].split(), float), padding]),
        "left": np.concatenate([children["left"], padding]),
        "right": np.concatenate([children["right"], padding]),
        "leaf": np.arange(splits + len(values)) >= splits,
        "values": values,
    }


def _spread(tree: dict[str, Array], target: int, width: int) -> dict[str, Array]:
    """The tree with its values in one column of the targets."""
    values = np.zeros((len(tree["values"]), width))
    values[:, target] = tree["values"]
    return {**tree, "values": values}
