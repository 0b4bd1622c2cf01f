"""EIc per USD: constrained expected improvement for the money a trial is expected to cost."""

from tunewise.strategy.constrained_improvement import ConstrainedImprovement


class EicPerUsd(ConstrainedImprovement):
    """Constrained expected improvement divided by the expected cost of the trial."""

    per_usd = True
