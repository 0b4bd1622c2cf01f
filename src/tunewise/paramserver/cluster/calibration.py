"""Machines for a simulation that stand for this one, as short trainings on Ray measure them."""

import time
from itertools import product

import numpy as np
import ray

from tunewise.paramserver.cluster.actors import ServerActor
from tunewise.paramserver.cluster.training import RayCluster
from tunewise.paramserver.costs import fitted
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.training import Training

_FEW, _MANY = 8, 400_000
_REPEATS = 50
_ITERATIONS = 150
_BATCHES = (100, 600)
"""Small enough that messages count, large enough that gradients do."""


def calibrated(training: Training, cores: int, nodes: int = 16) -> Machines:
    """What one machine with so many cores would be as a simulated cluster.

    What messages, iterations and waits cost, Ray's own work included, is found by short trainings,
    whose seconds per iteration the simulation has to meet; gradients of workers that share a memory
    take longer than one alone, so they are fitted too, from what was measured.
    """
    settings = telling()
    seconds = [seconds_on_ray(training, setting) for setting in settings]
    return fitted(training, bare(training, cores, nodes), settings, seconds)


def telling() -> list[Setting]:
    """Settings whose seconds tell the costs apart.

    Half of all combinations of few and many, such that each pair of values comes together equally
    often.
    """
    small, large = _BATCHES
    return [
        Setting(
            servers,
            workers,
            consistency,
            small if ((servers == 1) == (workers == 1)) == (consistency == "bsp") else large,
        )
        for servers, workers, consistency in product((1, 3), (1, 4), ("bsp", "asp"))
    ]


def bare(training: Training, cores: int, nodes: int = 16) -> Machines:
    """What can be measured alone: a gradient on one thread, and what a value of a pull costs."""
    few, many = _pull_seconds(_FEW), _pull_seconds(_MANY)
    return Machines(
        nodes=nodes,
        cores=cores,
        shared_cores=cores,
        bandwidth=1e12,  # what a value costs between processes is in `per_value`
        latency=0.0,
        per_operation=_gradient_seconds(training),
        per_value=max(many - few, 1e-9) / (_MANY - _FEW),
        jitter=0.0,
        stragglers=0.0,
    )


def seconds_on_ray(training: Training, setting: Setting, iterations: int = _ITERATIONS) -> float:
    """Seconds of an iteration in a real training, once it has warmed up."""
    running = RayCluster(training, setting)
    try:
        running.run(iterations // 3)
        return float(np.mean([i.seconds for i in running.run(iterations)]))
    finally:
        running.close()


def _pull_seconds(count: int) -> float:
    layout = Layout("range", 1, count)
    server = (
        ray.remote(ServerActor)
        .options(num_cpus=0)
        .remote(0, layout, np.zeros((1, count)), "sgd", 0)
    )
    ray.get(server.settled.remote())
    taken = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        ray.get(server.pull.remote(0, slice(None)))
        taken.append(time.perf_counter() - began)
    ray.kill(server)
    return float(np.median(taken))


def _gradient_seconds(training: Training) -> float:
    """Seconds of one multiplication, in a gradient over a usual batch."""
    model = training.model
    batch = training.data.batch(np.arange(min(500, training.data.rows)))
    values = model.initial(training.seed)
    touched = values if batch.keys is None else values[batch.keys]
    taken = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        model.gradient(touched, batch)
        taken.append(time.perf_counter() - began)
    return float(np.median(taken)) / model.work(batch)
