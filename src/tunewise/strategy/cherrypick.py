"""CherryPick (Alipourfard and others, NSDI 2017): constrained expected improvement."""

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.constrained_improvement import ConstrainedImprovement
from tunewise.strategy.gain import LeastGain
from tunewise.strategy.options import check_share, check_whole


class CherryPick(ConstrainedImprovement):
    """Constrained expected improvement on Gaussian processes, full data only."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        initial: int = 4,
        surrogate: str = "gp",
        candidates: int = 4096,
        stop: float | None = None,
        least: int = 6,
    ) -> None:
        """Choose how it begins, what it believes with, and when it has done enough.

        Args:
            problem: What is wanted.
            seed: Of the initial design and of candidate pools.
            initial: Configs of the latin hypercube that begins.
            surrogate: What models each metric.
            candidates: How many configs are weighed where the space has more than that.
            stop: End a run once one more trial is expected to better the best objective by less
                than this share of it (0.1 in the paper); None to go on.
            least: Trials that have ended before it may stop.
        """
        super().__init__(problem, seed, initial=initial, surrogate=surrogate, candidates=candidates)
        if stop is not None:
            check_share("stop", stop)
        check_whole("least", least, least=0)
        self._enough = None if stop is None else LeastGain(float(stop), True, least)

    def stops(self, history: History) -> str | None:
        """Once constrained expected improvement is small, if the option `stop` says how small."""
        if self._enough is None:
            return None
        return self._enough.missed(self.problem, history, lambda: self.expected_gain(history))
