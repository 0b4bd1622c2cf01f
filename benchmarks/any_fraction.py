"""The cheapest training that is accurate and quick enough, where its fraction may be chosen too.

Nephele searches configs and fractions; the others search the full data. Each search is measured
against the optimum among what it may deploy: USD until the 90th percentile over the seeds of the
CNO (cost of the best measured trial within the limits, over the optimum's) is at most 1.5. A run
ends when it has measured that optimum. What is deployed is compared with the optimum over all.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.benchmark.measures.cno import CnoCurve, cno_curves
from tunewise.benchmark.race import Run, Step
from tunewise.strategy import StrategySpec

CONFIG = ["vm", "vms", "learning_rate", "batch_size", "mode"]
ANY = {
    "nephele": tw.strategy("nephele"),
    "nephele, 5 USD of latin hypercube": tw.strategy("nephele", bootstrap="paper"),
    "nephele_paper": tw.strategy("nephele_paper"),
    "nephele, trees": tw.strategy("nephele", surrogate="trees"),
    "nephele, horizon 1": tw.strategy("nephele", horizon=1, paths=300),
    "nephele, horizon 2": tw.strategy("nephele", horizon=2, paths=300),
}
FULL = {
    "lynceus, full data": tw.strategy("lynceus"),
    "cherrypick, full data": tw.strategy("cherrypick"),
}
USUAL = ["nephele", "nephele, 5 USD of latin hypercube", *FULL]


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="trimtuner/cnn.csv", help="below the tables' folder")
    parser.add_argument("--limits", default="accuracy >= 0.85; time <= 300")
    parser.add_argument("--only", action="append", choices=[*ANY, *FULL], help="may be repeated")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=200)
    given = parser.parse_args()
    path = machine.table(given.table)
    table = tw.Table(path, CONFIG, fraction="fraction")
    anywhere, full = problems(table, given.limits.split(";"))
    optima = {p.deploy: optimum(table, p) for p in (anywhere, full)}
    print(machine.described() + "\n")
    print(f"optimum at any fraction {optima['any']:.5f} USD, at the full data", end=" ")
    print(f"{optima['full']:.5f} USD\n")
    print("| search | USD to CNO 1.5, 90 % | 50 % | optimum found | deployed | s per ask |")
    print("|---|---|---|---|---|---|")
    for name in given.only or USUAL:
        spec, problem = (ANY[name], anywhere) if name in ANY else (FULL[name], full)
        seeds = range(given.first_seed, given.first_seed + given.seeds)
        runs = [searched(table, problem, spec, seed, given.trials) for seed in seeds]
        _print(name, runs, optima[problem.deploy], optima["any"])


def problems(table: tw.Table, limits: Sequence[str]) -> tuple[tw.Problem, tw.Problem]:
    """The cheapest run within the limits: at any fraction, and at the full data."""
    wanted = {"minimize": "cost", "subject_to": [limit.strip() for limit in limits]}
    anywhere = tw.Problem(table.space, fractions=table.fractions, deploy="any", **wanted)  # type: ignore[arg-type] # a mix of keywords
    return anywhere, tw.Problem(table.space, **wanted)  # type: ignore[arg-type] # a mix of keywords


def searched(
    table: tw.Table, problem: tw.Problem, spec: StrategySpec, seed: int, trials: int
) -> Run:
    """One search, until it has measured its optimum."""
    strategy, goal, told = spec.build(problem, seed), optimum(table, problem), list[tw.Trial]()
    steps, seconds, best = list[Step](), 0.0, None
    while len(told) < trials and (best is None or best > goal):
        began = time.perf_counter()
        suggested = strategy.suggest(tw.History(told), 1)
        seconds += time.perf_counter() - began
        if not suggested:
            break
        trial = tw.Trial(len(told), suggested[0].config, suggested[0].fraction)
        told.append(trial.told(table(trial)))
        history = tw.History(told)
        incumbent = history.best(problem)
        best = None if incumbent is None else incumbent.metrics["cost"]
        spent = history.spent
        steps.append(Step(spent["cost"], spent["time"], 0.0, best is not None, False, best))
    return Run(spec.name, seed, tuple(steps), seconds / max(len(steps), 1))


def optimum(table: tw.Table, problem: tw.Problem) -> float:
    """The least cost within the limits of what may be deployed."""
    best = table.best(problem)
    assert best is not None, "some row keeps the limits"
    return best.objective


def _print(name: str, runs: Sequence[Run], goal: float, overall: float) -> None:
    curve: CnoCurve = cno_curves(runs, goal, "cost")[0]
    falls = [curve.falls_to(1.5, percentile) for percentile in (90, 50)]
    last = [run.steps[-1].incumbent or np.inf for run in runs]
    cells = ["–" if usd is None else f"{usd:.2f}" for usd in falls]
    cells += [f"{sum(cost <= goal for cost in last)} of {len(runs)}"]
    cells += [f"{np.median(last) / overall:.2f}"]
    cells += [f"{np.mean([run.seconds_per_ask for run in runs]):.2f}"]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
