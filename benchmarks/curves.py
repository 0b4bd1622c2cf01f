"""How well the first slices of learners foretell the full data: beliefs about LCDB, no search.

`python -m benchmarks.curves` learns from the first slices of every learner of a data set and asks
what is believed of the full data: how dense the belief is at the truth, how many of its 90 %
intervals hold, how many of the limits it calls safe are kept; and the regret of the learner that it
holds to be best among those within the limit, beside that of the best one on the last slice. With
`--noise` it prints how much repeats differ on each slice instead, with `--links` how a learner's
level on the full data goes with what ten times the data adds.
"""

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks import machine
from benchmarks.worlds.lcdb import DataSet, data_sets
from benchmarks.worlds.world import World
from tunewise.belief.candidates import Candidates
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.model import Model
from tunewise.history import History, Trial
from tunewise.surrogate.scale import SCALES

SEEN = ((7, 3), (7, 1), (5, 1), (4, 1), (3, 1), (2, 1), (1, 1))
"""How many slices are seen, and how often the last of them."""
WITHIN, SAFE = 1.645, 0.9


def main() -> None:
    """Print tables for benchmarks/NOTEBOOK.md."""
    given = _options()
    print(machine.described())
    if given.noise or given.links:
        print("\n".join(noise() if given.noise else links()))
        return
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    print(f"seeds {seeds[0]}-{seeds[-1]}; accuracy fits, holds; time fits, holds; safe and kept;")
    print("regret of the believed best, of the best on the last slice")
    for slices, repeats in SEEN:
        rows = [_judged(*one, seed, slices, repeats) for one in _worlds() for seed in seeds]
        cells = " | ".join(f"{value:.2f}" for value in np.nanmean(rows, axis=0))
        print(f"| {slices} slices, the last {repeats} times | {cells} |", flush=True)


def _worlds() -> Iterator[tuple[DataSet, World]]:
    for one in data_sets():
        limit = ("time", "<=", one.quantile("time", 0.5))
        if world := one.world("lcdb", maximize="accuracy", subject_to=[limit]):
            yield one, world


def _judged(one: DataSet, world: World, seed: int, slices: int, repeats: int) -> list[float]:
    """What one belief is worth."""
    problem, history = world.problem, _seen(one, seed, slices, repeats)
    learned = Model().learn(problem, history, True, None).metrics
    fits = [part for name in ("accuracy", "time") for part in _fit(one, world, learned[name], name)]
    configs = [{"learner": learner} for learner in one.full]
    everyone, bound = Candidates.of(problem, configs), problem.constraints[0].bound
    safe = learned["time"].predict(everyone, 1.0).probability_below(np.log(bound)) >= SAFE
    within = np.array([world.feasible(config) for config in configs])
    kept = float(within[safe].mean()) if safe.any() else np.nan
    accuracy = np.where(within, learned["accuracy"].predict(everyone, 1.0).mean, -np.inf)
    last = _last(one, history, one.fractions[slices - 1])
    there = np.array([last.get(config["learner"], -np.inf) for config in configs])
    shown = np.where(within, there, -np.inf)
    picked = [configs[int(np.argmax(values))] for values in (accuracy, shown)]
    return [*fits, kept, *map(world.regret, picked)]


def _fit(one: DataSet, world: World, belief: MetricBelief, name: str) -> tuple[float, float]:
    """The mean log density at the truth, and the share of intervals that hold it."""
    everyone = Candidates.of(world.problem, [{"learner": learner} for learner in one.full])
    believed = belief.predict(everyone, 1.0)
    truth = belief.scale.forward(np.array([metrics[name] for metrics in one.full.values()]))
    away = (truth - believed.mean) / believed.std
    density = -0.5 * away**2 - np.log(believed.std)
    return float(np.mean(density)), float(np.mean(np.abs(away) < WITHIN))


def _seen(one: DataSet, seed: int, slices: int, repeats: int) -> History:
    """The first slices of every learner, the last of them several times."""
    run, trials = one.job(seed), list[Trial]()
    for learner, s in one.repeats:
        if s in one.fractions[:slices]:
            for _ in range(repeats if s == one.fractions[slices - 1] else 1):
                trials.append(Trial(len(trials), {"learner": learner}, s))
    return History(trial.told(run(trial)) for trial in trials)


def _last(one: DataSet, history: History, fraction: float) -> dict[str, float]:
    """The mean accuracy of each learner on one slice."""
    told: dict[str, list[float]] = {}
    for trial in history.complete:
        if trial.fraction == fraction:
            told.setdefault(trial.config["learner"], []).append(trial.metrics["accuracy"])
    return {learner: float(np.mean(values)) for learner, values in told.items()}


def noise(least: int = 3) -> Iterator[str]:
    """By slice the deviation of repeats on the modelled scales, in the median over data sets."""
    yield "| slice | logit of accuracy | logarithm of time |\n|---|---|---|"
    for place in range(7):
        found = [_deviations(one, one.fractions[place], least) for one in data_sets()]
        accuracy, seconds = np.nanmedian(found, axis=0)
        yield f"| {place + 1} | {accuracy:.2f} | {seconds:.2f} |"


def _deviations(one: DataSet, fraction: float, least: int) -> Sequence[float]:
    told = [r for (_, s), r in one.repeats.items() if s == fraction and len(r) >= least]
    logit, log = SCALES["share"].forward, SCALES["positive"].forward
    accuracies = [np.var(logit(np.array([r.accuracy for r in rs])), ddof=1) for rs in told]
    seconds = [np.var(log(np.array([r.time for r in rs])), ddof=1) for rs in told]
    return [float(np.sqrt(np.mean(each))) if each else np.nan for each in (accuracies, seconds)]


def links() -> Iterator[str]:
    """Quantiles over data sets of how levels of learners, and slopes, go together."""
    yield "| metric | quantile | full and slope | smallest and slope |\n|---|---|---|---|"
    for name in ("accuracy", "time"):
        found = np.array([_correlations(one, name) for one in data_sets()])
        for quantile in (0.1, 0.5, 0.9):
            full, smallest = np.nanquantile(found, quantile, axis=0)
            yield f"| {name} | {quantile} | {full:.2f} | {smallest:.2f} |"


def _correlations(one: DataSet, name: str, least: int = 4) -> tuple[float, float]:
    """Of learners measured on so many slices and the full data."""
    forward, rows = SCALES["share" if name == "accuracy" else "positive"].forward, []
    for learner in one.full:
        measured = [s for s in one.fractions if one.repeats.get((learner, s))]
        if len(measured) < least:
            continue
        told = ([getattr(r, name) for r in one.repeats[learner, s]] for s in measured)
        curve = [float(np.mean(forward(np.array(values)))) for values in told]
        rows.append((curve[-1], curve[0], float(np.polyfit(np.log10(measured), curve, 1)[0])))
    level, smallest, slope = np.array(rows).T
    return float(np.corrcoef(level, slope)[0, 1]), float(np.corrcoef(smallest, slope)[0, 1])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.curves", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=60)
    parser.add_argument("--noise", action="store_true", help="how much repeats differ")
    parser.add_argument("--links", action="store_true", help="how levels and slopes go together")
    return parser.parse_args()


if __name__ == "__main__":
    main()
