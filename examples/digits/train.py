"""Trains two small neural networks to read handwritten digits: the job that is tuned.

A trial runs in a process of its own. It trains on a share of the data (`trial.fraction`), by as
many worker threads as its config says, and measures accuracy on data that no trial trains on.
"""

import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tunewise import Trial
from tunewise.errors import optional

EPOCHS = 15
NETWORKS = 2


def train(trial: Trial) -> dict[str, float]:
    """Train and test one config; returns the accuracy and the seconds that training took."""
    optional("sklearn", extra="examples")
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    images, labels, test_images, test_labels = digits(trial.fraction)
    # Epochs are fixed, so that time depends on the config alone: not to converge is meant.
    warnings.simplefilter("ignore", ConvergenceWarning)
    began = time.perf_counter()
    # One core for each worker thread: the libraries below must not add threads of their own.
    with threadpool_limits(1), ThreadPoolExecutor(trial.config["threads"]) as workers:
        networks = workers.map(
            lambda seed: fitted(trial.config, images, labels, seed), range(NETWORKS)
        )
        votes = sum(network.predict_proba(test_images) for network in networks)
    seconds = time.perf_counter() - began
    accuracy = float((votes.argmax(axis=1) == test_labels).mean())
    print(f"{len(images)} images, {seconds:.2f} s of training, accuracy {accuracy:.3f}")
    return {"accuracy": accuracy, "time": seconds}


def digits(fraction: float) -> tuple[Any, Any, Any, Any]:
    """A share of the training images and labels, and all test images and labels."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        images / 16, labels, test_size=0.3, random_state=0, stratify=labels
    )
    count = max(round(fraction * len(train_x)), 100)
    return train_x[:count], train_y[:count], test_x, test_y


def fitted(config: dict[str, Any], images: Any, labels: Any, seed: int) -> Any:
    """One network, trained for a fixed number of epochs."""
    from sklearn.neural_network import MLPClassifier

    network = MLPClassifier(
        hidden_layer_sizes=(config["width"],),
        learning_rate_init=config["learning_rate"],
        batch_size=min(config["batch_size"], len(images)),
        max_iter=EPOCHS,
        random_state=seed,
    )
    return network.fit(images, labels)
