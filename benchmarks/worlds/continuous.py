"""Made-up problems over 2 to 20 continuous parameters, learned from slices of the data.

Every one has a quality between 0 and 1, and an effort; on a slice the quality is lower, for some
configs more than for others, and noisier. The limit is on time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import differential_evolution

import tunewise as tw
from benchmarks.worlds.world import Job, World
from tunewise.history import Measurement, Outcome, Trial
from tunewise.problem import Metrics
from tunewise.space import Config
from tunewise.surrogate.normal import Array

FRACTIONS = (1 / 64, 1 / 16, 1 / 4, 1.0)
SECONDS = 100.0

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class Landscape:
    """A quality and an effort over the unit cube, both of rows (n, d).

    Attributes:
        name: For tables.
        dims: Parameters.
        quality: Between 0 and 1, more is better.
        effort: Logarithm of the time at the full data, in `SECONDS`.
        limit: On the time at the full data, in `SECONDS`.
        noise: Standard deviation of the quality at the full data.
        mislead: How much of the slices' loss points away from the full data's order.
        set_up: Part of the time that does not shrink with the data.
    """

    name: str
    dims: int
    quality: Function
    effort: Function
    limit: float = 1.0
    noise: float = 0.003
    mislead: float = 0.0
    set_up: float = 0.005

    def metrics(self, x: Array, fraction: float) -> Metrics:
        """The mean at a fraction."""
        row = np.atleast_2d(x)
        quality = float(self.quality(row)[0])
        rate = 0.7 + 0.3 * np.sin(3 * x[0] + x[-1]) + self.mislead * quality
        accuracy = quality * (1 - 0.06 * rate * (fraction**-0.4 - 1))
        seconds = SECONDS * np.exp(float(self.effort(row)[0])) * (self.set_up + fraction)
        return {"accuracy": float(np.clip(accuracy, 0, 1)), "time": float(seconds)}

    def row(self, config: Config) -> Array:
        """The config as a point of the unit cube."""
        return np.array([config[f"x{i}"] for i in range(self.dims)])

    def world(self) -> World:
        """As a problem."""
        space = tw.Space(*(tw.Real(f"x{i}", 0.0, 1.0) for i in range(self.dims)))
        limit = ("time", "<=", SECONDS * self.limit)
        problem = tw.Problem(space, maximize="accuracy", subject_to=[limit], fractions=FRACTIONS)

        def truth(config: Config) -> Metrics:
            return self.metrics(self.row(config), 1.0)

        return World(
            self.name, "continuous", problem, self._job, truth, self._best, self._middle, self._unit
        )

    def _job(self, seed: int) -> Job:
        rng = np.random.default_rng([seed, self.dims])

        def run(trial: Trial) -> Outcome:
            metrics = self.metrics(self.row(trial.config), trial.fraction)
            noisy = metrics["accuracy"] + rng.normal() * self.noise * trial.fraction**-0.25
            seconds = metrics["time"] * np.exp(0.03 * rng.normal())
            return Measurement({"accuracy": float(np.clip(noisy, 0, 1)), "time": float(seconds)})

        return run

    @cached_property
    def _drawn(self) -> tuple[Array, Array]:
        x = np.random.default_rng(0).random((4000, self.dims))
        return self.quality(x), np.exp(self.effort(x)) * (1 + self.set_up)

    @cached_property
    def _best(self) -> float:
        def loss(x: Array) -> Array:
            over = np.maximum(self.effort(x.T) + np.log(1 + self.set_up) - np.log(self.limit), 0)
            return np.asarray(-self.quality(x.T) + 10 * over)

        bounds = [(0.0, 1.0)] * self.dims
        found = differential_evolution(
            loss, bounds, seed=0, maxiter=600, popsize=12, tol=1e-9, vectorized=True,
            updating="deferred", polish=False,
        )  # fmt: skip
        return float(-found.fun)

    @property
    def _middle(self) -> float:
        return float(np.median(self._drawn[0]))

    @property
    def _unit(self) -> float:
        seconds = self._drawn[1]
        within = seconds[seconds <= self.limit * (1 + 1e-9)]
        return float(SECONDS * (within.mean() if len(within) else self.limit))


def _hartmann6(x: Array) -> Array:
    weights = np.array([1.0, 1.2, 3.0, 3.2])
    a = np.array(
        [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8],
         [17, 8, 0.05, 10, 0.1, 14]]
    )  # fmt: skip
    p = 1e-4 * np.array(
        [[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
         [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]]
    )  # fmt: skip
    inner = (a * (x[:, None, :] - p) ** 2).sum(-1)
    return np.asarray((weights * np.exp(-inner)).sum(-1) / 3.32237)


def _ackley(x: Array) -> Array:
    z = 10 * (x - 0.35)
    first = -20 * np.exp(-0.2 * np.sqrt((z**2).mean(1)))
    value = first - np.exp(np.cos(2 * np.pi * z).mean(1)) + 20 + np.e
    return np.asarray(np.exp(-value / 12))


def _bowl(x: Array, centre: float = 0.3, width: float = 0.5) -> Array:
    return np.asarray(np.exp(-((x - centre) ** 2).mean(1) / width**2))


def _network(x: Array) -> Array:
    """Like a network's accuracy: rate and width interact, most others matter little."""
    rate = np.exp(-(((x[:, 0] - 0.55 + 0.25 * (x[:, 1] - 0.5)) / 0.16) ** 2))
    width = 0.6 + 0.4 * (1 - np.exp(-3 * x[:, 1]))
    decay = 1 - 0.25 * np.abs(x[:, 2] - 0.4) - 0.2 * (x[:, 3] - x[:, 4]) ** 2
    rest = 1 - 0.04 * np.abs(x[:, 5:] - 0.5).sum(1)
    return np.asarray(0.1 + 0.88 * rate * width * decay * rest)


