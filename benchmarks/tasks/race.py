"""Tables and digits against FLAML with the same seconds, and against boosting alone.

FLAML runs in an environment of its own, whose Python `--flaml` names; without it its column is
empty. Every search has one core.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.tasks.first import held_back
from benchmarks.tasks.problems import PROBLEMS, Problem, boosted, boosted_number

TASKS = "digits,two_classes,many_classes,one_number"

FLAML = """
import json, sys, time
import numpy as np
from flaml import AutoML
given, seconds = np.load(sys.argv[1]), float(sys.argv[2])
kind = "regression" if given["y"].dtype.kind == "f" else "classification"
made = AutoML()
made.fit(given["x"], given["y"], task=kind, time_budget=seconds, n_jobs=1, verbose=0, seed=0)
told = made.predict(given["held"])
if kind == "regression":
    away, base = (told - given["truth"]) ** 2, (given["truth"] - given["y"].mean()) ** 2
    score = 1 - away.sum() / base.sum()
else:
    score = (told == given["truth"]).mean()
print(json.dumps([float(score), made.best_estimator, time.process_time()]))
"""


def main() -> None:
    """Print one row a task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", default=TASKS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--flaml", type=Path, default=None, help="a Python that has FLAML")
    options = parser.parse_args()
    print(machine.described())
    if options.flaml is None:
        print("FLAML is left out: --flaml names the Python of an environment that has it")
    print("\n| task | Tunewise | CPU s | FLAML | CPU s | HistGradientBoosting |")
    print("|---|---|---|---|---|---|")
    for name in options.tasks.split(","):
        problem = PROBLEMS[name]()
        own, model, cpu = ours(problem, options.seconds)
        rival = ["", "", ""]
        if options.flaml is not None:
            score, called, theirs = flaml(problem, options.seconds, options.flaml)
            rival = [f"{score:.3f}", called, f"{theirs:.0f}"]
        alone = (boosted_number if problem.program.endswith("number") else boosted)(problem)[1]
        print(
            f"| {name} | {own:.3f} ({model}) | {cpu:.0f} | {rival[0]} ({rival[1]}) | {rival[2]} |"
            f" {alone:.3f} |",
            flush=True,
        )


def ours(problem: Problem, seconds: float) -> tuple[float, str, float]:
    """Quality on what is held back, the model, and processor seconds of all trainings."""
    import tunewise as tw

    task, before = tw.Task(problem.program), _cpu()
    task.feed(problem.inputs, problem.outputs)
    task.train(seconds)
    spent = _cpu() - before
    best = next(model.name for model in task.models() if model.serves)
    return held_back(task, problem), best, spent


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def flaml(problem: Problem, seconds: float, python: Path) -> tuple[float, str, float]:
    """The same of FLAML."""
    number = problem.program.endswith("number")
    kind = np.float64 if number else np.int64
    arrays: dict[str, Any] = {
        "x": np.asarray(problem.inputs, np.float32).reshape(len(problem.inputs), -1),
        "y": np.asarray(problem.outputs, kind),
        "held": np.asarray(problem.held_inputs, np.float32).reshape(len(problem.held_inputs), -1),
        "truth": np.asarray(problem.held_outputs, kind),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "data.npz")
        np.savez(file, **arrays)
        done = subprocess.run(
            [python, "-c", FLAML, file, str(seconds)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    score, called, cpu = json.loads(done.stdout.splitlines()[-1])
    return score, called, cpu


if __name__ == "__main__":
    main()
