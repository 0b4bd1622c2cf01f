"""Local search from many places at once: a step along each axis, then one along all that helped.

It asks for values only, so it climbs on any surrogate, and over whole numbers and choices too. All
places of a step are valued in one call; nothing is fitted on the way.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tunewise.acquisition.search.moves import Boxes, along_axes
from tunewise.belief.grid import Index
from tunewise.space import Config, Space
from tunewise.surrogate.normal import Array

Value = Callable[[Sequence[Config], Array, Index], Array]
"""From encoded configs (m, width), and which climb each belongs to, to what each is worth, (m,). In
smooth spaces the configs themselves, which come first, are left out."""

_LENGTHS = (0.5, 1.0, 2.0, 4.0)
"""Of a step along the slope, in steps along an axis."""
_FIRST, _LONGER, _SHORTER = 0.1, 1.5, 0.4
"""The first step as a part of the cube's side; a step that helped makes the next one longer. Steps
as long as the one that helped most lose .07 ± .06 on continuous problems."""


def climbed(
    space: Space, x: Array, value: Value, boxes: Boxes, rounds: int, rng: np.random.Generator
) -> Array:
    """Where climbs from k places (k, width), each in its box, have come after so many rounds.

    None of them is worth less than where it began.
    """
    x, step, rows = x.copy(), np.full(len(x), _FIRST), np.arange(len(x))
    for _ in range(rounds):
        around = boxes.clip(along_axes(space, x, step, rng))
        first = _gains(space, x, around, value)
        ahead = boxes.clip(_along_slope(space, x, around, first, step))
        gains = np.concatenate([first, _gains(space, x, ahead, value)], axis=1)
        best = gains.argmax(1)
        better = gains[rows, best] > 0
        moved = np.concatenate([around, ahead], axis=1)[rows, best]
        x = np.where(better[:, None], moved, x)
        step = step * np.where(better, _LONGER, _SHORTER)
    return x


def _along_slope(space: Space, x: Array, around: Array, gains: Array, step: Array) -> Array:
    """Steps of several lengths along the slope that the steps along the axes tell, (k, 4, width).

    Choices take the value that helped, if any did.
    """
    slope, chosen, rows = np.zeros_like(x), x.copy(), np.arange(len(x))
    finite = np.where(np.isfinite(gains), gains, 0.0)
    for j, p in enumerate(space.parameters):
        here, pair = space.columns[p.name], finite[:, 2 * j : 2 * j + 2]
        if p.width == 1:
            slope[:, here] = (pair[:, 1] - pair[:, 0])[:, None]
            continue
        taken = around[rows, 2 * j + pair.argmax(1)][:, here]
        chosen[:, here] = np.where(pair.max(1)[:, None] > 0, taken, x[:, here])
    largest = np.abs(slope).max(1, keepdims=True)
    direction = np.divide(slope, largest, out=np.zeros_like(slope), where=largest > 0)
    moves = np.array(_LENGTHS)[None, :, None] * (step[:, None] * direction)[:, None, :]
    return np.asarray(chosen[:, None, :] + moves, float)


def _gains(space: Space, x: Array, others: Array, value: Value) -> Array:
    """How much more others (k, m, width) are worth than the places (k, width) they lie beside.

    What is no valid config is worth minus infinity. Both are valued in one call: what a place is
    worth may be relative to what stands beside it.
    """
    k, m, width = others.shape
    rows = np.concatenate([x, others.reshape(k * m, width)])
    climbs = np.concatenate([np.arange(k), np.repeat(np.arange(k), m)])
    if space.smooth:
        worth = value((), rows, climbs)
    else:
        configs = space.decode(rows)
        allowed = np.flatnonzero([space.allows(config) for config in configs])
        kept = [configs[i] for i in allowed]
        worth = np.full(len(rows), -np.inf)
        worth[allowed] = value(kept, space.encode(kept), climbs[allowed])
    return np.asarray(worth[k:].reshape(k, m) - worth[:k, None], float)
