"""The surrogate of configs that nothing relates, such as the values of one unordered choice."""

from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.hierarchy import (
    LINKED,
    OWN,
    Guesses,
    Habits,
    Population,
    Told,
    population,
)
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.surrogate import (
    Points,
    Surrogate,
    Targets,
    centre_and_spread,
    observations,
    points,
    refuse_overflow,
)

_SHORTEST = -2.0
"""Decades down to which a curve is thought of where all fractions are close to 1."""


class Exchangeable(Surrogate):
    """Every config has a curve of its own, and all come from one population that is learned.

    Args:
        basis: "none" where only fraction 1 is used, anything else for a curve over fractions.
        spread: the standard deviation that targets usually have; with 0 that of the targets.
        guesses: how many guesses of how much configs differ are averaged over.
        known: configs of which something is known before, and what: encoded rows in the order of
            its numbers, of which the last is any other config.
    """

    def __init__(
        self,
        basis: str = "log",
        *,
        spread: float = 0.0,
        guesses: int = 128,
        known: tuple[Array, Habits] | None = None,
    ) -> None:
        """Say what to believe before seeing data; `fit` does the work."""
        self.known = known
        self.size = 1 if basis == "none" else 3
        self.spread = spread
        self.guesses = guesses
        self._linked = 0.0

    def fit(self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None) -> Self:
        """Weigh the guesses by the observations, and average over them."""
        told = observations(x, s, y, noise)
        self._shift, spread = centre_and_spread(told.y, self.spread)
        self._scale = self.spread or spread
        refuse_overflow(self._scale)
        self._decades = min(float(np.log10(told.at.s).min()), _SHORTEST)
        self._guesses = Guesses.spread(self.size, self.guesses, self._scale)
        self._told, self._width = told, told.at.x.shape[1]
        self._learn(None)
        return self

    def condition(
        self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None
    ) -> Self:
        """A copy that has also seen these observations; the guesses keep their weights."""
        new = observations(x, s, y, noise)
        self._alike(new.at)
        result = copy(self)
        result._told = self._told.with_more(new)
        result._learn(self._population.credence)
        return result

    def careful(self) -> Self:
        """A belief in which level and slope go together, unless more is known of the configs."""
        if self.known is not None or self.size == 1:
            return self
        result = copy(self)
        result._linked = LINKED
        result._learn(None)
        return result

    def _learn(self, credence: Array | None) -> None:
        """Learn about the configs seen, and last about one that nobody has seen."""
        told = self._told
        before = np.empty((0, told.at.x.shape[1])) if self.known is None else self.known[0]
        rows = np.concatenate([before, np.unique(told.at.x, axis=0)])
        self._places: dict[bytes, int] = {}
        for row in rows:
            self._places.setdefault(row.tobytes(), len(self._places))
        habits = self._habits(len(before), len(self._places) + 1)
        self._population: Population = population(
            self._guesses, self._merged(told), habits, credence
        )

    def _habits(self, before: int, configs: int) -> Habits:
        """What is known before of all configs, those seen and any other."""
        if self.known is None:
            nothing = Habits.none(configs, self.size, self._scale)
            return replace(nothing, linked=self._linked)
        known = self.known[1]
        each = np.minimum(np.arange(configs), before)
        return Habits(known.mean[each], known.ratio[each], known.centre, known.spread)

    def weights(self, x: Array) -> Array:
        """The mean weights of the functions of the fraction for each config, (n, k)."""
        weights = self._population.mean[self._config(x)].copy()
        weights[:, 0] += self._shift
        return weights

    def _merged(self, told: Targets) -> Told:
        """Repeats of a config at a fraction as their mean."""
        keys = np.column_stack([self._config(told.at.x), told.at.s])
        distinct, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.reshape(-1)
        repeats = np.bincount(group).astype(float)
        return Told(
            distinct[:, 0].astype(np.intp),
            self._basis(distinct[:, 1]),
            np.bincount(group, told.y - self._shift) / repeats,
            np.bincount(group, told.variance) / repeats**2,
            repeats,
        )

    def _config(self, x: Array) -> NDArray[np.intp]:
        """The number of each config; one that nobody has seen is the last."""
        unseen = len(self._places)
        rows = np.ascontiguousarray(x)
        return np.array([self._places.get(row.tobytes(), unseen) for row in rows], np.intp)

    def _basis(self, s: Array) -> Array:
        """The functions of the fraction, (n, k): a level, a slope per decade, a bend between."""
        decades = np.log10(s)
        along = 1 - decades / self._decades
        return np.stack([np.ones_like(s), decades, 4 * along * (1 - along)], 1)[:, : self.size]

    @property
    def noise_(self) -> float:
        """The noise of a measurement, averaged over guesses."""
        self._refuse_unfitted()
        return float(np.sqrt(self._population.noise))

    def predict(self, x: ArrayLike, s: ArrayLike) -> Normal:
        """The belief about the metric itself, averaged over guesses, (n,)."""
        mean, root = self._at(self._alike(points(x, s)))[:2]
        return Normal(mean, root)

    def _at(self, at: Points) -> tuple[Array, Array, NDArray[np.intp], Array]:
        """Mean (n,), standard deviation (n,), config (n,) and basis (n, k) of places."""
        config, basis = self._config(at.x), self._basis(at.s)
        mean = self._shift + (basis * self._population.mean[config]).sum(1)
        covariance = self._population.covariance[config]
        variance = np.einsum("nk,nkl,nl->n", basis, covariance, basis)
        return mean, np.sqrt(np.maximum(variance, 0.0)), config, basis

    def sample(self, x: ArrayLike, s: ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Draw `n` curves of each config at m points: (n, m)."""
        at = self._alike(points(x, s))
        mean, _, config, basis = self._at(at)
        rows, same = np.unique(at.x, axis=0, return_inverse=True)
        of_row = self._config(rows)
        roots = _root(self._population.covariance[of_row])
        weights = np.einsum("rkl,nrl->nrk", roots, rng.standard_normal((n, *roots.shape[:2])))
        return np.asarray(mean + (weights[:, same.reshape(-1)] * basis).sum(2), float)

    def fantasize(
        self, candidates: tuple[ArrayLike, ArrayLike], targets: tuple[ArrayLike, ArrayLike]
    ) -> Fantasy:
        """An observation teaches about its own config; what it says of others is left out."""
        a, b = self._alike(points(*candidates)), self._alike(points(*targets))
        mean_a, std_a, config, basis = self._at(a)
        mean_b, std_b, _, basis_b = self._at(b)
        same = (a.x[:, None, :] == b.x[None, :, :]).all(2)
        covariance = (basis[:, None] @ self._population.covariance[config])[:, 0] @ basis_b.T
        noise = self._population.noise * self._remaining(config, a.s)
        observed = std_a**2 + noise
        return Fantasy(
            mean=mean_a,
            std=np.sqrt(observed),
            noise=np.sqrt(noise),
            gain=np.where(same, covariance / observed[:, None], 0.0),
            target_mean=mean_b,
            target_var=std_b**2,
        )

    def _remaining(self, config: NDArray[np.intp], s: Array) -> Array:
        """The variance of one more measurement, in units of the first one's, (n,).

        A repeat brings less: what the slice has of its own comes again.
        """
        known = np.column_stack([self._config(self._told.at.x), self._told.at.s])
        before = (known[None] == np.column_stack([config, s])[:, None]).all(2).sum(1)
        now = OWN + (1 - OWN) / np.maximum(before, 1)
        after = OWN + (1 - OWN) / (before + 1)
        return np.where(before > 0, now * after / np.maximum(now - after, 1e-9), 1.0)


def _root(covariance: Array) -> Array:
    """Square roots of positive matrices (r, k, k)."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :], float)
