"""From `create` to a first model, and the quality on held-back data against a good baseline."""

import argparse
import time
from typing import Any

from benchmarks import machine
from benchmarks.tasks.problems import PROBLEMS, Problem


def main() -> None:
    """Print one row a task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", default=",".join(PROBLEMS))
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    print(machine.described() + "\n")
    print("| task | first model (s) | model | told | held back | baseline | models |")
    print("|---|---|---|---|---|---|---|")
    for name in options.tasks.split(","):
        try:
            problem = PROBLEMS[name]()
        except FileNotFoundError as error:
            print(f"| {name} | left out: there is no {error.filename} | | | | | |")
            continue
        print(row(name, problem, options.seconds), flush=True)


def row(name: str, problem: Problem, seconds: float) -> str:
    """What became of one task."""
    import tunewise as tw

    began, first = time.perf_counter(), list[float]()

    def hear(progress: Any) -> None:
        if progress.kind == "told" and not first:
            first.append(time.perf_counter() - began)

    task = tw.Task(problem.program, name=name)
    task.feed(problem.inputs, problem.outputs)
    count = task.train(seconds, hear=hear)
    quality = task.quality
    reached = held_back(task, problem)
    called, baseline = problem.baseline(problem)
    best = next(model.name for model in task.models() if model.serves)
    return (
        f"| {name} | {first[0]:.1f} | {best} | {quality.value:.3f} ({quality.low:.3f} to"
        f" {quality.high:.3f}) | {reached:.3f} | {baseline:.3f} ({called}) | {count} |"
    )


def held_back(task: Any, problem: Problem) -> float:
    """The quality of the model that serves on what was never fed."""
    from tunewise.declarative.quality import losses
    from tunewise.declarative.schema import read_output

    answers = [answer.value for answer in task.infer(problem.held_inputs)]
    truth = [read_output(task.program, value) for value in problem.held_outputs]
    known = [read_output(task.program, value) for value in problem.outputs]
    single = task.program.output.single
    text = single is not None and single.text
    return float(losses(answers, truth, known, text=text).value)


if __name__ == "__main__":
    main()
