"""Measures today's tools beside the project's own strategies, on one table and in one run."""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from math import inf
from pathlib import Path

import tunewise as tw
from benchmarks import machine
from benchmarks.peers.arena import Arena
from benchmarks.peers.entrants import PEERS, entrants, in_turns, quiet, raced, versions
from benchmarks.peers.standing import Standing, standings, table
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.race import Run

OWN = ("trimtuner", "eic", "eic_per_usd")
NOT_CONFIG = {"fraction", "accuracy", "time", "cost", "accuracy_std", "time_std", "cost_std"}


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    given = _options()
    path = machine.table(given.table)
    arena = _arena(path, given.cap, given.trials, given.budget)
    listed = entrants(given.tools, given.seeds)
    runs: dict[str, list[Run]] = {name: [] for name, _ in listed}
    until = inf if given.minutes is None else time.time() + 60 * given.minutes
    for run in _all(arena, in_turns(listed), given.jobs, until):
        runs[run.strategy].append(run)
        print(f"{run.strategy} seed {run.seed}: {_ended(run)}", file=sys.stderr, flush=True)
    ended = {n: sorted(rs, key=lambda r: r.seed) for n, rs in runs.items() if rs}
    found = standings(ended, listed[0][0])
    print(f"{machine.described()}, {versions()}\n\n{table(found)}")
    if given.json:
        given.json.write_text(_json(given, found, ended), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--table", default="trimtuner/cnn.csv", help="below the tables' folder")
    parser.add_argument("--cap", type=float, default=0.10, help="most USD of the deployed config")
    parser.add_argument("--trials", type=int, default=48, help="trials in a run, at most")
    parser.add_argument("--budget", type=float, default=3.0, help="USD for a run, at most")
    parser.add_argument("--seeds", type=int, default=20, help="runs of each tool")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--minutes", type=float, help="start no run after so many")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
    parser.add_argument(
        "--tools",
        default=",".join([*OWN, *PEERS]),
        help="strategies and tools, NAME or NAME:SEEDS; ratios are to the first",
    )
    return parser.parse_args()


def _arena(path: Path, cap: float, trials: int, budget: float) -> Arena:
    header = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    measured = tw.Table(path, [name for name in header if name not in NOT_CONFIG])
    problem = tw.Problem(
        measured.space,
        maximize="accuracy",
        subject_to=[("cost", "<=", cap)],
        fractions=measured.fractions,
        budget=budget,
    )
    return Arena.of(Contest(measured, problem, trials))


def _all(arena: Arena, entries: list[tuple[str, int]], jobs: int, until: float) -> Iterator[Run]:
    # A forked child of a process that has used torch may hang: each one starts afresh.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), quiet)
    with pool:
        futures = [pool.submit(raced, name, arena, seed, until) for name, seed in entries]
        yield from (run for future in as_completed(futures) if (run := future.result()))


def _ended(run: Run) -> str:
    last = run.steps[-1]
    return f"{last.share:.3f} of the optimum for {last.cost:.2f} USD, {len(run.steps)} trials"


def _json(given: argparse.Namespace, found: list[Standing], ended: dict[str, list[Run]]) -> str:
    asked = {name: value for name, value in vars(given).items() if name != "json"}
    results: dict[str, object] = {
        "machine": machine.described(),
        "versions": versions(),
        "asked": asked,
    }
    results["tools"] = [standing.as_json() for standing in found]
    results["runs"] = [asdict(run) for runs in ended.values() for run in runs]
    return json.dumps(results, indent=2)


if __name__ == "__main__":
    main()
