"""Steps from one config to others, in the encoding: any kind of parameter, many configs at once."""

from dataclasses import dataclass

import numpy as np

from tunewise.acquisition.acquisition import FEW_PARAMETERS
from tunewise.space import Space
from tunewise.surrogate.normal import Array


@dataclass(frozen=True, eq=False)
class Boxes:
    """For each of k climbs the part of the unit cube that it stays in, both (k, width)."""

    low: Array
    high: Array

    @classmethod
    def of(cls, space: Space, centres: Array, side: float) -> "Boxes":
        """So long in every number around each centre, within the cube; choices stay free."""
        low, high = np.zeros_like(centres), np.ones_like(centres)
        for p in space.parameters:
            if p.width == 1:
                here = space.columns[p.name]
                low[:, here] = np.clip(centres[:, here] - side / 2, 0.0, 1.0)
                high[:, here] = np.clip(centres[:, here] + side / 2, 0.0, 1.0)
        return cls(low, high)

    def clip(self, x: Array) -> Array:
        """The places (k, m, width) nearest to these in the box of each climb."""
        return np.clip(x, self.low[:, None, :], self.high[:, None, :])

    def __add__(self, other: "Boxes") -> "Boxes":
        """These and those of other climbs."""
        low, high = np.concatenate([self.low, other.low]), np.concatenate([self.high, other.high])
        return Boxes(low, high)


def along_axes(space: Space, x: Array, step: Array, rng: np.random.Generator) -> Array:
    """From each of k places a step down and one up in each of p parameters, (k, 2 p, width).

    Whole numbers go to the next one at least, a choice to another value by chance.

    Args:
        space: What may be chosen.
        x: (k, width) the places.
        step: (k,) the length of the steps.
        rng: What choices are drawn from.
    """
    moved = np.repeat(x[:, None, :], 2 * len(space.parameters), axis=1)
    for j, p in enumerate(space.parameters):
        here = space.columns[p.name]
        if p.width == 1:
            least = 0.0 if p.size is None else 1.0 / max(p.size - 1, 1)
            length = np.maximum(step, least)[:, None]
            moved[:, 2 * j, here] -= length
            moved[:, 2 * j + 1, here] += length
        else:
            values = p.encode(p.values())
            moved[:, 2 * j : 2 * j + 2, here] = values[rng.integers(len(values), size=(len(x), 2))]
    return moved


def perturbed(space: Space, x: Array, side: float, count: int, rng: np.random.Generator) -> Array:
    """Places that differ from one place (width,) in some parameters, (count, width).

    Numbers stay within a box of that side around it.
    """
    box = Boxes.of(space, x[None], side)
    drawn = box.low + (box.high - box.low) * rng.random((count, space.width))
    share = min(1.0, FEW_PARAMETERS / len(space.parameters))
    changed = rng.random((count, len(space.parameters))) < share
    changed[np.arange(count), rng.integers(len(space.parameters), size=count)] = True
    for j, p in enumerate(space.parameters):
        here = space.columns[p.name]
        if p.width > 1:
            values = p.encode(p.values())
            drawn[:, here] = values[rng.integers(len(values), size=count)]
        drawn[:, here] = np.where(changed[:, j, None], drawn[:, here], x[here])
    return drawn
