"""Measures every candidate model on data that anyone has or can make.

    OMP_NUM_THREADS=1 python -m benchmarks.declared_models --sets digits,cancer,clothes10000
    OMP_NUM_THREADS=1 python -m benchmarks.declared_models --models hog,lenet --sets clothes1000

For each it prints the quality on held-back examples (accuracy, or the share of the variance that is
explained; steps that are right for sequences), processor seconds of the training with one thread
and what was estimated before, milliseconds for one input in a warm process (encoder and ONNX),
megabytes of the graph, and how far the graph's answers are from the model's own. The first line of
a set is a baseline made by hand with scikit-learn, or the floor.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import declared_sets
from tunewise.declarative.models import Data, answers, disagreement, session
from tunewise.declarative.templates import Candidate, candidates, decode, encode, ready, size_of

ASKED = 300
"""Times that one input is asked."""


def main() -> None:
    """Print a line for each set and candidate."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sets", default=",".join(declared_sets.SETS))
    arguments.add_argument("--models", default="", help="names; all that fit without it")
    arguments.add_argument("--seed", type=int, default=0)
    chosen = arguments.parse_args()
    wanted = {name for name in chosen.models.split(",") if name}
    print(f"{'set':<13}{'model':<19}{'quality':>8}{'CPU s':>8}{'expected':>9}", end="")
    print(f"{'one, ms':>9}{'MB':>7}{'away':>9}")
    for name in chosen.sets.split(","):
        made = declared_sets.SETS[name](chosen.seed)
        report(name, made.by_hand, made.baseline)
        for each in candidates(made.training.program):
            if each.normalisation is None and (not wanted or each.name in wanted):
                measured(name, each, made.training, made.judging, chosen.seed)


def report(name: str, by_hand: str, baseline: Callable[[], float]) -> None:
    """The baseline's line."""
    began = time.process_time()
    reached = baseline()
    spent = time.process_time() - began
    print(f"{name:<13}{'= ' + by_hand:<19}{reached:>8.4f}{spent:>8.2f}", flush=True)


def measured(name: str, each: Candidate, training: Data, judging: Data, seed: int) -> None:
    """A candidate's line."""
    length = int(np.mean([len(value) for value in training.inputs]))
    expected = each.model.seconds(size_of(training.program, len(training), length))
    began = time.process_time()
    fitted = each.fit(training, seed=seed)
    spent = time.process_time() - began
    feeds = encode(fitted.encoder, judging.inputs)
    found = decode(fitted.encoder, answers(fitted.onnx, feeds))
    reached = declared_sets.quality(found, judging)
    line = f"{name:<13}{each.name:<19}{reached:>8.4f}{spent:>8.2f}{expected:>9.2f}"
    line += f"{one(fitted, judging.inputs[:1]):>9.3f}{len(fitted.onnx) / 1e6:>7.1f}"
    print(f"{line}{disagreement(fitted, feeds):>9.0e}", flush=True)


def one(fitted: Any, asked: Any) -> float:
    """Milliseconds for one input: the median of many."""
    encoding, running = ready(fitted.encoder), session(fitted.onnx)
    times = []
    for _ in range(ASKED):
        began = time.perf_counter()
        running.run(None, encoding(asked))
        times.append(time.perf_counter() - began)
    return float(np.median(times)) * 1000


if __name__ == "__main__":
    main()
