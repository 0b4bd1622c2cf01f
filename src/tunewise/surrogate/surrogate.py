"""What every belief about a metric promises."""

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from tunewise.errors import MeasurementError, StrategyError
from tunewise.history.outcome import LARGEST
from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.normal import Array, Normal

FEW = 3
"""So few values, trials or configs say nothing yet of how they differ."""


class Points(NamedTuple):
    """Places where a metric can be measured: encoded configs `x` (n, d), fractions `s` (n,)."""

    x: Array
    s: Array


class Targets(NamedTuple):
    """Checked measurements: where, the values (n,), their known noise variances (n,)."""

    at: Points
    y: Array
    variance: Array

    def with_more(self, more: "Targets") -> "Targets":
        """These, then the others."""
        return Targets(
            Points(*(np.concatenate(both) for both in zip(self.at, more.at, strict=True))),
            np.concatenate([self.y, more.y]),
            np.concatenate([self.variance, more.variance]),
        )


class Surrogate(ABC):
    """The belief about one metric over (config, fraction).

    A surrogate that is looked up by name is built with the keywords `basis` (how the metric may
    change with the fraction) and `spread` (the standard deviation its targets are expected to
    have, 0 for unknown); one that has no use for them ignores them.

    Wherever a method takes `x` and `s`, `x` is (n, d) in the unit cube and `s` (n,) or one
    number, fractions in (0, 1]. Before `fit`, and about configs of another width than those it
    was fitted to, a surrogate answers with a `StrategyError`.
    """

    _width: int | None = None
    """Columns of the encoded configs it was fitted to, None before that."""

    _scale: float
    """The standard deviation of the targets, set by `fit`."""

    @property
    def noise_(self) -> float:
        """Standard deviation of what is measured around the metric itself."""
        return 0.0

    @property
    def scale_(self) -> float:
        """How much the targets differ, once fitted: the unit of a change that matters."""
        self._refuse_unfitted()
        return self._scale

    @abstractmethod
    def fit(self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None) -> Self:
        """Learn from observations `y` (n,) with known standard deviations `noise` (n,)."""

    @abstractmethod
    def condition(
        self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None
    ) -> Self:
        """A copy that has also seen these observations, its structure kept (no refit)."""

    @abstractmethod
    def predict(self, x: ArrayLike, s: ArrayLike) -> Normal:
        """The belief about the metric itself, free of measurement noise, (n,)."""

    def careful(self) -> "Surrogate":
        """The belief to state: one that doubts what it was fitted with too, where that differs.

        A search is steered by what is most probable, and may be wrong; what is said may not.
        """
        return self

    def predict_grid(self, x: ArrayLike, fractions: ArrayLike) -> Normal:
        """The belief at every pair of n configs and F fractions, (n, F)."""
        columns = [self.predict(x, fraction) for fraction in np.asarray(fractions, float)]
        means, stds = np.stack([c.mean for c in columns], 1), np.stack([c.std for c in columns], 1)
        return Normal(means, stds)

    @abstractmethod
    def sample(self, x: ArrayLike, s: ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Draw `n` functions from the belief, each at the same m points: (n, m)."""

    @abstractmethod
    def fantasize(
        self, candidates: tuple[ArrayLike, ArrayLike], targets: tuple[ArrayLike, ArrayLike]
    ) -> Fantasy:
        """What observing each candidate (x, s) would do to the belief at each target (x, s)."""

    def _alike(self, at: Points) -> Points:
        """The places, refused before `fit` and where they are not like those it was fitted to."""
        self._refuse_unfitted()
        if at.x.shape[1] != self._width:
            raise StrategyError(
                f"an encoded config has {at.x.shape[1]} columns; expected {self._width}, as those"
                f" that {type(self).__name__} was fitted to"
            )
        return at

    def _refuse_unfitted(self) -> None:
        if self._width is None:
            raise StrategyError(f"{type(self).__name__} has seen no observations: fit it first")


def points(x: ArrayLike, s: ArrayLike) -> Points:
    """Check and shape places: `x` (n, d), `s` (n,) or one fraction for all."""
    configs = np.ascontiguousarray(np.atleast_2d(np.asarray(x, float)))
    fractions = np.asarray(s, float)
    if fractions.ndim > 1 or fractions.size not in (1, len(configs)):
        raise MeasurementError(f"{len(configs)} configs need as many fractions, not {np.size(s)}")
    if not np.isfinite(configs).all():
        raise MeasurementError("an encoded config has a value that is NaN or infinite")
    if not ((fractions > 0) & (fractions <= 1)).all():
        wrong = fractions[~((fractions > 0) & (fractions <= 1))].flat[0]
        raise MeasurementError(f"a fraction must be in (0, 1], not {wrong}")
    return Points(configs, np.broadcast_to(fractions.reshape(-1), len(configs)))


def observations(x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None) -> Targets:
    """Check and shape measurements; without `noise` nothing is known about it."""
    at = points(x, s)
    values = np.asarray(y, float).reshape(-1)
    std = np.zeros(len(values)) if noise is None else np.asarray(noise, float).reshape(-1)
    if len(values) == 0:
        raise MeasurementError("a surrogate needs at least one observation, not none")
    if len(values) != len(at.x) or len(std) != len(values):
        raise MeasurementError(
            f"{len(at.x)} configs need as many values and standard deviations, "
            f"not {len(values)} and {len(std)}"
        )
    if not np.isfinite(values).all():
        wrong = values[~np.isfinite(values)][0]
        raise MeasurementError(f"an observation must be a finite number, not {wrong}")
    if not (np.isfinite(std) & (std >= 0)).all():
        wrong = std[~(np.isfinite(std) & (std >= 0))][0]
        raise MeasurementError(f"a standard deviation must be finite and 0 or more, not {wrong}")
    return Targets(at, values, std**2)


def refuse_overflow(spread: float) -> None:
    """Refuse targets so far apart that a variance in their own unit is no number."""
    if spread > LARGEST:
        raise MeasurementError(
            f"observations differ by about {spread:.2g}, too much to look ahead from; expected at"
            f" most {LARGEST:g}: tell them in a larger unit, or their logarithm"
        )


def centre_and_spread(y: Array, expected: float) -> tuple[float, float]:
    """Mean and standard deviation, the expected one as a further observation.

    Targets that do not differ at all, with nothing expected, get a spread of 1.
    """
    largest = float(np.abs(y).max()) or 1.0
    small = y / largest  # so that squares of huge targets stay finite
    squares = float(((small - small.mean()) ** 2).sum()) + (expected / largest) ** 2
    spread = np.sqrt(squares / (len(y) + (expected > 0)))
    return float(small.mean()) * largest, (float(spread) * largest if spread > 1e-12 else 1.0)
