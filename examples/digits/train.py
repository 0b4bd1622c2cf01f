"""Trains two small neural networks to read handwritten digits: the job that is tuned.

A trial runs in a process of its own. It trains on a share of the data (`trial.fraction`), by as
many worker threads as its config says, and measures accuracy on data that no trial trains on.
"""

import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tunewise import Trial
from tunewise.data import subset
from tunewise.errors import optional

# Here, and not in `train`: so they are imported once, and not in the paid time of each trial.
optional("sklearn", extra="examples")
from sklearn.datasets import load_digits  # noqa: E402 - its absence is told in a sentence first
from sklearn.exceptions import ConvergenceWarning  # noqa: E402 - as above
from sklearn.model_selection import train_test_split  # noqa: E402 - as above
from sklearn.neural_network import MLPClassifier  # noqa: E402 - as above

EPOCHS = 8
NETWORKS = 2


def train(trial: Trial) -> dict[str, float]:
    """Train and test one config; returns the accuracy and the seconds that training took."""
    images, labels, test_images, test_labels = digits(trial.fraction)
    # Epochs are fixed, so that time depends on the config alone: not to converge is meant.
    warnings.simplefilter("ignore", ConvergenceWarning)
    threads = trial.config["threads"]
    # One core for each worker thread: the libraries below must not add threads of their own.
    with threadpool_limits(1), ThreadPoolExecutor(threads) as workers:
        fits = workers.map(lambda seed: fitted(trial.config, images, labels, seed), range(NETWORKS))
        networks, worked = zip(*fits, strict=True)
        votes = sum(network.predict_proba(test_images) for network in networks)
    seconds = sum(worked) / threads  # as on idle cores, whatever else runs on this machine
    accuracy = float((votes.argmax(axis=1) == test_labels).mean())
    print(f"{len(images)} images, {seconds:.2f} s of training, accuracy {accuracy:.3f}")
    return {"accuracy": accuracy, "time": seconds}


def digits(fraction: float) -> tuple[Any, Any, Any, Any]:
    """A slice of the training images and labels, and all test images and labels."""
    images, labels = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        images / 16, labels, test_size=0.3, random_state=0, stratify=labels
    )
    train_x, train_y = subset(train_x, train_y, fraction=fraction, stratify=train_y)
    return *with_shifted(train_x, train_y), test_x, test_y


def with_shifted(images: Any, labels: Any) -> tuple[Any, Any]:
    """The images, and each of them moved by a pixel to every side: five times as many."""
    squares = np.pad(images.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    corners = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
    moved = [squares[:, y : y + 8, x : x + 8].reshape(-1, 64) for y, x in corners]
    return np.concatenate(moved), np.tile(labels, len(corners))


def fitted(config: dict[str, Any], images: Any, labels: Any, seed: int) -> tuple[Any, float]:
    """One network, trained for a fixed number of epochs, and the processor's seconds it took."""
    began = time.thread_time()
    network = MLPClassifier(
        hidden_layer_sizes=(config["width"],),
        learning_rate_init=config["learning_rate"],
        batch_size=min(config["batch_size"], len(images)),
        max_iter=EPOCHS,
        random_state=seed,
    )
    return network.fit(images, labels), time.thread_time() - began
