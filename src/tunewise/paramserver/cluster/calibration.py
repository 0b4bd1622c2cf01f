"""Machines for a simulation that stand for this one, as short trainings on Ray measure them."""

import time
from dataclasses import replace

import numpy as np
import ray

from tunewise.paramserver.cluster.actors import ServerActor
from tunewise.paramserver.cluster.training import RayCluster
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.simulation import Simulation
from tunewise.paramserver.training import Training

_FEW, _MANY = 8, 400_000
_REPEATS = 50
_ITERATIONS = 60


def calibrated(training: Training, cores: int, nodes: int = 16) -> Machines:
    """What one machine with so many cores would be as a simulated cluster.

    Measured are a gradient on one thread, pulls of few and of many values, and two short trainings
    with one worker, by which the fixed cost of an iteration and of a message are told apart.
    """
    few, many = _pull_seconds(_FEW), _pull_seconds(_MANY)
    machines = Machines(
        nodes=nodes,
        cores=cores,
        shared_cores=cores,
        bandwidth=1e12,  # what a value costs between processes is in `per_value`
        latency=0.0,
        per_operation=_gradient_seconds(training),
        per_value=max(many - few, 1e-9) / (_MANY - _FEW),
        per_message=few / 2,
        per_iteration=0.0,
        jitter=0.0,
        stragglers=0.0,
    )
    # The rest of an iteration: asking the clock, batches, Ray's own work on the worker's side.
    setting = Setting(servers=1, workers=1, consistency="ssp:1", batch_size=100)
    rest = seconds_on_ray(training, setting) - seconds_simulated(training, setting, machines)
    return replace(machines, per_iteration=max(rest, 0.0))


def seconds_on_ray(training: Training, setting: Setting, iterations: int = _ITERATIONS) -> float:
    """Seconds of an iteration in a real training, once it has warmed up."""
    running = RayCluster(training, setting)
    try:
        running.run(iterations // 3)
        return float(np.mean([i.seconds for i in running.run(iterations)]))
    finally:
        running.close()


def seconds_simulated(
    training: Training, setting: Setting, machines: Machines, iterations: int = _ITERATIONS
) -> float:
    """Seconds of an iteration in a simulated training."""
    running = Simulation(training, setting, machines)
    running.run(iterations // 3)
    return float(np.mean([i.seconds for i in running.run(iterations)]))


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