def _rosenbrock(x: Array) -> Array:
    z = 3 * x - 1
    value = (100 * (z[:, 1:] - z[:, :-1] ** 2) ** 2 + (1 - z[:, :-1]) ** 2).mean(1)
    return np.asarray(1 / (1 + value / 60))


def _peaks(x: Array) -> Array:
    wave = np.sin(5 * np.pi * x[:, 0]) * np.cos(3 * np.pi * x[:, 1])
    return np.asarray(0.15 + 0.8 * _bowl(x, 0.62, 0.35) * (0.85 + 0.15 * wave))


def _corner(x: Array) -> Array:
    """Effort that leaves about 2 % of seven dimensions within a limit of 1."""
    return np.asarray(4.2 * ((x - 0.25) ** 2).mean(1) / 0.1 - 1.72)


def _mild_corner(x: Array) -> Array:
    """The same 2 %, where what breaks the limit takes twice as long as it, and twenty at most."""
    return np.asarray(0.6 * ((x - 0.25) ** 2).mean(1) / 0.1 - 0.245)


def _sum(scale: float, shift: float) -> Function:
    def effort(x: Array) -> Array:
        return np.asarray(scale * (x[:, : max(2, x.shape[1] // 2)].mean(1) - shift))

    return effort


def _cliff(x: Array) -> Array:
    """Beyond a line the memory does not suffice, and everything takes eight times as long."""
    beyond = x[:, 0] + x[:, 2] > 1.1
    return np.asarray(1.2 * (x[:, 1] - 0.6) + np.where(beyond, np.log(8.0), 0.0))


LANDSCAPES = (
    Landscape("hartmann6", 6, _hartmann6, _sum(1.6, 0.5)),
    Landscape("ackley8", 8, _ackley, _sum(1.6, 0.5)),
    Landscape("narrow7", 7, lambda x: _bowl(x, 0.45, 0.35), _corner),
    Landscape("corner7", 7, lambda x: _bowl(x, 0.45, 0.35), _mild_corner),
    Landscape("network10", 10, _network, lambda x: 2.0 * (x[:, 1] - 0.6) + 0.8 * (x[:, 5] - 0.5)),
    Landscape("rosenbrock20", 20, _rosenbrock, _sum(1.6, 0.5)),
    Landscape("peaks2", 2, _peaks, _sum(2.0, 0.5)),
    Landscape("noisy4", 4, lambda x: _bowl(x, 0.6, 0.6), _sum(1.5, 0.5), noise=0.05),
    Landscape("cliff3", 3, lambda x: _bowl(x, 0.6, 0.5), _cliff),
    Landscape("set-up5", 5, lambda x: _bowl(x, 0.4, 0.5), _sum(1.5, 0.5), set_up=0.2),
    Landscape("misleading4", 4, lambda x: _bowl(x, 0.7, 0.5), _sum(1.5, 0.5), mislead=1.5),
)


def continuous() -> Iterator[World]:
    """All of them."""
    return (landscape.world() for landscape in LANDSCAPES)
