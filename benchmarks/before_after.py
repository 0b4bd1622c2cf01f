"""The headline races with an older and with this state of the project, in one run.

Usage: python -m benchmarks.before_after --before FOLDER [--seeds 20] [--first-seed 0]

The folder is what `pip install --no-deps --target FOLDER <checkout>` makes of the older state. Seed
by seed each race is run by both states in turn, each in a process of its own: whatever else the
machine does meets both alike. Only the public interface is used, which both states have. Printed
are the USD until a recommendation is good for the first time, how good the last one is, and the
processor's time per ask: before, after, and the median of the ratios over the seeds with its
quartiles.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

CONFIG = ["vm", "vms", "learning_rate", "batch_size", "mode"]


class Race(NamedTuple):
    """A table, what is wanted over it, whether slices may be tried, and how many trials."""

    table: str
    wanted: dict[str, Any]
    slices: bool
    trials: int


CAPPED = {"maximize": "accuracy", "subject_to": ["cost <= 0.10"]}
ON_SLICES = Race("trimtuner/cnn.csv", CAPPED, slices=True, trials=30)
CHEAPEST = Race("scout/lr_bigdata_spark.csv", {"minimize": "cost"}, slices=False, trials=20)
RACES = {
    "trimtuner": ON_SLICES,
    "fabulinus": ON_SLICES,
    "eic": ON_SLICES._replace(slices=False),
    "lynceus": CHEAPEST,
    "cherrypick": CHEAPEST,
}
GOOD = 0.95
"""The share of the optimum that is good enough."""


def raced(tables: Path, name: str, race: Race, seed: int, look: int) -> dict[str, float | None]:
    """One search: USD until it is good, how good its end is, and processor seconds per ask.

    Every so many trials (`look`) it is asked what it would deploy.
    """
    import tunewise as tw

    table = _table(tables / race.table)
    fractions = table.fractions if race.slices else (1.0,)
    problem = tw.Problem(table.space, fractions=fractions, **race.wanted)
    best = table.best(problem)
    assert best is not None
    good, share, thought, asks = None, 0.0, 0.0, 0
    with tw.Study(problem, strategy=name, seed=seed) as study:
        for number in range(1, race.trials + 1):
            began = time.process_time()
            try:
                trial = study.ask()
            except tw.StudyError:
                break
            thought, asks = thought + time.process_time() - began, asks + 1
            study.tell(trial, table(trial))
            if number % look == 0 or number == race.trials:
                share = _share(table, problem, study, best.objective)
                if good is None and share >= GOOD:
                    good = study.spent["cost"]
        spent = study.spent["cost"]
        share = _share(table, problem, study, best.objective)
    return {"usd": good, "final": share, "ask": thought / max(asks, 1), "spent": spent}


def _table(path: Path) -> Any:
    import tunewise as tw

    columns = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    if "fraction" in columns:
        return tw.Table(path, CONFIG, fraction="fraction")
    config = [c for c in columns if c not in ("accuracy", "time", "cost", "completed")]
    completed = "completed" if "completed" in columns else None
    return tw.Table(path, config, None, ["time", "cost"], completed)


def _share(table: Any, problem: Any, study: Any, optimum: float) -> float:
    """How good what would be deployed now truly is, as a share of the optimum."""
    import tunewise as tw

    try:
        best = study.recommend()
    except tw.TunewiseError:
        return 0.0
    told = table(tw.Trial(0, best.config, best.fraction))
    if not isinstance(told, tw.Measurement) or not problem.feasible(told.metrics):
        return 0.0
    value = told.metrics[problem.objective]
    return float(value / optimum if problem.maximize else optimum / value)


def told(folder: Path, tables: Path, name: str, seed: int) -> dict[str, float | None]:
    """One search by the state of the project in a folder."""
    path = os.pathsep.join([str(folder), str(Path(__file__).parents[1])])
    command = [sys.executable, "-m", "benchmarks.before_after", "--one", name, str(seed)]
    environment = {**os.environ, "PYTHONPATH": path, "TUNEWISE_DATA": str(tables)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}, seed {seed}, with {folder}:\n{done.stderr}")
    found: dict[str, float | None] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    from benchmarks import machine

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--before", type=Path, help="where the older state is installed")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", action="append", choices=[*RACES], help="may be repeated")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        name, seed = given.one
        print(json.dumps(raced(machine.tables(), name, RACES[name], int(seed), 1)))
        return
    now = Path(__file__).resolve().parents[1] / "src"
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    print(f"{machine.described()}, seeds {seeds[0]} to {seeds[-1]}\n", flush=True)
    print("| strategy | | before | after | after / before |\n|---|---|---|---|---|", flush=True)
    for name in given.only or RACES:
        machine.table(RACES[name].table)
        both = [
            [told(folder, machine.tables(), name, seed) for folder in (given.before.resolve(), now)]
            for seed in seeds
        ]
        print("\n".join(rows(name, both)), flush=True)


def rows(name: str, both: Sequence[Sequence[dict[str, float | None]]]) -> Iterator[str]:
    """Each measure before and after over the seeds; what was never good counts as unbounded."""
    titles = {"usd": f"USD to {GOOD:.0%}", "final": "final share", "ask": "s per ask"}
    for key, title in titles.items():
        values = np.array(
            [[np.inf if (v := run[key]) is None else v for run in pair] for pair in both]
        )
        before, after = np.median(values, axis=0) if key == "usd" else values.mean(axis=0)
        finite = values[np.isfinite(values).all(axis=1) & (values > 0).all(axis=1)]
        shown = "–"
        if len(finite):
            low, middle, high = np.quantile(finite[:, 1] / finite[:, 0], [0.25, 0.5, 0.75])
            shown = f"{middle:.2f} ({low:.2f}–{high:.2f})"
        yield f"| `{name}` | {title} | {_amount(before)} | {_amount(after)} | {shown} |"


def _amount(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "never"


if __name__ == "__main__":
    main()
