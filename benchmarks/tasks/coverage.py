"""Whether the interval that a user is told holds the quality on a large held-back part."""

import argparse

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.tasks.first import held_back
from benchmarks.tasks.problems import Problem, boosted, boosted_number


def problem(seed: int) -> Problem:
    """A table of its own: 300 to 2,000 examples, and 5,000 held back."""
    from sklearn.datasets import make_classification, make_friedman1

    count = (300, 600, 1000, 2000)[seed % 4]
    if seed % 5 == 4:
        x, y = make_friedman1(count + 5000, 8, noise=1.0 + seed % 3, random_state=seed)
        made = ("table(8) -> number", boosted_number)
    else:
        classes = (2, 3, 5)[seed % 3]
        x, y = make_classification(
            count + 5000, 12, n_informative=6, n_classes=classes, flip_y=0.1, random_state=seed
        )
        made = (f"table(12) -> {classes} classes", boosted)
    x = x.astype(np.float32)
    return Problem(made[0], x[:count], y[:count], x[count:], y[count:], made[1])


def main() -> None:
    """Print the share of intervals that hold the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=25)
    parser.add_argument("--models", type=int, default=7)
    parser.add_argument("--first", type=int, default=0, help="seed of the first task")
    options = parser.parse_args()
    print(machine.described())
    held, away = 0, []
    for seed in range(options.first, options.first + options.tasks):
        made = problem(seed)
        task = tw.Task(made.program, name="coverage")
        task.feed(made.inputs, made.outputs)
        task.train(None, models=options.models)
        told, truth = task.quality, held_back(task, made)
        held += told.low <= truth <= told.high
        away.append(told.value - truth)
        print(
            f"{seed}: told {told.value:.3f} ({told.low:.3f} to {told.high:.3f}), true {truth:.3f}"
        )
    print(f"{held} of {options.tasks} intervals hold the truth; told - true {np.mean(away):+.4f}")


if __name__ == "__main__":
    main()
