"""Finding hyper-parameters: the most probable ones, or a sample of the probable ones."""

import numpy as np

from tunewise.surrogate.gaussian.likelihood import LogPosterior
from tunewise.surrogate.normal import Array

# Steps from the prior mean, in prior standard deviations, of (kernel, noise). They span the
# explanations that rival each other: the prior's own, a smooth trend in noise, exact wiggles.
_STARTS = ((0.0, 0.0), (0.5, 2.0), (-1.0, -1.5))
_STEP = 0.05
"""How far from the top its curvature is measured."""
_DECIMALS = 3
"""Of a hyper-parameter, most often a logarithm: the climbs stop long before the fourth."""


def most_probable(posterior: LogPosterior, iterations: int = 100) -> Array:
    """The hyper-parameters (p,) of the highest density found from the likeliest of a few starts.

    Climbs from the others end no higher: of 228 fits of tables and made-up problems none did.
    """
    from scipy.optimize import minimize

    prior = posterior.prior
    steps = [np.append(np.full(len(prior) - 1, kernel), noise) for kernel, noise in _STARTS]
    starts = [np.clip(prior.mean + each * prior.std, prior.low, prior.high) for each in steps]
    # Rounded, so that another processor's last digits choose the same start: the first of equals.
    start = max(starts, key=lambda theta: round(posterior.value(theta), _DECIMALS))

    def loss(theta: Array) -> tuple[float, Array]:
        value, gradient = posterior.value_and_gradient(theta)
        return (-value, -gradient) if np.isfinite(value) else (1e10, gradient)

    climb = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=np.stack([prior.low, prior.high], axis=1),
        options={"maxiter": iterations, "ftol": 1e-5, "gtol": 1e-2},
    )
    # Each step of a climb magnifies the rounding errors of those before. What is dropped here is
    # finer than the climb, so that another processor finds the same hyper-parameters.
    return np.asarray(np.clip(np.round(climb.x, _DECIMALS), prior.low, prior.high), float)


def around(posterior: LogPosterior, best: Array, count: int) -> Array:
    """Hyper-parameters (count, p) as far from the most probable ones as others are plausible.

    The density is taken for a normal one (Laplace): where it is flat, as broad as the prior. The
    points lie on both sides, in directions at right angles to each other, with its covariance
    between them as far as so few can.
    """
    size = len(best)
    directions = np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))[0]
    half = np.sqrt(size) * directions[: (count + 1) // 2]
    steps = np.concatenate([half, -half])[:count] @ _root_of_covariance(posterior, best).T
    prior = posterior.prior
    return np.asarray(np.clip(np.round(best + steps, _DECIMALS), prior.low, prior.high), float)


def _root_of_covariance(posterior: LogPosterior, best: Array) -> Array:
    """A root (p, p) of the covariance of the normal density that is like the posterior here."""
    prior, here = posterior.prior, posterior.value_and_gradient(best)[1]
    curvature = np.diag(prior.std**-2.0)
    for j in range(len(best)):
        step = _STEP if best[j] + _STEP <= prior.high[j] else -_STEP
        there = best.copy()
        there[j] += step
        value, gradient = posterior.value_and_gradient(there)
        if np.isfinite(value):
            curvature[j] = (here - gradient) / step
    scaled = (curvature + curvature.T) / 2 * prior.std * prior.std[:, None]
    # Whatever the observations say, no direction is less known than before them.
    values, vectors = np.linalg.eigh(np.round(scaled, _DECIMALS))
    return np.asarray(prior.std[:, None] * vectors / np.sqrt(np.maximum(values, 1.0)), float)


def probable(
    posterior: LogPosterior,
    start: Array,
    samples: int,
    rng: np.random.Generator,
    thin: int = 20,
) -> Array:
    """Draw hyper-parameters (samples, p) from the posterior, beginning at `start`.

    Elliptical slice sampling (Murray, Adams and MacKay, 2010): the prior is normal, so each step
    moves on an ellipse that leaves it unchanged and has nothing to tune. `thin` steps lie
    between two samples, and as many before the first.
    """
    theta, chain = start, []
    for step in range(1, samples * thin + 1):
        theta = _elliptical_step(posterior, theta, rng)
        if step % thin == 0:
            chain.append(theta)
    return np.stack(chain)


def _elliptical_step(posterior: LogPosterior, theta: Array, rng: np.random.Generator) -> Array:
    prior = posterior.prior
    here = theta - prior.mean
    there = rng.standard_normal(len(prior)) * prior.std
    level = posterior.log_likelihood(theta) + np.log(rng.uniform())
    angle = rng.uniform(0.0, 2 * np.pi)
    low, high = angle - 2 * np.pi, angle
    while high - low > 1e-9:
        proposal: Array = prior.mean + here * np.cos(angle) + there * np.sin(angle)
        if posterior.log_likelihood(proposal) > level:
            return proposal
        low, high = (angle, high) if angle < 0 else (low, angle)
        angle = rng.uniform(low, high)
    return theta
