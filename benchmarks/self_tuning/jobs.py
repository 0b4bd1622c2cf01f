"""Three trainings on 36 nodes of 8 cores at 1 Gbit/s, and the settings that they may run under.

The data are small, so that a training can be simulated to its end in seconds, and stand for larger
ones: links, disks and processors are slower by the same factor.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.self_tuning.network import Network
from tunewise.paramserver import Dataset, Logistic, Machines, Setting, Simulation, Svm, Training
from tunewise.paramserver.data import url_like
from tunewise.paramserver.setting import Scheme
from tunewise.space import Choice, Config, Ordinal, Space

SPACE = Space(
    Ordinal("servers", [1, 3, 8]),
    Ordinal("workers", [6, 12, 24]),
    Choice("consistency", ["bsp", "ssp:3", "asp"]),
    Ordinal("batch_size", [50, 100, 200]),
)
"""81 settings: few enough to run each to its end."""

DEFAULT: Config = {"servers": 1, "workers": 12, "consistency": "bsp", "batch_size": 100}
"""What a sensible person begins with: one server, a third of the cluster, a barrier."""


@dataclass(frozen=True)
class Job:
    """A training with the loss at which it is done.

    Attributes:
        name: As tables call it.
        make: The training.
        machines: Of the cluster.
        target: The loss, averaged over five iterations.
    """

    name: str
    make: Callable[[], Training]
    machines: Machines
    target: float

    def begin(self, config: Config, seed: int, scheme: Scheme = "background") -> Simulation:
        """The training under a setting; the seed is that of the cluster's chances."""
        return Simulation(self.make(), Setting.of(config), self.machines, scheme=scheme, seed=seed)


def _scaled(by: float, per_operation: float) -> Machines:
    return Machines(
        bandwidth=125e6 / by,
        disk=200e6 / by,
        per_value=2e-9 * by,
        per_operation=per_operation,
        per_iteration=0.1,
        per_message=5e-3,
        restart=1.0,
    )


@cache
def _urls() -> Dataset:
    return url_like(12000, 1500, per_row=20, noise=0.3)


@cache
def _pictures() -> Dataset:
    """Two classes that no line parts, with the scales of white noise."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((12000, 12))
    score = (
        x[:, 0] * x[:, 1] + x[:, 2] ** 2 - x[:, 3] * x[:, 4] - 1 + 0.3 * rng.standard_normal(12000)
    )
    return Dataset(x, np.where(score > 0, 1.0, -1.0))


def _logistic() -> Training:
    data = _urls()
    return Training(Logistic(data.features, 1e-4), data, 2.0, evaluation=500, scaling="linear")


def _svm() -> Training:
    data = _urls()
    return Training(Svm(data.features, 1e-4), data, 0.8, evaluation=500, scaling="linear")


def _network() -> Training:
    data = _pictures()
    model = Network(data.features, 16, per_row=1e4)
    return Training(model, data, 0.03, evaluation=500, scaling="linear")


JOBS = (
    Job("LogR", _logistic, _scaled(200, 1e-4), 0.4415),
    Job("SVM", _svm, _scaled(200, 1e-4), 0.41),
    Job("CNN-like", _network, _scaled(600, 1e-6), 0.30),
)
