"""What observing a candidate would change, for all candidates at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tunewise.surrogate.normal import Array, Normal


@dataclass(frozen=True, eq=False)
class Fantasy:
    """The effect of one observation at each of c candidates on the belief at t targets.

    Attributes:
        mean: (c,) what is expected to be observed at each candidate.
        std: (c,) standard deviation of that observation, its noise included.
        noise: (c,) standard deviation of the noise alone.
        gain: (c, t) how far each target's mean moves per unit of surprise (y - mean).
        target_mean: (t,) belief at the targets before the observation.
        target_var: (t,) its variance.
    """

    mean: Array
    std: Array
    noise: Array
    gain: Array
    target_mean: Array
    target_var: Array

    def __getitem__(self, candidates: ArrayLike | slice) -> "Fantasy":
        """The same for some of the candidates (an index, a mask or a slice)."""
        chosen = candidates if isinstance(candidates, slice) else np.atleast_1d(candidates)
        return Fantasy(
            self.mean[chosen],
            self.std[chosen],
            self.noise[chosen],
            self.gain[chosen],
            self.target_mean,
            self.target_var,
        )

    def observation(self) -> Normal:
        """What is expected to be measured at each candidate, (c,)."""
        return Normal(self.mean, self.std)

    def mean_after(self, y: ArrayLike) -> Array:
        """Means at the targets once `y` (c,) or (..., c) was observed: (..., c, t)."""
        surprise = np.asarray(y, float) - self.mean
        return np.asarray(self.target_mean + self.gain * surprise[..., None], float)

    def std_after(self) -> Array:
        """Standard deviations at the targets once each candidate was observed, (c, t)."""
        return self._std_after

    @cached_property
    def _std_after(self) -> Array:
        """Whatever is observed: it is the same for every outcome."""
        explained = (self.gain * self.std[:, None]) ** 2
        return np.sqrt(np.maximum(self.target_var - explained, 0.0))

    def after(self, y: ArrayLike) -> Normal:
        """Belief at the targets once `y` was observed: `mean_after` with `std_after`."""
        mean = self.mean_after(y)
        return Normal(mean, np.broadcast_to(self.std_after(), mean.shape))
