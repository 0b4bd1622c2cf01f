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
    print("| task | first model (s) | CPU s | model | told | held back | baseline | models |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.tasks.split(","):
        try:
            problem = PROBLEMS[name]()
        except FileNotFoundError as error:
            print(f"| {name} | left out: there is no {error.filename} | | | | | | |")
            continue
        print(row(name, problem, options.seconds), flush=True)


def row(name: str, problem: Problem, seconds: float) -> str:
    """What became of one task."""
    import tunewise as tw

    began, cpu, first = time.perf_counter(), time.process_time(), list[float]()

    def hear(progress: Any) -> None:
        if progress.kind == "told" and not first:
            first.extend((time.perf_counter() - began, time.process_time() - cpu))

    task = tw.Task(problem.program, name=name)
    task.feed(problem.inputs, problem.outputs)
    count = task.train(seconds, hear=hear)
    quality, models = task.quality, task.models()
    own = first[1] + models[0].card["cpu"]  # of this process, and of the one that trained
    reached = held_back(task, problem)
    called, baseline = problem.baseline(problem)
    best = next(model.name for model in models if model.serves)
    return (
        f"| {name} | {first[0]:.1f} | {own:.1f} | {best} | {quality.value:.3f}"
        f" ({quality.low:.3f} to {quality.high:.3f}) | {reached:.3f} | {baseline:.3f} ({called})"
        f" | {count} |"
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
