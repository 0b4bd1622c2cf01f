"""Measures our candidates on data that anyone can make or has, and writes the shipped prior."""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tasks import problems

HOME = Path(__file__).parents[2] / "src/tunewise/declarative/training/prior.json"


def sets() -> Iterator[tuple[str, str, Any, Any]]:
    """Name, program, inputs and outputs of each data set."""
    from sklearn import datasets as sk

    for name, load in (("iris", sk.load_iris), ("wine", sk.load_wine)):
        data = load()
        yield name, f"table({data.data.shape[1]}) -> 3 classes", data.data, data.target
    for seed in range(10):
        classes, width = (2, 3, 5, 2, 8)[seed % 5], (10, 20, 40)[seed % 3]
        x, y = sk.make_classification(
            600 + 250 * seed,
            width,
            n_informative=width // 2,
            n_redundant=width // 5,
            n_classes=classes,
            n_clusters_per_class=1 + seed % 3,
            flip_y=0.02 * (seed % 4),
            class_sep=0.6 + 0.2 * (seed % 3),
            random_state=100 + seed,
        )
        yield f"classification {seed}", f"table({width}) -> {classes} classes", x, y
    x, y = sk.make_moons(800, noise=0.25, random_state=0)
    yield "moons", "table(2) -> 2 classes", x, y
    x, y = sk.make_circles(800, noise=0.15, factor=0.5, random_state=0)
    yield "circles", "table(2) -> 2 classes", x, y
    x, y = sk.make_gaussian_quantiles(n_samples=1500, n_features=6, n_classes=4, random_state=0)
    yield "quantiles", "table(6) -> 4 classes", x, y
    x, y = sk.make_hastie_10_2(2000, random_state=0)
    yield "hastie", "table(10) -> 2 classes", x, y
    data = sk.load_diabetes()
    yield "diabetes", "table(10) -> number", data.data, data.target
    makers: list[Callable[..., Any]] = [sk.make_friedman1, sk.make_friedman2, sk.make_friedman3]
    for place, make in enumerate(makers):
        x, y = make(1200, noise=(0.5, 50.0, 0.1)[place], random_state=place)
        yield f"friedman {place + 1}", f"table({x.shape[1]}) -> number", x, y
    for seed in range(2):
        x, y = sk.make_regression(800, 15, n_informative=6, noise=20.0, random_state=seed)
        yield f"regression {seed}", "table(15) -> number", x, y
    x, y = sk.make_swiss_roll(1000, noise=0.3, random_state=0)
    yield "swiss roll", "table(3) -> number", x, y
    yield from _pictures()
    yield from _sequences()
    yield from _others()


def _pictures() -> Iterator[tuple[str, str, Any, Any]]:
    whole = problems.fashion(60_000)
    odd = np.flatnonzero(np.isin(whole.outputs, (1, 3, 5, 7, 9)))
    even = np.flatnonzero(np.isin(whole.outputs, (0, 2, 4, 6, 8)))
    for name, half in (("odd", odd), ("even", even)):
        for count in (800, 3000):
            chosen = half[-count:]
            x, y = whole.inputs[chosen], whole.outputs[chosen]
            yield f"fashion {name} {count}", "image(28, 28) -> 5 classes", x, y


def _sequences() -> Iterator[tuple[str, str, Any, Any]]:
    for seed in range(3):
        rng = np.random.default_rng(50 + seed)
        x, y = [], []
        for _ in range(500):
            kind, steps = int(rng.integers(3)), 40
            speed = (0.2, 0.3 + 0.05 * seed, 0.5)[kind]
            wave = np.sin(speed * np.arange(steps) + rng.uniform(0, 6))
            x.append((wave + rng.normal(0, 0.4 + 0.2 * seed, steps))[:, None])
            y.append(f"kind {kind}")
        yield f"waves {seed}", "series(1) -> 3 classes", x, y


def _others() -> Iterator[tuple[str, str, Any, Any]]:
    """Small sets of the other kinds, on which every candidate can be measured."""
    for name, made in (("digits", problems.digits), ("small clothes", problems.small_clothes)):
        problem = made()
        yield name, problem.program, problem.inputs, problem.outputs
    rng = np.random.default_rng(7)
    clean = problems.small_clothes(700, first=5000).inputs[..., None].astype(np.float32)
    noisy = clean * (rng.random(clean.shape) > 0.3)
    yield "clothes with holes", "image(10, 10) -> image(10, 10)", noisy.astype(np.float32), clean
    lengths = rng.integers(3, 7, 700)
    x = [rng.normal(size=(int(n), 1)).astype(np.float32) for n in lengths]
    yield "running sums", "series(1) -> series(1)", x, [np.cumsum(v, axis=0) for v in x]
    grown = [_expression(rng, 3) for _ in range(700)]
    y = ["high" if value > 1.2 else "low" for _, value in grown]
    yield "largest leaf", "tree(2) -> [high, low]", [node for node, _ in grown], y
    words = ["".join(rng.choice(list("qrstuvwxyz"), 5)) for _ in range(150)]
    shares = rng.dirichlet(np.full(150, 0.5), size=3)
    authors = rng.integers(0, 3, 700)
    texts = [" ".join(rng.choice(words, 8, p=shares[author])) for author in authors]
    yield "three authors", "text -> 3 classes", texts, authors
    echoed = ["".join(rng.choice(list("uvwxyz"), 5)) for _ in range(600)]
    yield "echo of five", "text -> text", echoed, echoed


def _expression(rng: np.random.Generator, depth: int) -> tuple[dict[str, Any], float]:
    """A tree with a number in each leaf, and the largest of them."""
    if depth == 0 or rng.random() < 0.3:
        value = float(rng.normal())
        return {"value": [0.0, value]}, value
    (left, one), (right, other) = (_expression(rng, depth - 1) for _ in range(2))
    return {"value": [1.0, 0.0], "left": left, "right": right}, max(one, other)


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
