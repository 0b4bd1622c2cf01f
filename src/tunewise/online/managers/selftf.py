"""SelfTF's own tuning manager (sections 3.1.3 and 3.2): expected improvement over <setting, loss>.

First the default for `a` iterations, then `m` settings of an orthogonal sample, each the one of the
highest expected improvement; from then on a new sample every `a` iterations, together with all
that was tried, and a switch only where the expected improvement exceeds what the switch costs. `a`
is the number of workers, unless another number is told.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.acquisition.improvement import expected_improvement
from tunewise.errors import ProblemError
from tunewise.format import duration
from tunewise.online.belief.progress import LARGEST, Progress
from tunewise.online.checks import MOST
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.manager import Decision, Situation
from tunewise.online.until import FEW, Until
from tunewise.space import Config, Space
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.gaussian_process import GaussianProcess


def check_end(until: Until) -> None:
    """Refuse an end that the thesis' estimators know nothing of."""
    if until.loss is None:
        raise ProblemError(
            f"the manager selftf estimates when a loss is reached, and until is '{until}';"
            " expected such as until 'loss <= 0.1', or the manager pace"
        )


@dataclass(frozen=True)
class SelfTf:
    """The thesis' manager.

    Attributes:
        space: The settings.
        until: When the training is done; needs a target loss.
        each: `a`, the iterations of a setting, as a number or a function of the setting; by default
            its `workers`; 5 of a single worker, or without workers.
        m: Settings of the initialisation.
        progress: "stateful", "stateless" or "since_switch".
        least: The least possible loss f*, which the thesis takes to be known.
        rate: "sublinear" for SGD, "linear" for variance-reduced SGD.
        seed: Of the samples.
    """

    space: Space
    until: Until
    each: int | Callable[[Config], int] | None = None
    m: int = 20
    progress: str = "stateful"
    least: float = 0.0
    rate: str = "sublinear"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse an end that it cannot estimate, and estimators that there are not."""
        check_end(self.until)
        if not self.least < (self.until.loss or 0.0):
            raise ProblemError(
                f"least is {self.least!r}, and the training ends at a loss of {self.until.loss!r}:"
                " expected a least possible loss below that"
            )
        if isinstance(self.m, bool) or not isinstance(self.m, int) or self.m < 1:
            raise ProblemError(f"m is {self.m!r}; expected a number of settings, 1 or above")
        Progress(self.progress, self.rate)

    def first(self, setting: Config) -> int:
        """`a` iterations: those that were told, or as many as the setting has workers."""
        if self.each is not None:
            return self.each(setting) if callable(self.each) else self.each
        workers = setting.get("workers")
        # Of a single loss, nothing can be estimated.
        return workers if isinstance(workers, int) and workers > 1 else FEW

    def due(self, situation: Situation) -> bool:
        """Every `a` iterations."""
        return len(situation.running.iterations) >= situation.running.planned

    def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
        """The setting of the highest expected improvement, where that exceeds the cost."""
        running = situation.running
        rows = self.training_data(situation)
        number = len({self.space.key(each.setting) for each in situation.measured})
        opening = number <= self.m
        rng = np.random.default_rng([self.seed, 0 if opening else situation.iterations])
        candidates = orthogonal(self.space, self.m if opening else MOST, rng)
        tried = {self.space.key(each.setting): each.setting for each in situation.measured}
        known = {self.space.key(each): each for each in candidates}
        every = known if opening else {**known, **tried}
        skip = situation.refused | (set(tried) if opening else set())
        pool = [setting for key, setting in every.items() if key not in skip]
        stay = Decision(running.setting, len(running.iterations) + self.first(running.setting))
        if not pool or rows is None:
            return stay if not (opening and pool) else self._go(pool[0], "a sample's next setting")
        gain = self._improvement(rows, situation, pool, list(tried.values()))
        best = pool[int(np.argmax(gain))]
        if opening:
            return self._go(best, "a sample's next setting")
        worth = float(gain.max()) - costs.expected(running.setting, best)
        if worth <= 0 or self.space.key(best) == self.space.key(running.setting):
            return stay
        return self._go(best, f"expected to save {duration(worth)}")

    def _go(self, setting: Config, why: str) -> Decision:
        return Decision(setting, self.first(setting), why)

    def training_data(self, situation: Situation) -> tuple[Array, Array] | None:
        """Triples <setting, loss of its first iteration, seconds left> of each segment."""
        seen = [each for each in situation.measured if len(each.iterations) > 1]
        if not seen:
            return None
        estimator = Progress(self.progress, self.rate)
        largest = LARGEST * max(float(seen[0].losses[0]) - self.least, 1e-9)
        assert self.until.loss is not None, "others are refused"
        target = self.until.loss - self.least
        left = []
        for each in seen:
            losses = each.losses - self.least
            iterations = float(estimator.left(losses, each.first, target, largest).mean)
            # Y is what is left from where the setting began: what it has done since counts.
            left.append((iterations + len(losses) - 1) * float(each.seconds.mean()))
        y = np.array(left)
        finite = y[np.isfinite(y)]
        y = np.where(np.isfinite(y), y, 2 * finite.max() if len(finite) else 1e6)
        encoded = self.space.encode([each.setting for each in seen])
        return np.column_stack([encoded, [each.losses[0] for each in seen]]), y

    def _improvement(
        self,
        rows: tuple[Array, Array],
        situation: Situation,
        pool: list[Config],
        tried: list[Config],
    ) -> Array:
        """Expected improvement of each setting at the loss of now, in seconds, (n,)."""
        x, y = rows
        top = max(float(x[:, -1].max()), 1e-12)
        x = np.column_stack([x[:, :-1], np.clip(x[:, -1] / top, 0.0, 1.0)])
        process = GaussianProcess("none").fit(x, np.ones(len(y)), y)
        now = float(np.clip(situation.loss / top, 0.0, 1.0))

        def at(settings: list[Config]) -> Normal:
            encoded = self.space.encode(settings)
            return process.predict(np.column_stack([encoded, np.full(len(encoded), now)]), 1.0)

        best = float(np.min(at(tried).mean))
        belief = at(pool)
        return expected_improvement(Normal(-np.asarray(belief.mean), belief.std), -best)


def orthogonal(space: Space, count: int, rng: np.random.Generator) -> list[Config]:
    """Settings of an orthogonal sample: every pair of parameters is covered evenly, too.

    A sample of strength two has a squared prime as its size, and one dimension more at most.
    """
    from scipy.stats import qmc

    dims = space.encode([space.sample(1, rng)[0]]).shape[1]
    primes = (p for p in itertools.count(2) if all(p % d for d in range(2, p)))
    prime = next(p for p in primes if p * p >= count and p + 1 >= dims)
    points = qmc.LatinHypercube(dims, strength=2, rng=rng).random(prime * prime)
    chosen = space.decode(points[rng.permutation(len(points))])
    distinct = {space.key(each): each for each in chosen if each in space}
    return list(distinct.values())[:count] or space.latin(count, rng)
