"""Races Tunewise against today's tools, in ten minutes on two cores, with nothing to download.

`make bench-quick` calls it twice, because NePS needs an older BoTorch than the newest: runs are
kept in a file, and the second call adds to it and writes the page. A tool that is not installed is
a row that says so.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import inf
from pathlib import Path

from benchmarks import machine
from benchmarks.quick.page import page
from benchmarks.quick.questions import questions
from benchmarks.quick.tools import TOOLS, Run, quiet, raced


def main() -> None:
    """Race, keep the runs, and write the page."""
    given = _options()
    quiet()
    began = time.time()
    kept: list[Run] = json.loads(given.runs.read_text("utf-8")) if given.runs.is_file() else []
    until = inf if given.minutes is None else began + 60 * given.minutes
    for run in _all(_entries(given.tools, given.seeds, kept), given.jobs, until):
        kept.append(run)
        given.runs.write_text(json.dumps(kept), encoding="utf-8")
        told = " ".join(f"{regret:.3f}" for regret in run["regrets"])
        print(
            f"{run['question']}: {run['tool']} {run['seed']}: {told}", file=sys.stderr, flush=True
        )
    if given.page:
        spent = sum(run["ask"] * run["trials"] for run in kept) / 60
        written = page(
            kept, machine.described(), f"{spent:.0f} minutes of processor in all searches"
        )
        given.page.write_text(written, encoding="utf-8")
        print(written)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick", description=__doc__)
    parser.add_argument("--tools", default=",".join(TOOLS), help="by commas")
    parser.add_argument("--seeds", type=int, default=10, help="of each tool, at most")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--minutes", type=float, help="start no run after so many")
    parser.add_argument("--runs", type=Path, default=Path(".quick.json"), metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page there, and print")
    return parser.parse_args()


def _entries(tools: str, seeds: int, kept: list[Run]) -> list[tuple[str, str, int]]:
    """Each seed of all before the next one, so that all have had equally many when time is up."""
    known = {(run["tool"], run["question"], run["seed"]) for run in kept}
    entries = [
        (name, question, seed)
        for seed in range(seeds)
        for question, asked in questions().items()
        for name in tools.split(",")
        if TOOLS[name].asked(asked) and TOOLS[name].version and seed < TOOLS[name].seeds
    ]
    return [entry for entry in entries if entry not in known]


def _all(entries: list[tuple[str, str, int]], jobs: int, until: float) -> Iterator[Run]:
    # A forked child of a process that has used torch may hang: each one starts afresh.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), quiet) as pool:
        futures = [pool.submit(raced, *entry, until) for entry in entries]
        yield from (run for future in as_completed(futures) if (run := future.result()))


if __name__ == "__main__":
    main()
