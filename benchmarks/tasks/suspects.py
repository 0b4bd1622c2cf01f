"""Flipped labels: how many of them are among the first 8 % shown; cleanlab beside it."""

import argparse
from typing import Any

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.tasks.problems import Problem, digits, many_classes, two_classes


def main() -> None:
    """Print a row a data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flipped", type=float, default=0.05)
    parser.add_argument("--shown", type=float, default=0.08)
    parser.add_argument("--models", type=int, default=6)
    options = parser.parse_args()
    print(machine.described() + "\n\n| data | found in the first 8 % | cleanlab |\n|---|---|---|")
    for name, made in (
        ("digits", digits()),
        ("table", two_classes()),
        ("8 classes", many_classes()),
    ):
        print(_row(name, made, options), flush=True)


def _row(name: str, problem: Problem, options: Any) -> str:
    rng = np.random.default_rng(1)
    labels = np.asarray(problem.outputs).copy()
    kinds = np.unique(labels)
    wrong = rng.choice(len(labels), round(options.flipped * len(labels)), replace=False)
    for at in wrong:
        labels[at] = rng.choice(kinds[kinds != labels[at]])
    task = tw.Task(problem.program, name=name)
    task.feed(problem.inputs, labels)
    task.train(None, models=options.models)
    most = round(options.shown * len(labels))
    ranked = [int(s.id[1:]) - 1 for s in task.suspects() if s.kind == "label"][:most]
    found = len(set(ranked) & set(wrong.tolist())) / len(wrong)
    return f"| {name} | {found:.0%} | {_cleanlab(task, set(wrong.tolist()), most)} |"


def _cleanlab(task: Any, wrong: set[int], most: int) -> str:
    """The same out-of-fold probabilities, ranked by cleanlab."""
    try:
        from cleanlab.filter import find_label_issues
    except ImportError:
        return "not installed"
    from tunewise.declarative.training.dataset import load_dataset
    from tunewise.declarative.training.folding import out_of_fold

    data = load_dataset(task._store, task._files, task._row())
    folded = out_of_fold(data, task._store.models(task._id), task._need_standing().card)
    assert folded.classes is not None
    given = np.array([folded.classes.index(row.label or "") for row in data.rows])
    rows = folded.probabilities / folded.probabilities.sum(axis=1, keepdims=True)
    ranked = find_label_issues(given, rows, return_indices_ranked_by="self_confidence", n_jobs=1)
    return f"{len(set(ranked[:most].tolist()) & wrong) / len(wrong):.0%}"


if __name__ == "__main__":
    main()
