"""Seconds of a decision of the scheduler, against users and models, beside the paper's in numpy.

A decision is a pick and the telling of what it measured. The plain version keeps a covariance for
each user and scores every user's models at every step. Times are the processor's, so that other
work on the machine does not count.
"""

import argparse
import resource
import time

import numpy as np

from benchmarks import machine
from benchmarks.tenancy_reference import DELTA, NOISE, prior
from tunewise.surrogate import Array
from tunewise.tenancy import Log, Scheduler

SIZES = ((10, 20), (100, 200), (1000, 200), (10_000, 200), (100_000, 200))
PLAIN_AT_MOST = 1000
BUSY = 1000


def main() -> None:
    """Print a table for benchmarks/TENANCY.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=200)
    given = parser.parse_args()
    print(machine.described() + "\n")
    print("| users | models | ms to join | ms a decision, median | slowest | plain numpy | MB |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for users, models in SIZES:
        join, seconds = scheduled(users, models, given.decisions)
        plain = np.median(numpy_version(users, models)) if users <= PLAIN_AT_MOST else np.nan
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        told = "too large" if np.isnan(plain) else f"{1e3 * plain:.2f}"
        cells = f"{1e3 * np.median(seconds):.2f} | {1e3 * max(seconds):.2f} | {told}"
        print(f"| {users} | {models} | {1e3 * join:.3f} | {cells} | {memory:.0f} |", flush=True)
    print(f"\n10,000 decisions of a replay of 200 users and 200 models: {whole_replay():.1f} s")


def made_up(users: int, models: int, seed: int = 0) -> tuple[Array, Array]:
    """Accuracies and seconds, (users, models) each."""
    rng = np.random.default_rng(seed)
    level = rng.normal(1, 0.8, (users, 1)) + 0.4 * rng.standard_normal((users, models))
    return 1 / (1 + np.exp(-level)), np.exp(rng.normal(0, 1, (users, models)))


def scheduled(users: int, models: int, decisions: int) -> tuple[float, list[float]]:
    """Seconds to let a user in, and those of each decision; users beyond a thousand are idle."""
    names = [f"m{k}" for k in range(models)]
    scheduler = Scheduler(names, log=Log(*made_up(100, models, seed=1)))
    accuracy = made_up(min(users, BUSY), models)[0]
    start = time.process_time()
    for user in range(users):
        scheduler.join(str(user), models=names if user < BUSY else [])
    join = (time.process_time() - start) / users
    seconds = []
    for _ in range(decisions):
        start = time.process_time()
        pick = scheduler.next()
        assert pick is not None
        scheduler.tell(pick, float(accuracy[int(pick.user), int(pick.model[1:])]), pick.seconds)
        seconds.append(time.process_time() - start)
    return join, seconds


def numpy_version(users: int, models: int, decisions: int = 5) -> list[float]:
    """Seconds of each decision of algorithm 2 written plainly, a covariance for each user."""
    accuracy, cost = made_up(users, models)
    mean, covariance = prior(made_up(100, models, seed=1)[0])
    means, covariances = np.tile(mean, (users, 1)), np.tile(covariance, (users, 1, 1))
    best, count, seconds = np.zeros(users), np.ones(users), []
    for _ in range(decisions):
        start = time.process_time()
        beta = np.log(models * count**2 / DELTA)
        std = np.sqrt(np.maximum(np.diagonal(covariances, axis1=1, axis2=2), 0))
        bound = means + np.sqrt(beta[:, None] / cost) * std
        user = int((bound.max(axis=1) - best).argmax())
        model = int(bound[user].argmax())
        row = covariances[user, model].copy()
        gain = row / (row[model] + NOISE)
        means[user] += gain * (accuracy[user, model] - means[user, model])
        covariances[user] -= np.outer(gain, row)
        best[user], count[user] = max(best[user], accuracy[user, model]), count[user] + 1
        seconds.append(time.process_time() - start)
    return seconds


def whole_replay(users: int = 200, models: int = 200, decisions: int = 10_000) -> float:
    """Seconds of a replay with so many decisions, the learning of the prior included."""
    accuracy, cost = made_up(users, models)
    names = [f"m{k}" for k in range(models)]
    start = time.process_time()
    scheduler = Scheduler(names, log=Log(*made_up(200, models, seed=1)))
    for user in range(users):
        scheduler.join(str(user), dict(zip(names, cost[user].tolist(), strict=True)))
    for _ in range(decisions):
        pick = scheduler.next()
        assert pick is not None
        user, model = int(pick.user), int(pick.model[1:])
        scheduler.tell(pick, float(accuracy[user, model]), float(cost[user, model]))
    return time.process_time() - start


if __name__ == "__main__":
    main()
