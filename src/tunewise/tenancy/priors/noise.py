"""How wide a prior is and how loud measurements are, by marginal likelihood over a log.

Users' values have the covariance s C + v D: C is what models share, D (diagonal) what each varies
alone. One eigendecomposition serves every s and v, so the likelihood of all users costs O(N K) for
each pair. Each user is scored under what the others say, as far as C was learned from them.
"""

from typing import NamedTuple

import numpy as np

from tunewise.surrogate import Array

SCALES = tuple(np.geomspace(0.25, 4.0, 13).tolist())
"""What may be chosen by likelihood: the covariance was learned from the same users, so it is not
four times off. Steps of a quarter."""
NOISES = (1e-3, 3e-3, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0)
"""What may be chosen by likelihood, from hardly any to all of a model's own variance."""
UNKNOWN = float(np.median(NOISES))
"""Before there are users enough to tell: the middle of them."""
NORMAL = np.inf


class Fit(NamedTuple):
    """The scale s of a covariance, and the noise v as a share of each model's own variance."""

    scale: float
    noise: float


def fitted(centred: Array, covariance: Array, own: Array, weight: float, spread: float) -> Fit:
    """The scale and the noise under which left-out users are likeliest.

    Args:
        centred: (N, K) values around their mean.
        covariance: (K, K), C above.
        own: (K,) the diagonal of D, above 0.
        weight: Of the users' own sample covariance in C; 0 where C is known from elsewhere.
        spread: Degrees of freedom beyond 2 of the users' spread; infinite: all spread alike.
    """
    root = np.sqrt(own)
    values, vectors = np.linalg.eigh(covariance / np.outer(root, root))
    values = np.maximum(values, 0.0)
    squares = np.square(centred / root @ vectors)
    constant = 2 * float(np.log(root).sum())
    pairs = [Fit(scale, noise) for scale in SCALES for noise in NOISES]
    found = []
    for fit in pairs:
        spectrum = fit.scale * values + fit.noise
        distance = squares @ (1 / spectrum)
        volume = constant + float(np.log(spectrum).sum())
        parts = left_out(distance, volume, fit.scale * weight)
        found.append(float(log_t(*parts, len(own), spread).mean()))
    return pairs[int(np.argmax(found))]


def left_out(distance: Array, volume: float, weight: float) -> tuple[Array, Array]:
    """Squared distances (N,) and a log volume once each user is left out of mean and covariance.

    The weight is that of the sample in the covariance; without user i the sample is the sample
    minus a share of one outer product, so nothing is decomposed again.
    """
    users = len(distance)
    share = weight * users / (users - 1) ** 2
    kept = np.maximum(1 - share * distance, 1e-6)
    return distance / kept * (users / (users - 1)) ** 2, volume + np.log(kept)


def log_t(distance: Array, volume: Array, models: int, spread: float) -> Array:
    """Log density of t vectors with this covariance and `spread + 2` degrees of freedom."""
    if spread == NORMAL:
        return np.asarray(-0.5 * (models * np.log(2 * np.pi) + volume + distance), float)
    from scipy.special import gammaln

    freedom = spread + 2
    constant = gammaln((freedom + models) / 2) - gammaln(freedom / 2)
    constant -= 0.5 * models * np.log(spread * np.pi)
    tail = 0.5 * (freedom + models) * np.log1p(distance / spread)
    return np.asarray(constant - 0.5 * volume - tail, float)
