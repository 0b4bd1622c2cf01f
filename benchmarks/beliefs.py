"""What a search believes of every config on its way, against the truth.

`python -m benchmarks.beliefs` searches on tables and made-up problems, and looks at some places of
each search at all configs that were not measured on the full data: how often they keep the limits
where that was held probable, and how often the truth lies within the 90 % intervals. Unlike what is
recommended these are many and not chosen, so that beliefs can be told apart with few searches.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.worlds.measured import trainings
from benchmarks.worlds.world import World
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.model import Model
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.benchmark.measures.reliability import INTERVAL, Claim
from tunewise.benchmark.replay import ReplayExecutor
from tunewise.history import History
from tunewise.surrogate.registered import SurrogateSpec

PLACES = (8, 14, 22, 34)
"""Trials after which beliefs are looked at."""

SAID = (0.0, 0.1, 0.5, 0.9, 0.97, 0.995, 1.0)
"""Ends of the ranges of what was said."""


def main() -> None:
    """Print two tables for benchmarks/NOTEBOOK.md."""
    given = _options()
    model = Modelled(Model(SurrogateSpec.of(given.surrogate)))
    claims: dict[int, list[Claim]] = {place: [] for place in PLACES}
    print(f"{machine.described()}; seed {given.seed}")
    with tempfile.TemporaryDirectory() as folder:
        for world in list(trainings(Path(folder)))[:: given.each]:
            history = searched(world, given.seed)
            for place in PLACES:
                claims[place] += _after(world, model, history, place)
    print("\n".join(["", *tables(claims)]))


def tables(claims: dict[int, list[Claim]]) -> Iterator[str]:
    """Intervals by the number of trials, and probabilities by what was said."""
    metrics = sorted({name for each in claims.values() for one in each for name in one.held})
    yield f"| trials | configs | {' | '.join(f'{INTERVAL:.0%} of {name}' for name in metrics)} |"
    yield f"|---|---|{'---|' * len(metrics)}"
    for place, each in claims.items():
        cells = [_share([one.held[name] for one in each if name in one.held]) for name in metrics]
        yield f"| {place} | {len(each)} | {' | '.join(cells)} |"
    yield from ("", "| said | configs | said on average | came true |", "|---|---|---|---|")
    every = [one for each in claims.values() for one in each]
    for low, high in zip(SAID, SAID[1:], strict=False):
        inside = [one for one in every if low <= one.said < high or one.said == high == 1]
        if inside:
            said = np.mean([one.said for one in inside])
            true = _share([one.true for one in inside])
            yield f"| {low:g} to {high:g} | {len(inside)} | {said:.3f} | {true} |"


def searched(world: World, seed: int) -> History:
    """What the default measures within the last of the places."""
    with tw.Study(world.problem, "trimtuner", seed) as study:
        study.optimize(
            world.job(seed), trials=PLACES[-1], executor=ReplayExecutor(), progress=False
        )
        return study.history


def _after(world: World, model: Modelled, history: History, place: int) -> list[Claim]:
    """What is believed after so many trials."""
    posterior = model.posterior(world.problem, History(list(history)[:place]), 0, None)
    if len(history) < place or posterior is None:
        return []
    return list(believed(world, posterior))


def believed(world: World, posterior: Posterior) -> Iterator[Claim]:
    """What is believed of each config that was not measured on the full data."""
    problem, configs = world.problem, posterior.grid.candidates.configs
    feasible = posterior.feasible(Doubt.MEASUREMENT)[:, -1]
    full = {name: posterior.predict(name, Doubt.MEASUREMENT)[:, -1] for name in problem.needed}
    untold = np.isnan(posterior.known(problem.objective))
    for i in np.flatnonzero(untold).tolist():
        truth = world.truth(configs[i])
        if truth is None:
            continue
        held = {}
        for name, normal in full.items():
            low, high = normal.quantile(0.5 - INTERVAL / 2), normal.quantile(0.5 + INTERVAL / 2)
            at = float(posterior.believed(name).scale.forward(np.array([truth[name]]))[0])
            held[name] = bool(low[i] <= at <= high[i])
        yield Claim(float(feasible[i]), problem.feasible(truth), 0.0, held)


def _share(hits: Sequence[bool]) -> str:
    return f"{np.mean(hits):.3f}" if hits else "–"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beliefs", description=__doc__)
    parser.add_argument("--surrogate", default="gp", help="gp, gp_mcmc or trees")
    parser.add_argument("--each", type=int, default=1, help="only every so-manieth problem")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
