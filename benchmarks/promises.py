"""Does a recommendation keep its word where every training measures something else?

`python -m benchmarks.promises` searches made-up problems with continuous parameters and noisy times
and costs. Of each recommendation it compares the probability that was stated with the true one: the
probability that a new training of the config keeps all limits. It ends with an error where the
first problem misses its target: in 17 of 20 searches the true probability is 0.85 or more.
"""

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.benchmark.columns import Columns, read
from tunewise.history import Trial
from tunewise.problem import Metrics
from tunewise.space import Config
from tunewise.strategy.spec import StrategySpec

SURE = 0.9
"""The probability that is asked for."""

KEPT, SHARE = 0.85, 17 / 20
"""A true probability that is as good as asked for, and the share of searches that must have it."""


_DRAWS = 20_000
"""Configs among which the best is sought."""

TWIN = 0.05
"""The noise of a table's noisy twin, on time and cost."""


@dataclass(frozen=True)
class Promised:
    """A problem whose metrics are known but for log-normal noise.

    Attributes:
        name: For the table.
        space: What may be chosen.
        limits: By metric, the most that it may be.
        truth: The objective and the medians of what is limited, of a config on a fraction.
        noise: By metric, the standard deviation of its logarithm.
        asks: How many trials a search has.
        fractions: What may be tried.
        blur: The standard deviation of the accuracy.
    """

    name: str
    space: tw.Space
    limits: dict[str, float]
    truth: Callable[[Config, float], Metrics]
    noise: dict[str, float]
    asks: int
    fractions: tuple[float, ...] = (0.25, 1.0)
    blur: float = 0.0

    @property
    def problem(self) -> tw.Problem:
        """What is wanted."""
        limits = [f"{metric} <= {bound}" for metric, bound in self.limits.items()]
        return tw.Problem(
            self.space, maximize="accuracy", subject_to=limits, fractions=self.fractions
        )

    def measured(self, trial: Trial, rng: np.random.Generator) -> Metrics:
        """What one training measures."""
        told = dict(self.truth(trial.config, trial.fraction))
        told["accuracy"] = min(told["accuracy"] + self.blur * rng.standard_normal(), 0.999)
        for metric, deviation in self.noise.items():
            told[metric] *= math.exp(deviation * rng.standard_normal())
        return told

    def kept(self, config: Config) -> float:
        """The probability that a new training on the full data keeps all limits."""
        medians = self.truth(config, 1.0)
        away = [
            math.log(bound / medians[metric]) / self.noise[metric]
            for metric, bound in self.limits.items()
        ]
        return math.prod(0.5 * math.erfc(-z / math.sqrt(2)) for z in away)

    @cached_property
    def best(self) -> float:
        """The best accuracy of configs that keep the limits with the probability asked for."""
        configs = self.space.sample(_DRAWS, np.random.default_rng(0))
        return max(self.truth(c, 1.0)["accuracy"] for c in configs if self.kept(c) >= SURE)


@dataclass(frozen=True)
class Answer:
    """What one search recommends: stated and true probability, and the accuracy that it misses."""

    stated: float
    true: float
    missed: float


def _two(config: Config, f: float) -> Metrics:
    x, y = config["x"], config["y"]
    accuracy = 0.6 + 0.3 * x - 0.2 * (y - 0.5) ** 2 - 0.05 * (1 - f)
    return {"accuracy": accuracy, "time": 4 * f * math.exp(x - 0.7)}


def _network(config: Config, f: float) -> Metrics:
    """Width and depth cost time; the learning rate has an optimum."""
    size = math.log2(config["width"] / 32) / 4 + 0.15 * config["depth"]
    away = math.log10(config["rate"]) + 2.5
    accuracy = 0.70 + 0.15 * size - 0.04 * away**2 - 0.08 * (1 - f) ** 2
    return {"accuracy": accuracy, "time": (5 + 60 * f) * math.exp(1.6 * (size - 0.8))}


def _cluster(config: Config, f: float) -> Metrics:
    """More workers are sooner done and cost more; a larger batch learns less."""
    workers, batch, epochs = config["workers"], config["batch"], config["epochs"]
    work = 900 * f * epochs / 10
    time = work / workers**0.8 * (64 / batch) ** 0.3 + 20
    accuracy = 0.93 - 0.25 * math.exp(-epochs / 8) - 0.02 * abs(math.log2(batch / 64)) / 2
    accuracy -= 0.06 * (1 - f)
    return {"accuracy": accuracy, "time": time, "cost": time * workers * 0.4 / 3600}


