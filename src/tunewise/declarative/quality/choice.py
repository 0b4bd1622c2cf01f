"""What choosing the best of several models adds to its measured quality by mere luck."""

from collections.abc import Sequence

import numpy as np

from tunewise.declarative.quality.losses import Losses

_DRAWS = 200
"""Bootstrap draws: the mean over them is known to a fourteenth of their spread."""


def optimism(chosen: int, models: Sequence[Losses]) -> float:
    """By how much the chosen model's quality is too high for having been chosen.

    All models have losses on the same examples. Examples are drawn with replacement, and the best
    model on those drawn is chosen: how much better it is on them than on all examples, on average
    over the draws, is luck.
    """
    if len(models) < 2 or len(models[chosen]) < 2:
        return 0.0
    loss = np.stack([model.loss for model in models], axis=1)
    base = np.stack([model.base for model in models], axis=1)
    rng, count = np.random.default_rng(0), len(loss)
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=_DRAWS).astype(float)
    there = 1 - drawn @ loss / np.maximum(drawn @ base, 1e-12)
    here = 1 - loss.sum(axis=0) / np.maximum(base.sum(axis=0), 1e-12)
    best = there.argmax(axis=1)
    return float(max((there.max(axis=1) - here[best]).mean(), 0.0))
