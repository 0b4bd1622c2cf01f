"""What choosing the best of several models adds to its measured quality by mere luck."""

from collections.abc import Sequence

import numpy as np

from tunewise.declarative.quality.losses import Losses

_DRAWS = 200
"""Bootstrap draws: the mean over them is known to a fourteenth of their spread."""


def optimism(chosen: int, models: Sequence[Losses]) -> float:
    """By how much the chosen model's quality is too high for having been chosen.

    All models have losses on the same examples. Examples are drawn with replacement; the model that
    is best on those drawn is measured on those left out. How much lower it is there, on average,
    beyond how much lower the models are there that nobody chose, is luck.
    """
    if len(models) < 2 or len(models[chosen]) < 2:
        return 0.0
    loss = np.stack([model.loss for model in models], axis=1)
    base = np.stack([model.base for model in models], axis=1)
    rng, count = np.random.default_rng(0), len(loss)
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=_DRAWS).astype(float)
    left = (drawn == 0).astype(float)
    inside = 1 - drawn @ loss / np.maximum(drawn @ base, 1e-12)
    outside = 1 - left @ loss / np.maximum(left @ base, 1e-12)
    best = inside.argmax(axis=1)
    rows = np.arange(_DRAWS)
    lost = inside[rows, best] - outside[rows, best]
    usual = (inside - outside).mean(axis=1)
    return float(max((lost - usual).mean(), 0.0))
