"""Trains a small network on Fashion-MNIST: the job that is tuned.

It trains on a slice of the data (`trial.fraction`) until nine tenths of it are expected to have
been seen, or until a time cap, and reports the accuracy that the same training had on its way.
"""

from collections.abc import Callable
from typing import Any

import fashion
import networks
from parallel import Plan, train

from tunewise.data import covering_iterations
from tunewise.errors import optional
from tunewise.execution import RunningTrial

CAP = 30.0
"""Seconds of training after which a config is as good as it is by then."""


TESTED = 5_000
"""Pictures that the book-keeper measures the accuracy on."""


def cnn(trial: RunningTrial) -> dict[str, float]:
    """A convolutional network."""
    return trained(trial, networks.cnn)


def mlp(trial: RunningTrial) -> dict[str, float]:
    """One hidden layer."""
    return trained(trial, networks.mlp)


def lstm(trial: RunningTrial) -> dict[str, float]:
    """A recurrent network."""
    return trained(trial, networks.lstm)


def preload() -> None:
    """What every trial needs: read once, where trials start as copies of one process."""
    fashion.load()
    optional("torch", extra="torch")


def trained(trial: RunningTrial, network: Callable[[int], networks.Network]) -> dict[str, float]:
    """Train and test one config; returns the accuracy and the seconds that training took."""
    torch = optional("torch", extra="torch")
    torch.set_num_threads(1)  # the workers are the config's own way to use more cores
    torch.manual_seed(trial.number)
    data = fashion.load()
    images, labels = trial.subset(data.images, data.labels, stratify=data.labels)
    config = trial.config
    batch = min(int(config["batch_size"]), len(images))
    iterations = covering_iterations(len(images), batch, workers=int(config["workers"]))
    snapshots = [s for s in trial.snapshots if s < trial.fraction]
    marks = {max(1, round(iterations * s / trial.fraction)): s for s in sorted(snapshots)}
    marks = {mark: s for mark, s in marks.items() if mark < iterations}
    plan = Plan(
        workers=int(config["workers"]),
        synchronous=config["mode"] == "sync",
        learning_rate=float(config["learning_rate"]),
        batch_size=batch,
        iterations=iterations,
        marks=(*marks, iterations),
        cap=CAP,
        seed=trial.number,
    )
    made = network(int(config["width"]))
    test = [torch.from_numpy(part[:TESTED]) for part in (data.test_images, data.test_labels)]
    learned = torch.from_numpy(images), torch.from_numpy(labels)
    result: dict[str, float] = {}
    for passed in train(made, *learned, plan):
        result = {"accuracy": accuracy(made, passed.weights, *test), "time": passed.seconds}
        if passed.mark < len(marks):
            trial.report(result, fraction=list(marks.values())[passed.mark])
    return result


def accuracy(network: networks.Network, weights: Any, images: Any, labels: Any) -> float:
    """The share of pictures that the network with these weights gets right."""
    torch = optional("torch", extra="torch")
    torch.nn.utils.vector_to_parameters(weights, network.parameters)
    with torch.no_grad():
        return float((network.scores(images).argmax(dim=1) == labels).float().mean())
