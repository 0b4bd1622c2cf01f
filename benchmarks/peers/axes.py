"""A table's configs as a product of independent choices, which is what most tools can search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Place = tuple[int, ...]
"""Where a config stands: for each parameter the position of its value."""


@dataclass(frozen=True)
class Axes:
    """For each parameter its values, and for each config its place.

    The values that a number may take often depend on a choice, as with clusters of many small or
    a few large VMs: a number's position is then its rank among the configs of the same choices.

    Attributes:
        names: The parameters.
        sizes: How many positions each has.
        ordered: Whether its positions have an order.
        places: The place of each config.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]
    places: tuple[Place, ...]

    @classmethod
    def of(cls, configs: Sequence[dict[str, Any]]) -> "Axes":
        """The axes of configs that all have the same parameters."""
        names = tuple(configs[0])
        ordered = tuple(all(isinstance(c[name], int | float) for c in configs) for name in names)
        columns = [
            _ranks(configs, name, number, names, ordered)
            for name, number in zip(names, ordered, strict=True)
        ]
        places = tuple(zip(*columns, strict=True))
        return cls(names, tuple(max(column) + 1 for column in columns), ordered, places)

    def nearest(self, place: Place) -> int:
        """The config at a place, or the one that differs least where the table has none."""
        return min(range(len(self.places)), key=lambda i: self._distance(self.places[i], place))

    def _distance(self, one: Place, other: Place) -> float:
        return sum(
            abs(a - b) / size if ordered else float(a != b)
            for a, b, size, ordered in zip(one, other, self.sizes, self.ordered, strict=True)
        )


def _ranks(
    configs: Sequence[dict[str, Any]],
    name: str,
    number: bool,
    names: Sequence[str],
    ordered: Sequence[bool],
) -> list[int]:
    choices = [n for n, is_number in zip(names, ordered, strict=True) if not is_number]
    known: dict[tuple[Any, ...], set[Any]] = {}
    for config in configs:
        alike = tuple(config[n] for n in choices) if number else ()
        known.setdefault(alike, set()).add(config[name])
    ranks = {alike: {v: i for i, v in enumerate(sorted(vs))} for alike, vs in known.items()}
    return [ranks[tuple(c[n] for n in choices) if number else ()][c[name]] for c in configs]
