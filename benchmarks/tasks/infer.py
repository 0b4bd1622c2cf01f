"""How long an answer takes in a warm process, and how long a million rows take."""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.tasks.problems import Problem, digits, fashion, many_classes
from tunewise.declarative.task.exporting import served

KINDS = ("logistic", "boosting")
"""The models that must answer a million rows in twenty seconds."""


def main() -> None:
    """Print a table: milliseconds of processor time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--models", type=int, default=5)
    options = parser.parse_args()
    print(machine.described() + "\n\n| what | model | ms an answer (CPU) |\n|---|---|---|")
    table = many_classes()
    task = tw.Task(table.program, name="rows")
    task.feed(table.inputs, table.outputs)
    task.train(None, models=options.models)
    while not {model.name for model in task.models()}.issuperset(KINDS):
        task.train(None, models=1)
    _one(task, table.held_inputs, options.answers, "one row of 20 numbers")
    made: dict[str, Callable[[], Problem]] = {
        "one 8 x 8 image": digits,
        "one 28 x 28 image": lambda: fashion(2000),
    }
    for called, make in made.items():
        try:
            problem = make()
        except FileNotFoundError as error:
            print(f"| {called} | left out: there is no {error.filename} | |")
            continue
        pictures = tw.Task(problem.program, name=called)
        pictures.feed(problem.inputs, problem.outputs)
        pictures.train(None, models=2)
        _one(pictures, problem.held_inputs, options.answers, called)
    rows = np.random.default_rng(0).normal(size=(options.rows, 20)).astype(np.float32)
    for kind in KINDS:
        best = max((m for m in task.models() if m.name == kind), key=lambda m: m.fraction)
        model = served(task._files, best.card)  # noqa: SLF001 - a task serves its best model alone
        began = time.process_time()
        answers = model.answers(rows)
        took = time.process_time() - began
        print(f"| {len(answers):,} rows | {kind} | {took:.1f} s in all |", flush=True)


def _one(task: Any, inputs: Any, count: int, called: str) -> None:
    task.infer(inputs[0])
    began = time.process_time()
    for place in range(count):
        answer = task.infer(inputs[place % len(inputs)])
    took = 1000 * (time.process_time() - began) / count
    print(f"| {called} | {answer.model} | {took:.3f} |", flush=True)


if __name__ == "__main__":
    main()
