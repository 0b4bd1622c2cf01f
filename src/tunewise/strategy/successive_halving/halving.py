"""The arithmetic of successive halving: which slices are the rungs, and who may climb.

A bracket begins with many configs on a small slice of the data and lets 1 in `eta` climb to the
next larger one, until the full data. Hyperband (Li and others, 2018) hedges between brackets that
begin on the smallest slice with many configs and one that has few, all on the full data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bracket:
    """One successive halving.

    Attributes:
        rungs: The fractions that its configs climb, ascending; the last one is 1.
        sizes: How many configs are tried on each rung.
    """

    rungs: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def trials(self) -> int:
        """How many trials it takes in all."""
        return sum(self.sizes)


def rungs_of(fractions: Sequence[float], eta: int) -> tuple[float, ...]:
    """The fractions nearest to 1, 1/eta, 1/eta^2 and so on; the smallest is always among them.

    >>> rungs_of((1 / 60, 1 / 10, 1 / 4, 1 / 2, 1.0), 3) == (1 / 60, 1 / 10, 1 / 4, 1.0)
    True
    """
    powers, smallest = [1.0], min(fractions)
    while powers[-1] > smallest:
        powers.append(powers[-1] / eta)
    nearest = {min(fractions, key=lambda s: abs(math.log(s / power))) for power in powers}
    return tuple(sorted(nearest))


def brackets_of(rungs: Sequence[float], eta: int) -> tuple[Bracket, ...]:
    """One bracket for each rung to begin on, from the smallest slice to the full data.

    With R rungs, the bracket with s rungs above its first one begins with R eta^s / (s + 1)
    configs, rounded up: all brackets then pay for about as many trainings on the full data.
    """
    count, found = len(rungs), list[Bracket]()
    for above in reversed(range(count)):
        begin = math.ceil(count * eta**above / (above + 1))
        sizes = tuple(begin // eta**k for k in range(above + 1))
        found.append(Bracket(tuple(rungs[count - 1 - above :]), sizes))
    return tuple(found)
