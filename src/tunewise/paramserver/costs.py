"""Fixed costs of messages, iterations and waits, as the times of whole trainings tell them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import least_squares

from tunewise.paramserver.machine import Machines
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.simulation import Simulation
from tunewise.paramserver.training import Training
from tunewise.surrogate import Array

COSTS = ("per_message", "per_iteration", "per_request", "per_wait")
"""What no measurement alone tells, for it hangs on who waits for whom."""

_SLOWER = 2.0
"""How far the logarithm of a gradient's seconds may lie from those that were measured alone."""

_FITTED = 6
"""Iterations of a simulated training while costs are fitted; without chance they are all alike."""


def fitted(
    training: Training, machines: Machines, settings: Sequence[Setting], seconds: Sequence[float]
) -> Machines:
    """The machines with fixed costs under which simulated iterations take these seconds."""

    def guess(logs: Array) -> Machines:
        costs = dict(zip(COSTS, np.exp(logs[:-1]).tolist(), strict=True))
        operation = machines.per_operation * float(np.exp(logs[-1]))
        return replace(machines, **costs, per_operation=operation)

    def error(logs: Array) -> Array:
        tried = guess(logs)
        simulated = [seconds_simulated(training, each, tried, _FITTED) for each in settings]
        return np.asarray(np.log(np.divide(simulated, seconds)))

    least, most = np.log(min(seconds)), np.log(max(seconds))
    count = len(COSTS)
    start = np.append(np.full(count, least - np.log(4)), 0.0)
    bounds = (np.append(np.full(count, least - 7), -_SLOWER), np.append([most] * count, _SLOWER))
    # The soft loss: one training that the machine disturbed does not bend all the rest. Events in
    # another order make small jumps, so a step has to be larger than these; and measured seconds
    # are not known to more than two digits.
    found = least_squares(
        error, start, bounds=bounds, loss="soft_l1", f_scale=0.2, diff_step=0.05, ftol=1e-2
    )
    return guess(found.x)


def seconds_simulated(
    training: Training, setting: Setting, machines: Machines, iterations: int
) -> float:
    """Seconds of an iteration in a simulated training."""
    running = Simulation(training, setting, machines)
    running.run(iterations // 3)
    return float(np.mean([i.seconds for i in running.run(iterations)]))
