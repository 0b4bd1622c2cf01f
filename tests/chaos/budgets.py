"""Random searches with a budget in real processes: what is booked never passes it by a tick.

Usage: python -m tests.chaos.budgets [--scenarios 2000] [--at-once 24] [--seed 0]

A second costs a dollar or so, so that fractions of a second matter; jobs sleep, so that many
searches run at once on few cores. One to three processes work on a study, with one to four trials
each; trials complete, fail, are preempted or run too long, and processes are killed.
"""

import argparse
import json
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import tunewise as tw
from tunewise.space.cloud.billing import HOUR
from tunewise.storage import open_store

LOOP_TICK = 0.25
"""Seconds between looks of a run at what others spend."""


@dataclass(frozen=True)
class Scenario:
    """One search.

    Attributes:
        seed: Decides how long each trial takes, and how it ends.
        budget: USD for all of it.
        rate: USD per second of the dearest config.
        tick: Seconds that are billed as a whole.
        minimum: Seconds that are billed at least.
        parallel: Trials at once in each process.
        processes: Processes on the study.
        kills: How often one of them is killed, and another takes its place.
    """

    seed: int
    budget: float
    rate: float
    tick: float
    minimum: float
    parallel: int
    processes: int
    kills: int

    @classmethod
    def drawn(cls, seed: int) -> "Scenario":
        """The scenario of a seed."""
        chance = random.Random(seed)
        rate = chance.uniform(0.3, 3.0)
        return cls(
            seed,
            rate * chance.uniform(0.6, 4.0),
            rate,
            chance.choice([0.0, 0.0, 0.1, 0.5]),
            chance.choice([0.0, 0.0, 0.3, 1.0]),
            chance.randint(1, 4),
            chance.choice([1, 1, 2, 3]),
            chance.choice([0, 0, 1, 2]),
        )

    def problem(self) -> tw.Problem:
        """What is searched."""
        return tw.Problem(
            tw.Space.of([{"x": x} for x in range(60)]),
            maximize="accuracy",
            budget=self.budget,
            price=lambda config: HOUR * self.rate * (1 + config["x"] % 3) / 3,
            billing=tw.Billing(self.tick, self.minimum),
        )

    def job(self, trial: tw.Trial) -> Any:
        """Sleeps as long as the seed says, and ends as it says."""
        chance = random.Random(f"{self.seed} {trial.number} {sorted(trial.lost)}")
        end = chance.choice(["complete"] * 4 + ["failed", "preempted", "deaf", "endless"])
        if end == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60 if end in ("deaf", "endless") else chance.uniform(0.01, 0.5))
        if end == "failed":
            raise ValueError("as the seed wanted it")
        return tw.Preempted("taken away") if end == "preempted" else {"accuracy": chance.random()}

    def run(self, url: str) -> None:
        """One process of the search, to its end."""
        with tw.Study(self.problem(), "random", self.seed, url, "s", lease=20.0) as study:
            study.optimize(
                self.job, trials=40, parallel=self.parallel, retries=self.seed % 2, progress=False
            )


@dataclass(frozen=True)
class Result:
    """What a search has spent, and by how many ticks of its own that was above the budget."""

    scenario: Scenario
    spent: float
    over: float
    trials: int


def result(scenario: Scenario, folder: Path) -> Result:
    """Run a scenario in processes of its own."""
    url = f"sqlite:///{folder}/{scenario.seed}.db"
    chance = random.Random(-scenario.seed)
    pids = [_forked(lambda: scenario.run(url)) for _ in range(scenario.processes)]
    for _ in range(scenario.kills):
        time.sleep(chance.uniform(0.1, 1.2))
        os.kill(pids[0], signal.SIGKILL)  # not waited for yet, so nobody else has its pid
        os.waitpid(pids.pop(0), 0)
        pids.append(_forked(lambda: scenario.run(url)))
    for pid in pids:
        os.waitpid(pid, 0)
    store = open_store(url)
    history = store.history("s")
    store.close()
    spent = history.spent["cost"]
    tick = scenario.rate * max(scenario.tick, LOOP_TICK)
    return Result(scenario, spent, (spent - scenario.budget) / tick, len(history))


def _forked(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        try:
            work()
        finally:
            os._exit(0)
    return pid


def chaos(scenarios: int, at_once: int, seed: int, folder: Path) -> list[Result]:
    """The results of so many scenarios, some at once."""
    tw.Study(Scenario.drawn(0).problem(), "random", 0).ask()  # imported once, before the forks
    pipes = []
    for i in range(min(at_once, scenarios)):
        ours, theirs = os.pipe()

        def work(first: int = i, pipe: int = theirs) -> None:
            for number in range(first, scenarios, at_once):
                found = result(Scenario.drawn(seed + number), folder)
                os.write(pipe, (json.dumps(asdict(found)) + "\n").encode())

        pipes.append((ours, _forked(work)))
        os.close(theirs)
    results = []
    for pipe, pid in pipes:
        with os.fdopen(pipe) as said:
            for line in said:
                told = json.loads(line)
                results.append(Result(**{**told, "scenario": Scenario(**told["scenario"])}))
        os.waitpid(pid, 0)
    return results


def main() -> int:
    """Run it, say what was found."""
    parser = argparse.ArgumentParser(prog="make budget-chaos")
    parser.add_argument("--scenarios", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tunewise-chaos-") as folder:
        results = chaos(asked.scenarios, asked.at_once, asked.seed, Path(folder))
    above = [r for r in results if r.over > 1e-6]
    beyond = [r for r in results if r.over > 1.0]
    trials, seconds = sum(r.trials for r in results), time.monotonic() - began
    most = max(r.over for r in results)
    print(
        f"{len(results)} scenarios, {trials} trials: {len(above)} above the budget,"
        f" {len(beyond)} by more than a tick; the worst by {most:.2f} ticks ({seconds:.0f} s)"
    )
    for found in sorted(beyond, key=lambda r: -r.over)[:20]:
        print(f"{found.over:.2f} ticks: {found.scenario}")
    return 0 if len(results) == asked.scenarios and not beyond else 1


if __name__ == "__main__":
    raise SystemExit(main())
