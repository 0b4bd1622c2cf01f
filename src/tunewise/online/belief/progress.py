"""Iterations that are left, by the thesis' estimators: stateless (3.3) and stateful (3.4).

Parallel SGD needs j = H / l log(d / l) iterations until a loss l, above the least one. H is fitted
to the losses seen under a setting, by least squares over j. The stateless estimator takes for d the
largest loss that there can be, the stateful one the first loss under the setting; both count j from
the beginning of the training, as printed. By 3.4 no iteration brings the loss from d to d, so
"since_switch", which is ours, counts from the setting's first iteration instead. Where gradients
are variance-reduced the loss falls geometrically: j = H log(d / l).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.errors import StudyError, nearest
from tunewise.surrogate import Array, Normal

LARGEST = 100.0
"""The largest loss that there can be, in units of the first: what the stateless estimator needs."""

Rate = Callable[[Array, float], Array]

RATES: dict[str, Rate] = {
    "sublinear": lambda loss, d: np.log(d / loss) / loss,
    "linear": lambda loss, d: np.log(d / loss),
}
"""Iterations until a loss but for the factor H, by the kind of convergence."""

KINDS = ("stateful", "stateless", "since_switch")
"""How progress is estimated."""


@dataclass(frozen=True)
class Progress:
    """An estimator of the iterations that are left.

    Attributes:
        kind: "stateful" (3.4), "stateless" (3.3) or "since_switch" (3.4 with j from the switch).
        rate: "sublinear" for SGD, "linear" for variance-reduced SGD.
    """

    kind: str = "stateful"
    rate: str = "sublinear"

    def __post_init__(self) -> None:
        """Refuse unknown names."""
        for name, known in ((self.kind, KINDS), (self.rate, tuple(RATES))):
            if name not in known:
                raise StudyError(f"unknown estimator of progress {name!r}{nearest(name, known)}")

    def left(self, losses: Array, first: int, target: float, largest: float) -> Normal:
        """Iterations until the target, after the last of these losses.

        Args:
            losses: Above the least one, in the order of the iterations under one setting, (n,).
            first: The number of the first of them in the whole training.
            target: Above the least one.
            largest: That there can be.
        """
        rate = RATES[self.rate]
        if target <= 0 or len(losses) < 2 or losses[0] <= 0:
            return Normal(math.inf, 0.0)
        d = largest if self.kind == "stateless" else float(losses[0])
        start = 0 if self.kind == "since_switch" else first
        j = start + np.arange(len(losses), dtype=float)
        usable = (losses > 0) & (losses < d)
        if not usable.any():
            return Normal(math.inf, 0.0)
        steps = rate(losses[usable], d)
        factor = float(j[usable] @ steps / (steps @ steps))
        residual = j[usable] - factor * steps
        error = math.sqrt(float(residual @ residual) / max(len(residual) - 1, 1) / (steps @ steps))
        ahead = float(rate(np.array([min(target, 0.999 * d)]), d)[0])
        # At least one more: the estimate of an end that is near may lie in the past.
        return Normal(max(factor * ahead - j[-1], 1.0), error * ahead)
