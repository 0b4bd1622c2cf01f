"""What a training has measured of each setting, in numbers that other trainings can use."""

from dataclasses import dataclass

import numpy as np

from tunewise.space import Config
from tunewise.surrogate import Array

SPREAD = 1.0
"""A parameter is expected to change the logarithm of the seconds of a sample by this from its one
end to the other: by a factor of nearly three, which is what the settings of a cluster make. Two
trainings are expected to disagree by as much: with less, one that says that nothing is better than
the first setting would never be found out."""

EXPECTED_WEIGHT = 2.0
"""What is expected before, or usual elsewhere, says as much as so many measurements: settings in
common, tested forecasts, losses for their noise. One alone hardly tells."""


@dataclass(frozen=True, eq=False)
class Summary:
    """Log seconds of a sample and log progress of a sample by setting, each (n,).

    Attributes:
        keys: Of the settings.
        settings: The settings.
        seconds: Logarithms.
        slopes: Logarithms, beside what the training's curve says of all settings; zeros where only
            speed counts.
    """

    keys: tuple[tuple[object, ...], ...]
    settings: tuple[Config, ...]
    seconds: Array
    slopes: Array

    def disagreement(self, other: "Summary") -> tuple[float, float]:
        """By how much the differences between settings differ, in seconds and in progress.

        The standard deviation over the common settings, mixed with what is expected of any two.
        """
        mine, theirs = self._common(other)
        seconds = self.seconds[mine] - other.seconds[theirs]
        slopes = self.slopes[mine] - other.slopes[theirs]
        return _spread(seconds), _spread(slopes)

    def shift(self, other: "Summary") -> tuple[float, float]:
        """What to add to the other's logarithms, so that the common settings agree on average."""
        mine, theirs = self._common(other)
        if not len(mine):
            return (
                float(self.seconds.mean() - other.seconds.mean()),
                float(self.slopes.mean() - other.slopes.mean()),
            )
        seconds = self.seconds[mine] - other.seconds[theirs]
        slopes = self.slopes[mine] - other.slopes[theirs]
        return float(seconds.mean()), float(slopes.mean())

    def _common(self, other: "Summary") -> tuple[list[int], list[int]]:
        places = {key: i for i, key in enumerate(other.keys)}
        pairs = [(i, places[key]) for i, key in enumerate(self.keys) if key in places]
        return [i for i, _ in pairs], [j for _, j in pairs]


def _spread(differences: Array) -> float:
    count = max(len(differences) - 1, 0)
    squares = float(((differences - differences.mean()) ** 2).sum()) if count else 0.0
    return float(np.sqrt((EXPECTED_WEIGHT * SPREAD**2 + squares) / (EXPECTED_WEIGHT + count)))


def averaged(values: Array, groups: Array) -> Array:
    """The mean of each group, (g,)."""
    count = int(groups.max()) + 1 if len(groups) else 0
    return np.array([values[groups == group].mean() for group in range(count)])
