"""Twelve tasks on one machine: seconds until the average loss is small, by rule.

Every candidate of every task is trained once, for real. The rules then decide in which order these
trainings come, one at a time, with the measured qualities and processor seconds: other work on the
machine does not count.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.tasks import problems
from tunewise.declarative.training.events import FRACTIONS, family, qualified
from tunewise.declarative.training.prior import logged, shipped
from tunewise.tenancy import Log, Scheduler

RULES = ("hybrid", "easeml", "round_robin", "fcfs")
SIZES = (600, 1200, 2400)
SHARES = (0.05, 0.1, 0.2, 0.4)
"""Of all seconds of training, at which the average loss is printed."""

Given = tuple[str, str, Any, Any]
"""A name, a program, inputs and outputs."""

Curve = list[tuple[float, float]]
"""Seconds, and the average loss from then on."""


def main() -> None:
    """Print a table of seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measured", type=Path, default=None, help="of an earlier run, or for it")
    parser.add_argument("--kind", choices=sorted(KINDS), default="mixed")
    parser.add_argument("--first", type=int, default=0, help="the first task's seed")
    options = parser.parse_args()
    file = options.measured
    if file is not None and file.exists():
        users = json.loads(file.read_text())
    else:
        users = [measured(*given) for given in KINDS[options.kind](options.first)]
        if file is not None:
            file.write_text(json.dumps(users))
    whole = sum(s for user in users for _, s in user["models"].values())
    print(f"{machine.described()}\n{len(users)} tasks, {whole:.0f} s of training in all\n")
    near = [sum(quickest(user, loss) for user in users) for loss in (0.05, 0.02)]
    print("whoever knows all results before trains one model a task, within 0.05 or 0.02 of its")
    print(f"best, in {near[0]:.1f} or {near[1]:.1f} s\n")
    at = [whole * share for share in SHARES]
    heads = " | ".join(f"loss at {seconds:.1f} s" for seconds in at)
    print(f"| rule | prior | loss 0.05 (s) | loss 0.02 (s) | {heads} |")
    print("|---" * (4 + len(at)) + "|")
    families = sorted({name.partition("/")[0] for user in users for name in user["models"]})
    own = {user["data"] for user in users}
    log = logged([row for row in shipped() if row["data"] not in own], families)
    for prior, called in ((log, "shipped"), (None, "none")):
        for rule in RULES:
            curve = fall(users, rule, prior)
            times = " | ".join(f"{until(curve, loss):.1f}" for loss in (0.05, 0.02))
            losses = " | ".join(f"{loss_at(curve, seconds):.3f}" for seconds in at)
            print(f"| {rule} | {called} | {times} | {losses} |", flush=True)
    alone = [until(fall([user], "hybrid", None), 0.02 * best(user)) for user in users]
    known = [until(fall([user], "hybrid", log), 0.02 * best(user)) for user in users]
    least = [quickest(user, 0.02 * best(user)) for user in users]
    print(f"\none task alone, within 2 % of its best: {ratio(known, alone):.2f} times the seconds")
    print(f"with the shipped prior; {ratio(least, alone):.2f} times for whoever knows all results")


def ratio(one: list[float], other: list[float]) -> float:
    """Their geometric mean."""
    return float(np.exp(np.mean(np.log(np.array(one) / np.array(other)))))


def tables(first: int) -> Iterator[Given]:
    """Twelve tables of several sizes, of classes and of numbers."""
    from sklearn.datasets import make_classification, make_friedman1

    for seed in range(first, first + 12):
        count = SIZES[seed % 3]
        if seed % 4 == 3:
            width = 6 + seed % 12
            x, y = make_friedman1(count, width, noise=1.0, random_state=900 + seed)
            yield f"table {seed}", f"table({width}) -> number", x, y
            continue
        classes, width = (2, 4, 6)[seed % 3], 8 + 2 * (seed % 12)
        x, y = make_classification(
            count, width, n_informative=6, n_classes=classes, flip_y=0.05, random_state=900 + seed
        )
        yield f"table {seed}", f"table({width}) -> {classes} classes", x, y


def mixed(first: int) -> Iterator[Given]:
    """A task of each kind, as people who share a machine have them."""
    for name, made in problems.PROBLEMS.items():
        small = name == "fashion"
        try:
            problem = problems.small_clothes(first=first) if small else made()
        except FileNotFoundError as error:
            print(f"{name} is left out: there is no {error.filename}")
            continue
        yield "small clothes" if small else name, problem.program, problem.inputs, problem.outputs
    yield next(tables(3 + first))


KINDS: dict[str, Callable[[int], Iterator[Given]]] = {"mixed": mixed, "tables": tables}


def measured(name: str, program: str, inputs: Any, outputs: Any) -> dict[str, Any]:
    """Quality and seconds of every candidate of a task, and what was expected of them."""
    task = tw.Task(program)
    task.feed(inputs, outputs)
    task.train(None)
    models = {
        qualified(family(task.program), m.name): (m.quality, m.card["cpu"])
        for m in task.models()
        if m.quality is not None and m.fraction == 1
    }
    events = task._store.events(0)
    seconds = next(event["seconds"] for event in events if event["kind"] == "joined")
    expected = {k.rpartition("@")[0]: v for k, v in seconds.items() if k.endswith("@1.0")}
    print(program, f"{sum(took for _, took in models.values()):.1f} s", flush=True)
    return {"data": name, "models": models, "expected": expected}


def best(user: dict[str, Any]) -> float:
    """The best quality that a task can reach."""
    return float(max(quality for quality, _ in user["models"].values()))


def quickest(user: dict[str, Any], loss: float) -> float:
    """Seconds of the quickest model within so much of a task's best."""
    near = [took for quality, took in user["models"].values() if quality >= best(user) - loss]
    return float(min(near))


def fall(users: list[dict[str, Any]], rule: str, log: Log | None) -> Curve:
    """How the average loss falls until every task has its best."""
    models = sorted({name for user in users for name in user["models"]})
    scheduler = Scheduler(models, rule, log, fractions=FRACTIONS)
    for number, user in enumerate(users):
        known = {name: user["expected"][name] for name in user["models"]}
        chosen = list(user["models"])
        scheduler.join(str(number), known, models=chosen, slices=False, estimated=True)
    reached, spent = np.zeros(len(users)), 0.0
    top = np.array([best(user) for user in users])
    curve = [(0.0, float(top.mean()))]
    while (top - reached).max() > 1e-12:
        pick = scheduler.next()
        assert pick is not None
        quality, seconds = users[int(pick.user)]["models"][pick.model]
        spent += seconds
        reached[int(pick.user)] = max(reached[int(pick.user)], quality)
        scheduler.tell(pick, quality, seconds)
        curve.append((spent, float((top - reached).mean())))
    return curve


def until(curve: Curve, loss: float) -> float:
    """Seconds until the average loss is at most this."""
    return next(seconds for seconds, lost in curve if lost <= loss + 1e-12)


def loss_at(curve: Curve, seconds: float) -> float:
    """The average loss after so many seconds."""
    return min(lost for spent, lost in curve if spent <= seconds)


if __name__ == "__main__":
    main()
