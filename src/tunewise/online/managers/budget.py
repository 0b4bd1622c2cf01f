"""The one budget that bounds tries: what they have cost a training, and what they may still cost.

A try costs its switches, and what its iterations are behind those of the best setting known before
it. All tries together may cost a share of the training, as long as that is without them and as far
as it is known for sure. Before a try begins, the dearest switches there and back and what its
iterations are expected to lose must fit into what is left. It is cut when its grant for iterations
is used. Booking follows the belief about speeds: with noise the true cost may pass the share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tunewise.online.segment import Segment
from tunewise.space import Config
from tunewise.surrogate import Array


@dataclass(frozen=True)
class Budget:
    """What tries may cost, in seconds or in USD.

    Attributes:
        share: The share of the training that they may cost.
        passed: Of the training so far.
        left: Of it under the best setting known, at least.
        spent: On tries so far.
    """

    share: float
    passed: float
    left: float
    spent: float

    @property
    def room(self) -> float:
        """What tries may still cost."""
        return self.share * (self.passed - self.spent + self.left) - self.spent

    def allows(self, there: Array, slower: Array, back: Array, saved: Array) -> Array:
        """Whether tries fit, be they lost or won, (n,).

        Args:
            there: What the switch to each setting costs at worst.
            slower: What its iterations are expected to be behind.
            back: What the switch back costs at worst.
            saved: By how much a win may shorten the training, of which tries may cost a share.
        """
        lost, won = there + slower + back, there + self.share * saved
        return np.asarray(np.maximum(lost, won) <= self.room)


def spent(seen: Sequence[Segment], behind: Array, rate: Callable[[Config], float]) -> float:
    """What tries have cost so far: each switch, and how far each stretch was behind.

    Args:
        seen: The stretches with iterations, in order.
        behind: The share of the seconds of each that was lost, (n,).
        rate: What a second under a setting costs.
    """
    shares: list[float] = behind.tolist()
    # The first one had no switch: what stands there was lost by tries that failed.
    return sum(
        rate(each.setting) * (float(each.seconds.sum()) * share + each.reconfiguration)
        for each, share in zip(seen, shares, strict=True)
    )
