"""Trees: counts of their subtrees, and their nodes with who is below whom."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

BUCKETS = 1024
"""Columns that subtrees are hashed to."""

LEVELS = 3
"""That a number is told apart by where it has many values; few values each are one."""

MOST_NODES = 64
"""Of a tree that a network sees, those nearest to the root."""

DEPTHS = (1, 2, 3)
"""Levels of the subtrees that are counted."""


def learned(inputs: Sequence[Any], pointers: Sequence[str], kind: str) -> dict[str, Any]:
    """Mean, spread and cuts between levels of each number of a node, and the largest tree."""
    trees = [list(walk(tree, pointers)) for tree in inputs]
    values = np.concatenate([[numbers(node, pointers) for node, _, _ in tree] for tree in trees])
    spread = values.std(axis=0)
    cuts = [_cuts(column) for column in values.T]
    return {
        "kind": kind,
        "pointers": list(pointers),
        "mean": values.mean(axis=0).tolist(),
        "scale": np.where(spread > 1e-12, spread, 1.0).tolist(),
        "cuts": cuts,
        "nodes": min(MOST_NODES, max(len(tree) for tree in trees)),
    }


def _cuts(column: Array) -> list[float]:
    distinct = np.unique(column)
    if len(distinct) <= 2 * LEVELS:
        return [float(each) for each in (distinct[1:] + distinct[:-1]) / 2]
    return [float(each) for each in np.quantile(column, np.arange(1, LEVELS) / LEVELS)]


def walk(tree: Any, pointers: Sequence[str]) -> Iterator[tuple[Any, int, int]]:
    """Nodes level by level, each with the place of the one above (-1) and by which pointer."""
    waiting: list[tuple[Any, int, int]] = [(tree, -1, 0)]
    for place, (node, above, pointer) in enumerate(waiting):
        yield node, above, pointer
        waiting += [(node[p], place, k) for k, p in enumerate(pointers) if node.get(p) is not None]


def numbers(node: Mapping[str, Any], pointers: Sequence[str]) -> Array:
    """The numbers of a node's fields; of a text its length."""
    parts = [value for key, value in node.items() if key not in pointers]
    return np.concatenate(
        [np.ravel(np.asarray(len(p) if isinstance(p, str) else p, float)) for p in parts]
    )


def ready_subtrees(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """Rows: logarithms of how often each hashed subtree is there, then sums over all nodes."""
    pointers, cuts = encoder["pointers"], [np.array(each) for each in encoder["cuts"]]
    mean, scale = np.array(encoder["mean"]), np.array(encoder["scale"])

    def one(tree: Any) -> Array:
        counts = np.zeros(BUCKETS)
        nodes = list(walk(tree, pointers))
        values = np.array([numbers(node, pointers) for node, _, _ in nodes])
        levels = np.stack(
            [np.searchsorted(cut, column) for cut, column in zip(cuts, values.T, strict=True)], 1
        )
        names = [row.astype(np.int8).tobytes() for row in levels]
        below: list[list[tuple[int, int]]] = [[] for _ in nodes]
        for place, (_, above, pointer) in enumerate(nodes):
            if above >= 0:
                below[above].append((pointer, place))
        known = names
        for depth in DEPTHS:
            for name in known:
                counts[zlib.crc32(name, depth) % BUCKETS] += 1
            known = [
                names[k] + b"".join(b"(%d" % p + known[c] + b")" for p, c in below[k])
                for k in range(len(nodes))
            ]
        for place, level in ((place, level) for row in levels for place, level in enumerate(row)):
            counts[zlib.crc32(b"%d=%d" % (place, level)) % BUCKETS] += 1
        scaled = (values - mean) / scale
        whole = np.concatenate([scaled[0], scaled.mean(axis=0), [np.log(len(nodes))]])
        return np.concatenate([np.log1p(counts), whole]).astype(np.float32)

    return lambda inputs: {"x": np.stack([one(tree) for tree in inputs])}


def ready(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """(n, 1 + pointers, nodes, wide): tables over the nodes, the root first.

    The first has scaled numbers and that there is a node; each other has, for a pointer, a 1 at the
    node that it points to. They are as wide as the widest needs.
    """
    pointers, most = encoder["pointers"], int(encoder["nodes"])
    mean, scale = np.array(encoder["mean"]), np.array(encoder["scale"])
    width = len(mean)

    def encoded(inputs: Any) -> dict[str, Array]:
        found = np.zeros((len(inputs), 1 + len(pointers), most, max(most, width + 1)), np.float32)
        for row, nodes in enumerate(walk(tree, pointers) for tree in inputs):
            for place, (node, above, pointer) in zip(range(most), nodes, strict=False):
                found[row, 0, place, :width] = (numbers(node, pointers) - mean) / scale
                found[row, 0, place, width] = 1.0
                if above >= 0:
                    found[row, 1 + pointer, above, place] = 1.0
        return {"x": found}

    return encoded
