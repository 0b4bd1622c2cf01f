"""Loops whose speeds are known, in virtual time: `python -m benchmarks.known_speeds`.

48 settings, iterations with 15 % of noise, 200 to 3,000 of them, and switches that take 0, 0.3 or
3 s. The loop's seconds are measured by the tuner's clock ("clock"), told with the start of a new
setting in them ("told"), or told without ("apart"); a command ("restart") is started again for each
setting. The setting to begin with is a middling one, or the best of all. Nothing sleeps: the clock
is a number.

`--startups 0,2,5,20` adds what is done once before a loop; a command has it at each of its starts,
so that it is what a switch costs. Where it is done once inside of the first iteration ("inside"),
nobody can tell it from what every switch costs before there was one.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tunewise.online import Iteration, Switch, Tuner, follow
from tunewise.space import Config, Ordinal, Space

SPACE = Space(
    Ordinal("loader_workers", [0, 1, 2, 4]),
    Ordinal("prefetch", [2, 4, 8]),
    Ordinal("threads", [1, 2, 4, 8]),
)
SWITCHES = (0.0, 0.3, 3.0)
LENGTHS = (200, 1000, 3000)
MODES = ("clock", "told", "apart", "restart")
NOISE = 0.15
TYPICAL = 0.3
"""Seconds of an iteration under a middling setting."""


class World:
    """A loop of known speeds; its clock is a number."""

    def __init__(self, seed: int, begins_best: bool) -> None:
        """Draw its speeds."""
        rng = np.random.default_rng(seed)
        log = self.drawn(rng)
        seconds = TYPICAL * np.exp(log - np.median(log)).ravel()
        self.seconds = {SPACE.key(c): float(s) for c, s in zip(SPACE.configs, seconds, strict=True)}
        order = np.argsort(seconds)
        middling = int(rng.integers(len(order) // 4, len(order)))
        self.default: Config = SPACE.configs[int(order[0 if begins_best else middling])]
        self.best = float(seconds.min())
        self.now = self.chance = 0.0
        self._rng = rng

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """Log seconds: what each parameter does, and what only some of them together do."""
        shape = tuple(len(each.values()) for each in SPACE.parameters)
        log = rng.normal(0, 0.1, shape)
        for axis, count in enumerate(shape):
            curve = np.cumsum(rng.normal(0, 0.18, count))
            log += (curve - curve.mean()).reshape([-1 if a == axis else 1 for a in range(3)])
        return log

    def iteration(self, setting: Config) -> float:
        """Let one pass; its seconds."""
        chance = float(np.exp(NOISE * self._rng.standard_normal() - NOISE**2 / 2))
        taken = self.seconds[SPACE.key(setting)] * chance
        self.now += taken
        self.chance += taken - self.seconds[SPACE.key(setting)]
        return taken


class Pipeline(World):
    """One whose loader works beside the step: the slower of both counts, and cores are shared."""

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """Log seconds; nothing of it is a sum over parameters."""
        load, step, cores = rng.uniform(0.2, 3.0), 1.0, rng.choice([2, 4, 8])
        serial, wait = rng.uniform(0.05, 0.6), rng.uniform(0.0, 0.3)
        log = []
        for setting in SPACE.configs:
            loaders, threads = int(setting["loader_workers"]), int(setting["threads"])
            crowd = max(1.0, (loaders + threads) / cores) ** rng.uniform(0.8, 1.2)
            computing = step * (serial + (1 - serial) / threads) * crowd
            loading = load * crowd / max(loaders, 1)
            if not loaders:
                both = computing + loading
            else:
                both = max(computing, loading) + wait * loading / int(setting["prefetch"])
            log.append(np.log(both))
        return np.array(log)


WORLDS = {"sums": World, "pipeline": Pipeline}


@dataclass(frozen=True)
class Run:
    """A tuned training.

    Attributes:
        seconds: In all.
        best: Under the best setting alone.
        first: Under the first one alone.
        tries: Seconds that tries have cost: switches, and what they were behind the best one known.
        switches: How many.
        chance: Seconds by which its iterations happened to be slower than theirs are on average.
    """

    seconds: float
    best: float
    first: float
    tries: float
    switches: int
    chance: float


def run(
    seed: int,
    iterations: int,
    switch: float,
    mode: str,
    begins_best: bool,
    startup: float = 0.0,
    world: str = "sums",
) -> Run:
    """Tune a loop to its end; `startup` are the seconds of its first iteration beside its own."""
    made = WORLDS[world](seed, begins_best)
    space_until = f"samples >= {iterations}"
    tuner = Tuner(
        SPACE,
        space_until,
        default=made.default,
        seed=seed,
        clock=lambda: made.now,
        transfer=False,
    )
    if mode == "restart":
        switch, startup = switch + startup, 0.0
        visited = _restarted(made, tuner, switch)
    else:
        visited = _looped(made, tuner, switch, mode, startup)
    known, behind = made.seconds[SPACE.key(made.default)], 0.0
    for number, (setting, count) in enumerate(visited[1:], start=2):
        each = made.seconds[SPACE.key(setting)]
        tried = number < len(visited)  # the last one is what was chosen
        behind += switch + tried * count * max(each - known, 0.0)
        known = min(known, each)
    first = made.seconds[SPACE.key(made.default)]
    # Whoever is started has to be started once, whatever the setting.
    made.now -= switch + startup
    return Run(
        made.now, iterations * made.best, iterations * first, behind, len(visited) - 1, made.chance
    )


def _looped(
    world: World, tuner: Tuner, switch: float, mode: str, startup: float
) -> list[tuple[Config, int]]:
    visited: list[tuple[Config, int]] = []
    world.now += startup * (mode != "inside")
    for setting in tuner:
        start = switch  # a loader has to be started at the beginning, too
        start += startup * (mode == "inside" and not visited)
        world.now += start
        count = 0
        while not tuner.changed:
            taken = world.iteration(setting)
            count += 1
            if mode in ("clock", "inside"):
                tuner.report(samples=1)
            else:
                own = start if mode == "told" and count == 1 else 0.0
                tuner.report(samples=1, seconds=taken + own)
        visited.append((setting, count))
    return visited


class _Command:
    """A job that is started again for each setting, and tells of the first iteration with it."""

    def __init__(self, world: World, setting: Config, startup: float) -> None:
        self.world, self.setting, self.startup = world, setting, startup
        self.visited: list[tuple[Config, int]] = [(setting, 0)]

    def run(self, iterations: int) -> list[Iteration]:
        return [self._iteration() for _ in range(iterations)]

    def _iteration(self) -> Iteration:
        setting, count = self.visited[-1]
        start = 0.0 if count else self.startup
        self.world.now += start
        taken = start + self.world.iteration(setting)
        self.visited[-1] = (setting, count + 1)
        return Iteration(float("nan"), taken, 1.0, starting=not count)

    def switch(self, setting: Config) -> Switch:
        kinds = frozenset(n for n in setting if setting[n] != self.setting[n])
        self.setting = setting
        self.visited.append((setting, 0))
        return Switch(kinds, 0.0)

    def checkpoint(self, folder: Path) -> None:
        """Nothing is lost."""

    def restore(self, folder: Path) -> bool:
        return False


def _restarted(world: World, tuner: Tuner, switch: float) -> list[tuple[Config, int]]:
    job = _Command(world, tuner.setting, switch)
    follow(job, tuner)
    return job.visited


def main() -> None:
    """Run, and print a line for each switch, mode and length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--startups", default="0")
    parser.add_argument("--world", default="sums", choices=WORLDS)
    told = parser.parse_args()
    seeds = range(told.first_seed, told.first_seed + told.seeds)
    head = "start switch mode     length  /best  worst  tries  most switches"
    print(f"{head} | begins best: worst /first, without chance, tries")
    for startup in map(float, told.startups.split(",")):
        for switch in SWITCHES:
            for mode in told.modes.split(","):
                if not (mode == "restart" and startup and switch):  # a start is its switch
                    _table(startup, switch, mode, seeds, told.world)


def _table(startup: float, switch: float, mode: str, seeds: Sequence[int], world: str) -> None:
    every: list[Run] = []
    for length in LENGTHS:
        runs, kept = (
            [run(seed, length, switch, mode, best, startup, world) for seed in seeds]
            for best in (False, True)
        )
        every += runs
        _show(f"{startup:5} {switch:6} {mode:8} {length:6}", runs, kept)
    _show(f"{startup:5} {switch:6} {mode:8}    all", every, [])


def _show(head: str, runs: Sequence[Run], kept: Sequence[Run]) -> None:
    over = [each.seconds / each.best for each in runs]
    tries = [each.tries / each.seconds for each in runs]
    switches = np.mean([each.switches for each in runs])
    line = f"{head} {np.mean(over):6.2f} {max(over):6.2f} {np.mean(tries):6.1%} {max(tries):5.1%}"
    line += f" {switches:7.1f}"
    if kept:
        worst = max(each.seconds / each.first for each in kept)
        fair = max((each.seconds - each.chance) / each.first for each in kept)
        tried = max(each.tries / each.seconds for each in kept)
        line += f"   | {worst:6.3f} {fair:6.3f} {tried:6.1%}"
    print(line, flush=True)


if __name__ == "__main__":
    main()
