"""Measures our candidates on data that anyone can make or has, and writes the shipped prior."""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.tasks.sets import sets

HOME = Path(__file__).parents[2] / "src/tunewise/declarative/training/prior.json"


def main() -> None:
    """Measure, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each; 0: all candidates")
    parser.add_argument("--templates", default="", help="only these; others keep their rows")
    parser.add_argument("--data", default="", help="only these sets; others keep their rows")
    parser.add_argument("--output", type=Path, default=HOME)
    options = parser.parse_args()
    from tunewise.declarative.schema import parse
    from tunewise.declarative.templates import match

    file = options.output
    rows = {row["data"]: row for row in json.loads(file.read_text())} if file.exists() else {}
    chosen, named = (set(each.split(",")) - {""} for each in (options.templates, options.data))
    for name, program, inputs, outputs in sets():
        kind = match(parse(program)).name
        if (not chosen or kind in chosen) and (not named or name in named):
            rows[name] = {"data": name, **measured(program, inputs, outputs, options.seconds)}
            print(name, len(rows[name]["models"]), flush=True)
            file.write_text(json.dumps(list(rows.values()), indent=0) + "\n")


def measured(program: str, inputs: Any, outputs: Any, seconds: float) -> dict[str, Any]:
    """Quality and seconds of every candidate that was trained in time."""
    import tunewise as tw
    from tunewise.declarative.training.events import family

    task = tw.Task(program)
    task.feed(inputs, outputs)
    own = family(task.program)
    task.train(seconds or None, rule="round_robin")
    models: dict[str, list[float]] = {}
    slices: dict[str, list[float]] = {}
    for model in task.models():
        if model.quality is not None:
            told = [round(model.quality, 4), round(model.card["cpu"], 3)]
            (models if model.fraction == 1 else slices)[f"{own}/{model.name}"] = told
    return {"examples": len(inputs), "models": models, "slices": slices}


if __name__ == "__main__":
    main()
