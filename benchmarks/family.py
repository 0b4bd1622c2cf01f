"""A family of problems with fractions, so that no default is chosen on one table.

Measured ones: a table of trainings under several limits, parts of it, other objectives. Made-up
ones: learning curves that are regular, cross each other, mislead on small slices, or are noisy,
and trials with a long set-up.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.benchmark.contest import Contest

CONFIG = ["vm", "vms", "learning_rate", "batch_size", "mode"]
Row = dict[str, str]


@dataclass(frozen=True)
class Member:
    """One problem of the family.

    Attributes:
        name: For tables.
        contest: What is raced.
        unit: USD of one full training at the limit: what search costs are counted in.
    """

    name: str
    contest: Contest
    unit: float


def family(folder: Path, trials: int, table: str = "trimtuner/cnn.csv") -> Iterator[Member]:
    """All members; tables that are parts of others, or made up, are written into the folder."""
    measured = machine.tables() / table
    if measured.is_file():
        yield from _measured(measured, folder, trials)
    yield from made_up_members(folder, trials)


def made_up_members(folder: Path, trials: int) -> Iterator[Member]:
    """Those that need no data: their tables are written into the folder."""
    for seed, kind in enumerate(("regular", "crossing", "misleading", "noisy", "set-up")):
        path = folder / f"{kind}.csv"
        _made_up(path, seed, kind)
        loaded = tw.Table(path, _config_columns(path), fraction="fraction")
        cap = float(np.quantile(loaded.values("cost", 1.0), 0.4))
        yield _member(kind, loaded, trials, maximize="accuracy", subject_to=[("cost", "<=", cap)])


def _measured(path: Path, folder: Path, trials: int) -> Iterator[Member]:
    whole = tw.Table(path, CONFIG, fraction="fraction")
    for cap in (0.05, 0.1, 0.15, 0.3):
        limit = [("cost", "<=", cap)]
        yield _member(f"cap {cap}", whole, trials, maximize="accuracy", subject_to=limit)
    parts: dict[str, Callable[[Row], bool]] = {
        "no small VMs": lambda row: row["vm"] != "t2.small",
        "no best rate": lambda row: float(row["learning_rate"]) != 1e-3,
        "sync only": lambda row: row["mode"] == "sync",
        "async only": lambda row: row["mode"] == "async",
    }
    for name, kept in parts.items():
        part = _part(path, folder / f"{name}.csv", kept)
        yield _member(name, part, trials, maximize="accuracy", subject_to=["cost <= 0.1"])
    yield _member("time limit", whole, trials, maximize="accuracy", subject_to=["time <= 300"])
    both = ["cost <= 0.1", "time <= 400"]
    yield _member("two limits", whole, trials, maximize="accuracy", subject_to=both)
    yield _member("least cost", whole, trials, minimize="cost", subject_to=["accuracy >= 0.95"])
    yield _member("least time", whole, trials, minimize="time", subject_to=["accuracy >= 0.9"])


def _member(name: str, table: tw.Table, trials: int, **wanted: object) -> Member:
    problem = tw.Problem(table.space, fractions=table.fractions, **wanted)  # type: ignore[arg-type] # a mix of keywords
    best = table.best(problem)
    assert best is not None, name
    caps = [c.bound for c in problem.constraints if c.metric == "cost"]
    unit = caps[0] if caps else table(tw.Trial(0, best.config)).metrics["cost"]
    return Member(name, Contest(table, problem, trials), unit)


def _part(path: Path, into: Path, kept: Callable[[Row], bool]) -> tw.Table:
    with path.open() as source, into.open("w", newline="") as target:
        rows = csv.DictReader(source)
        writer = csv.DictWriter(target, list(rows.fieldnames or []))
        writer.writeheader()
        writer.writerows(row for row in rows if kept(row))
    return tw.Table(into, CONFIG, fraction="fraction")


def _config_columns(path: Path) -> list[str]:
    with path.open() as source:
        return [name for name in next(csv.reader(source)) if name.startswith("p")]


def _made_up(path: Path, seed: int, kind: str) -> None:
    """A table of 240 configs of four parameters, with learning curves of the kind."""
    rng = np.random.default_rng(1000 + seed)
    levels = (4, 6, 5, 2)
    grid = np.stack(np.unravel_index(np.arange(int(np.prod(levels))), levels), axis=1)
    quality, speed, effort, price = (_landscape(rng, grid, levels) for _ in range(4))
    along = {"crossing": 0.0, "misleading": -0.5}.get(kind, 0.6)
    speed = along * quality + np.sqrt(1 - along**2) * speed
    fractions = np.array([1 / 64, 1 / 16, 1 / 4, 1 / 2, 1.0])
    left = 1 / (1 + np.exp(2.2 + 1.1 * quality))
    decay = 0.25 * np.exp(-0.7 * speed)[:, None] * (fractions**-0.35 - 0.8)
    accuracy = np.clip(1 - left[:, None] - decay, 0.05, 0.99)
    noise = 0.35 if kind == "noisy" else 0.1
    logit = np.log(accuracy / (1 - accuracy))
    logit += noise * rng.standard_normal(logit.shape) * fractions**-0.25
    set_up = 0.15 if kind == "set-up" else 0.01
    seconds = 200 * np.exp(0.9 * effort + 0.3 * quality)[:, None] * (set_up + fractions**0.9)
    cost = seconds * np.exp(0.7 * price)[:, None] / 3600
    with path.open("w", newline="") as target:
        writer = csv.writer(target)
        names = [f"p{j}" for j in range(len(levels))]
        writer.writerow([*names, "fraction", "accuracy", "time", "cost"])
        for i, row in enumerate(grid):
            config = [f"c{row[0]}", *(int(v) for v in row[1:])]
            for f, s in enumerate(fractions):
                share = 1 / (1 + np.exp(-logit[i, f]))
                writer.writerow([*config, s, share, seconds[i, f], cost[i, f]])


def _landscape(rng: np.random.Generator, grid: np.ndarray, levels: tuple[int, ...]) -> np.ndarray:
    """A random function of the config with main effects and interactions, standardised."""
    total = np.zeros(len(grid))
    for j, count in enumerate(levels):
        steps = rng.standard_normal(count) if j == 0 else np.cumsum(rng.standard_normal(count))
        total += rng.dirichlet(np.ones(3))[0] * steps[grid[:, j]]
        other = (j + 1) % len(levels)
        table = np.outer(rng.standard_normal(count), rng.standard_normal(levels[other]))
        total += 0.3 * table[grid[:, j], grid[:, other]]
    return np.asarray((total - total.mean()) / total.std())
