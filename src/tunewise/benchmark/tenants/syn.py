"""The SYN(sigma_M, alpha) generator of ease.ml's section 6.1."""

import numpy as np

from tunewise.benchmark.tenants.table import TenantTable

SETS = ((0.01, 0.1), (0.01, 1.0), (0.5, 0.1), (0.5, 1.0))
"""The four sets of figure 8."""


def syn(
    correlation: float,
    weight: float,
    *,
    users: int = 200,
    models: int = 100,
    mean: float = 0.6,
    deviation: float = 0.1,
    seed: int = 0,
) -> TenantTable:
    """Accuracy x[i, j] = b[i] + alpha m[i, j], within 0 and 1; costs are uniform.

    Args:
        correlation: sigma_M, the strength of the correlation between models.
        weight: alpha, how much models differ within a user.
        users: N.
        models: K.
        mean: Of the users' baseline b.
        deviation: Its standard deviation.
        seed: Of everything that is drawn.
    """
    rng = np.random.default_rng(seed)
    hidden = rng.random(models)
    apart = np.subtract.outer(hidden, hidden)
    covariance = np.exp(-(apart**2) / correlation**2) + 1e-9 * np.eye(models)
    baseline = rng.normal(mean, deviation, (users, 1))
    # The paper does not say how its qualities stay within 0 and 1; a tenth of m keeps most inside.
    variation = 0.1 * rng.standard_normal((users, models)) @ np.linalg.cholesky(covariance).T
    accuracy = np.clip(baseline + weight * variation, 0.0, 1.0)
    names = tuple(f"model {j}" for j in range(models))
    return TenantTable(f"SYN({correlation:g}, {weight:g})", names, accuracy,
                       rng.uniform(0.0, 1.0, (users, models)))  # fmt: skip
