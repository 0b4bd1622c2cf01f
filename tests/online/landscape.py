"""A made-up training whose every setting has a known pace: nothing but the decisions costs time."""

from pathlib import Path

import numpy as np

from tunewise.online import Iteration, Switch
from tunewise.space import Choice, Config, Ordinal, Space

SPACE = Space(
    Ordinal("servers", [1, 2, 4, 8]),
    Ordinal("workers", [4, 8, 16, 28]),
    Choice("consistency", ["bsp", "ssp:4", "asp"]),
    Ordinal("batch_size", [50, 200, 800]),
)


class Landscape:
    """The loss falls by c(x) l^1.5 an iteration, which takes t(x) seconds."""

    def __init__(self, seed: int, noise: float = 0.002, spread: float = 0.6) -> None:
        rng = np.random.default_rng(seed)
        x = SPACE.encode(SPACE.configs)
        linear = rng.standard_normal((x.shape[1], 2))
        bent = 0.5 * rng.standard_normal((x.shape[1], x.shape[1], 2))
        f = x @ linear + np.einsum("ni,ijk,nj->nk", x, bent, x)
        f = (f - f.mean(0)) / f.std(0)
        self.seconds = 0.3 * np.exp(spread * f[:, 0])
        self.fall = np.exp(0.6 * spread * f[:, 1]) * 2 * (0.1**-0.5 - 1) / 4000
        self.loss, self.now, self.noise, self.rng = 1.0, 0.0, noise, rng
        self.reconfiguration = 0.0
        self.place = {SPACE.key(c): i for i, c in enumerate(SPACE.configs)}
        self.at = 0

    @property
    def totals(self) -> np.ndarray:
        """Seconds of the whole training, from loss 1 to 0.1, under each setting alone."""
        return np.asarray(2 * (0.1**-0.5 - 1) / self.fall * self.seconds)

    def run(self, iterations: int) -> list[Iteration]:
        told = []
        for _ in range(iterations):
            self.loss -= self.fall[self.at] * self.loss**1.5
            seconds = self.seconds[self.at] * np.exp(0.1 * self.rng.standard_normal())
            self.now += seconds
            seen = self.loss * (1 + self.noise * self.rng.standard_normal())
            told.append(Iteration(float(seen), float(seconds), 1.0))
        return told

    def begin(self, setting: Config) -> None:
        self.at = self.place[SPACE.key(setting)]

    def switch(self, setting: Config) -> Switch:
        self.begin(setting)
        self.now += 1.0
        self.reconfiguration += 1.0
        return Switch(frozenset({"II"}), 1.0)

    def checkpoint(self, folder: Path) -> None:
        (folder / "kept").write_text(str(self.loss))

    def restore(self, folder: Path) -> bool:
        return False
