"""EIc: constrained expected improvement, the baseline of TrimTuner's evaluation."""

from tunewise.strategy.constrained_improvement import ConstrainedImprovement


class Eic(ConstrainedImprovement):
    """Constrained expected improvement; begins with a latin hypercube of four."""
