"""Spaces out of their descriptions: what `describe` says, made again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.errors import SpaceError, nearest
from tunewise.space.cluster import Cluster
from tunewise.space.listed import Choice, Ordinal
from tunewise.space.numeric import Integer, Real
from tunewise.space.parameter import Config, Parameter

Positions = npt.NDArray[np.integer[Any]]

MOST_RUNS = 20_000
"""Beyond so many runs of valid configs a description keeps only their digest."""


def parameter_of(described: Mapping[str, Any]) -> Parameter:
    """The parameter that described itself so."""
    given = {key: value for key, value in described.items() if key != "kind"}
    makers: dict[str, Callable[..., Parameter]] = {
        "choice": Choice,
        "ordinal": Ordinal,
        "integer": Integer,
        "real": Real,
        "cluster": Cluster.described,
    }
    kind = described.get("kind")
    if kind not in makers:
        raise SpaceError(f"unknown kind of parameter {kind!r}{nearest(str(kind), makers)}")
    return makers[kind](**given)


def runs(flat: Positions) -> list[int] | None:
    """Rising numbers as start, length, start, length, ...; None for too many runs."""
    starts = np.flatnonzero(np.diff(flat, prepend=-2) != 1)
    if len(starts) > MOST_RUNS:
        return None
    lengths = np.diff(starts, append=len(flat))
    return np.stack([flat[starts], lengths], axis=1).reshape(-1).tolist()


def counted(runs: Sequence[int]) -> set[int]:
    """The numbers that were told as runs."""
    pairs = zip(runs[::2], runs[1::2], strict=True)
    return set(chain.from_iterable(range(a, a + n) for a, n in pairs))


class Among:
    """A condition that holds for the combinations at known places of the product."""

    def __init__(self, parameters: Iterable[Parameter], valid: set[int]) -> None:
        """Places are counted in the order of `itertools.product`."""
        self._places = [
            (p.name, p.size or 1, {value: i for i, value in enumerate(p.values())})
            for p in parameters
        ]
        self._valid = valid

    def __call__(self, config: Config) -> bool:
        """Whether the config is at one of the places."""
        place = 0
        for name, size, index in self._places:
            place = place * size + index[config[name]]
        return place in self._valid
