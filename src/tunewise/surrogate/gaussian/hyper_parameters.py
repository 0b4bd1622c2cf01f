"""Finding hyper-parameters: the most probable ones, or a sample of the probable ones."""

import numpy as np
from scipy.optimize import minimize

from tunewise.surrogate.gaussian.likelihood import LogPosterior
from tunewise.surrogate.normal import Array

# Steps from the prior mean, in prior standard deviations, of (kernel, noise). They span the
# explanations that rival each other: the prior's own, a smooth trend in noise, exact wiggles.
_STARTS = ((0.0, 0.0), (0.5, 2.0), (-1.0, -1.5))
_DECIMALS = 3
"""Of a hyper-parameter, most often a logarithm: the climbs stop long before the fourth."""


def most_probable(posterior: LogPosterior, iterations: int = 100) -> Array:
    """The hyper-parameters (p,) of the highest density found from the likeliest of a few starts.

    Climbs from the others end no higher: of 228 fits of tables and made-up problems none did.
    """
    prior = posterior.prior
    # Rounded, so that another processor's last digits choose the same start: the first of equals.
    start = max(
        (_start(posterior, *steps) for steps in _STARTS),
        key=lambda theta: round(posterior.value(theta), _DECIMALS),
    )

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


def _start(posterior: LogPosterior, kernel: float, noise: float) -> Array:
    prior = posterior.prior
    steps = np.append(np.full(len(prior) - 1, kernel), noise)
    return np.clip(prior.mean + steps * prior.std, prior.low, prior.high)


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
