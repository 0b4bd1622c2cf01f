"""CherryPick (Alipourfard and others, NSDI 2017): constrained expected improvement."""

from tunewise.strategy.constrained_improvement import ConstrainedImprovement


class CherryPick(ConstrainedImprovement):
    """Constrained expected improvement on Gaussian processes, full data only."""