def _trees(config: Config, f: float) -> Metrics:
    rounds, leaves = config["rounds"], config["leaves"]
    grown = math.log(rounds / 20) + 0.5 * math.log(leaves / 4)
    accuracy = 0.9 - 0.2 * math.exp(-grown / 1.2) - 0.03 * (math.log10(config["rate"]) + 1) ** 2
    accuracy -= 0.04 * (1 - f) + 0.02 * (config["sample"] - 0.7) ** 2
    return {"accuracy": accuracy, "cost": 2e-4 * f**0.9 * rounds * leaves**0.6}


PROBLEMS: tuple[Promised, ...] = (
    Promised(
        "two reals",
        tw.Space(tw.Real("x", 0, 1), tw.Real("y", 0, 1)),
        {"time": 3.0},
        _two,
        {"time": 0.1},
        asks=22,
    ),
    Promised(
        "network",
        tw.Space(
            tw.Integer("width", 32, 512, log=True),
            tw.Integer("depth", 1, 5),
            tw.Real("rate", 1e-4, 1e-1, log=True),
        ),
        {"time": 60.0},
        _network,
        {"time": 0.2},
        asks=26,
        fractions=(0.1, 0.3, 1.0),
        blur=0.01,
    ),
    Promised(
        "cluster",
        tw.Space(
            tw.Real("workers", 1, 16, log=True),
            tw.Real("batch", 16, 512, log=True),
            tw.Real("epochs", 2, 40, log=True),
        ),
        {"time": 400.0, "cost": 0.25},
        _cluster,
        {"time": 0.05, "cost": 0.05},
        asks=28,
        blur=0.003,
    ),
    Promised(
        "trees",
        tw.Space(
            tw.Integer("rounds", 20, 2000, log=True),
            tw.Integer("leaves", 4, 256, log=True),
            tw.Real("rate", 0.01, 1, log=True),
            tw.Real("sample", 0.3, 1),
        ),
        {"cost": 1.0},
        _trees,
        {"cost": 0.1},
        asks=30,
        fractions=(0.1, 1.0),
        blur=0.005,
    ),
)


def twin(name: str, limit: float) -> Promised:
    """A measured table, each of whose trials has another time and cost."""
    table = read(machine.table(name), Columns())

    def truth(config: Config, fraction: float) -> Metrics:
        return table(Trial(0, config, fraction)).metrics

    noise = {"time": TWIN, "cost": TWIN}
    return Promised(
        f"{name} with noise", table.space, {"cost": limit}, truth, noise, 40, table.fractions
    )


def searched(promised: Promised, seed: int, strategy: "str | StrategySpec" = "trimtuner") -> Answer:
    """What a search recommends at its end."""
    rng = np.random.default_rng([seed, 7])
    with tw.Study(promised.problem, strategy, seed=seed) as study:
        for _ in range(promised.asks):
            trial = study.ask()
            study.tell(trial, promised.measured(trial, rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = study.recommend()
    reached = promised.truth(answer.config, 1.0)["accuracy"]
    return Answer(answer.feasible, promised.kept(answer.config), promised.best - reached)


def row(name: str, answers: Sequence[Answer]) -> str:
    """Mean stated and true probabilities, both again where 0.9 was stated, and what is missed."""
    sure = [one for one in answers if one.stated >= SURE]
    cells = [
        str(len(answers)),
        _mean(one.stated for one in answers),
        _mean(one.true for one in answers),
        f"{sum(one.true >= KEPT for one in answers)}",
        f"{len(sure)}",
        _mean(one.true for one in sure),
        _mean((one.missed for one in answers), 4),
    ]
    return f"| {name} | {' | '.join(cells)} |"


def _mean(values: Iterable[float], digits: int = 3) -> str:
    told = list(values)
    return f"{np.mean(told):.{digits}f}" if told else "–"


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    given = _options()
    chosen = [one for one in PROBLEMS if given.problems in ("all", one.name)]
    if given.table is not None:
        chosen = [twin(given.table, given.limit)]
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    print(f"{machine.described()}, seeds {seeds[0]} to {seeds[-1]}, {given.strategy}\n")
    head = ["problem", "searches", "stated", "true", f"true ≥ {KEPT}", f"stated ≥ {SURE}"]
    head += ["true of these", "accuracy missed"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    every: list[Answer] = []
    first: list[Answer] = []
    for promised in chosen:
        answers = [searched(promised, seed, given.strategy) for seed in seeds]
        print(row(promised.name, answers), flush=True)
        every += answers
        first = first or answers
    print(row("all", every))
    if sum(one.true >= KEPT for one in first) < SHARE * len(first):
        sys.exit(f"fewer than {SHARE:.0%} of the searches of {chosen[0].name} keep their word")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promises", description=__doc__)
    parser.add_argument("--problems", default="all", help="the name of one, or all")
    parser.add_argument("--table", help="the noisy twin of a table instead, below a folder of them")
    parser.add_argument("--limit", type=float, default=0.1, help="USD, of the table")
    parser.add_argument("--strategy", default="trimtuner")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
