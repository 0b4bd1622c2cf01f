"""Gradient-boosted trees on a table: each row a picture of clothes, each column a part of it."""

import time

import fashion

from tunewise.errors import optional
from tunewise.execution import RunningTrial

SIDE = 7
"""Columns are the mean brightness of 7 by 7 parts of a picture."""


def train(trial: RunningTrial) -> dict[str, float]:
    """Train and test one config; returns the accuracy and the seconds that training took."""
    boosting = optional("sklearn.ensemble", extra="examples")
    pools = optional("threadpoolctl", extra="examples")
    data = fashion.load()
    rows, classes = trial.subset(table(data.images), data.labels, stratify=data.labels)
    config = trial.config
    model = boosting.HistGradientBoostingClassifier(
        learning_rate=config["learning_rate"],
        max_leaf_nodes=config["leaves"],
        max_iter=config["trees"],
        early_stopping=False,
        random_state=trial.number,
    )
    began = time.perf_counter()
    with pools.threadpool_limits(config["workers"]):
        model.fit(rows, classes)
    seconds = time.perf_counter() - began
    return {
        "accuracy": float(model.score(table(data.test_images), data.test_labels)),
        "time": seconds,
    }


def preload() -> None:
    """What every trial needs: read once, where trials start as copies of one process."""
    fashion.load()


def table(images: fashion.Array) -> fashion.Array:
    """Pictures as rows of numbers."""
    step = fashion.SIDE // SIDE
    blocks = images.reshape(len(images), SIDE, step, SIDE, step)
    rows: fashion.Array = blocks.mean(axis=(2, 4)).reshape(len(images), SIDE * SIDE)
    return rows
