"""Is what a study states of a config near what the config is?

`python -m benchmarks.stated` searches made-up problems, with reports of epochs, slices of the data
and the full data alone; kinked, smooth and noisy; shares, losses and real numbers. Then it compares
what is stated with the truth: how many stated deviations away it is (root mean square; 1 is right,
less is too careful), and how often more than two. Once for configs that were trained on the full
data, and once for those that were not. A loss whose slices all came before any growth was seen is
left out: nothing tells its unit.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.space import Config
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.spec import StrategySpec

_RATE = tw.Real("rate", 1e-5, 1e-1, log=True)
_ONE, _TWO = tw.Space(_RATE), tw.Space(_RATE, tw.Real("drop", 0.0, 0.8))
_EPOCHS, _SLICES, _FULL = (1 / 9, 1 / 3, 1.0), (1 / 16, 1 / 4, 1.0), (1.0,)


@dataclass(frozen=True)
class Stated:
    """A problem whose objective is known but for noise."""

    name: str
    truth: Callable[[Config, float], float]
    fractions: tuple[float, ...] = _EPOCHS
    space: tw.Space = _ONE
    noise: float = 0.0
    kind: str = "share"
    strategy: str = "trimtuner"

    def searched(self, seed: int) -> tuple[list[float], list[float]]:
        """Deviations between statements and truth: of configs trained in full, and of others."""
        wanted = tw.Problem(
            self.space, maximize="score", metrics={"score": self.kind}, fractions=self.fractions
        )
        rng = np.random.default_rng([seed, 7])
        with tw.Study(wanted, self.strategy, seed=seed) as study:
            for _ in range(16):
                trial = study.ask()
                study.tell(trial, self._measured(trial, rng))
            history = study.history
        strategy = StrategySpec(self.strategy).build(wanted, seed)
        assert isinstance(strategy, ModelBased), "it has a posterior"
        made = strategy.posterior(history)
        assert made is not None, "trials are complete"
        posterior = made.stated
        full = [trial.config for trial in history.full.complete]
        others = [t.config for t in history.complete if t.config not in full]
        others += self.space.sample(10, np.random.default_rng(5))

        def away(config: Config) -> float:
            said = posterior.describe(config, 1.0).predicted["score"]
            return (self.truth(config, 1.0) - float(said.mean)) / max(float(said.std), 1e-9)

        return [away(config) for config in full], [away(config) for config in others]

    def _measured(self, trial: tw.Trial, rng: np.random.Generator) -> tw.Measurement:
        def score(fraction: float) -> dict[str, float]:
            told = self.truth(trial.config, fraction) + self.noise * rng.standard_normal()
            return {"score": told}

        last = round(9 * trial.fraction) if self.fractions == _EPOCHS else 0
        before = {epoch / 9: score(epoch / 9) for epoch in range(1, last)}
        told = {**score(trial.fraction), "time": 60 * trial.fraction}
        return tw.Measurement(told, snapshots=before)


def _off(config: Config) -> float:
    return abs(math.log10(float(config["rate"])) + 3)


def _saturating(worse: Callable[[float], float]) -> Callable[[Config, float], float]:
    return lambda c, s: (0.9 - 0.1 * worse(_off(c))) * (1 - 0.5 ** (9 * s))


def _kink(off: float) -> float:
    return off


def _bowl(off: float) -> float:
    return 0.4 * off**2


def _sliced(worse: Callable[[float], float]) -> Callable[[Config, float], float]:
    return lambda c, s: (
        0.93 - 0.06 * worse(_off(c)) - 0.1 * (float(c["drop"]) - 0.3) ** 2 - 0.05 * s**-0.35
    )


PROBLEMS = (
    *(
        Stated(
            f"epochs, {shape}, noise {noise}, {by}", _saturating(worse), noise=noise, strategy=by
        )
        for shape, worse in (("kink", _kink), ("smooth", _bowl))
        for noise in (0.0, 0.01)
        for by in ("trimtuner", "cherrypick")
    ),
    Stated("epochs, power law", lambda c, s: 0.95 - 0.08 * _bowl(_off(c)) - 0.4 * (9 * s) ** -0.7),
    Stated(
        "epochs, real, cherrypick",
        lambda c, s: -_off(c) - 2 * 0.6 ** (9 * s),
        kind="real",
        strategy="cherrypick",
    ),
    Stated("slices, kink", _sliced(_kink), _SLICES, _TWO),
    Stated("slices, smooth", _sliced(_bowl), _SLICES, _TWO),
    Stated("slices, noisy", _sliced(_bowl), _SLICES, _TWO, 0.006),
    Stated("full data, kink", _sliced(_kink), _FULL, _TWO),
    Stated("full data, smooth", _sliced(_bowl), _FULL, _TWO),
    Stated("full data, noisy", _sliced(_bowl), _FULL, _TWO, 0.01),
    Stated("full data, real", lambda c, s: -2 * _off(c) - float(c["drop"]), _FULL, _TWO, 0, "real"),
    Stated("full data, positive", lambda c, s: math.exp(-_off(c)), _FULL, _ONE, 0, "positive"),
)


def _cells(away: list[float]) -> str:
    if not away:
        return "– | –"
    z = np.array(away)
    return f"{math.sqrt(float((z**2).mean())):.1f} | {float((np.abs(z) > 2).mean()):.2f}"


def main() -> None:
    """Print a table for benchmarks/NOTEBOOK.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stated", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="problems whose names have this in them")
    given = parser.parse_args()
    print(f"{machine.described()}, seeds 0 to {given.seeds - 1}\n")
    print("| problem | trained in full | beyond 2 | not | beyond 2 |\n|---|---|---|---|---|")
    every: tuple[list[float], list[float]] = ([], [])
    for one in PROBLEMS:
        if given.only not in one.name:
            continue
        both = [one.searched(seed) for seed in range(given.seeds)]
        for i in (0, 1):
            every[i].extend(z for pair in both for z in pair[i])
        cells = " | ".join(_cells([z for pair in both for z in pair[i]]) for i in (0, 1))
        print(f"| {one.name} | {cells} |", flush=True)
    print(f"| all | {_cells(every[0])} | {_cells(every[1])} |")


if __name__ == "__main__":
    main()
