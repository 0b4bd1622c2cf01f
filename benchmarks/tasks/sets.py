"""The data sets of the shipped prior: data that anyone can make or has."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.tasks import problems

Given = tuple[str, str, Any, Any]
"""A name, a program, inputs and outputs."""


def sets() -> Iterator[Given]:
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
    yield from drawn_tables()
    yield from _pictures()
    yield from _sequences()
    yield from _others()
    yield from more()


def _pictures() -> Iterator[Given]:
    whole = problems.fashion(60_000)
    odd = np.flatnonzero(np.isin(whole.outputs, (1, 3, 5, 7, 9)))
    even = np.flatnonzero(np.isin(whole.outputs, (0, 2, 4, 6, 8)))
    for name, half in (("odd", odd), ("even", even)):
        for count in (800, 3000):
            chosen = half[-count:]
            x, y = whole.inputs[chosen], whole.outputs[chosen]
            yield f"fashion {name} {count}", "image(28, 28) -> 5 classes", x, y


def _sequences() -> Iterator[Given]:
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


def _others() -> Iterator[Given]:
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


def drawn_tables(first: int = 0, count: int = 28) -> Iterator[Given]:
    """Tables whose outputs are functions of several forms, with noise; a seed for each."""
    for seed in range(first, first + count):
        rng = np.random.default_rng(2000 + seed)
        rows, width = int(rng.integers(300, 3500)), int(rng.integers(4, 40))
        x = rng.normal(size=(rows, width)) * rng.lognormal(0, 1, width)
        form, value = list(FORMS.items())[seed % len(FORMS)]
        y = value(x / x.std(axis=0), rng)
        y = (y - y.mean()) / y.std() + rng.normal(0, rng.uniform(0.05, 0.6), rows)
        if seed % 5 in (1, 3):
            yield f"{form} {seed}", f"table({width}) -> number", x, y
            continue
        classes = int(rng.integers(2, 8))
        cuts = np.quantile(y, np.sort(rng.uniform(0.1, 0.9, classes - 1)))
        yield f"{form} {seed}", f"table({width}) -> {classes} classes", x, np.searchsorted(cuts, y)


def _linear(x: Any, rng: np.random.Generator) -> Any:
    return x @ rng.normal(size=x.shape[1])


def _sparse(x: Any, rng: np.random.Generator) -> Any:
    return x[:, :2] @ rng.normal(size=2)


def _network(x: Any, rng: np.random.Generator) -> Any:
    weights = rng.normal(size=(x.shape[1], 8)) / np.sqrt(x.shape[1])
    return np.tanh(2 * x @ weights) @ rng.normal(size=8)


def _steps(x: Any, rng: np.random.Generator) -> Any:
    columns = rng.integers(0, min(x.shape[1], 6), 5)
    boxes = (x[:, columns] > rng.normal(0, 0.7, 5)) @ 2 ** np.arange(5)
    return rng.normal(size=32)[boxes]


def _waves(x: Any, rng: np.random.Generator) -> Any:
    few = x[:, : min(x.shape[1], 5)]
    return np.sin(few * rng.uniform(0.5, 3, few.shape[1])).sum(axis=1)


def _far(x: Any, rng: np.random.Generator) -> Any:
    return np.sqrt((x[:, : int(rng.integers(2, x.shape[1] + 1))] ** 2).sum(axis=1))


def _products(x: Any, rng: np.random.Generator) -> Any:
    pairs = rng.integers(0, min(x.shape[1], 8), (3, 2))
    return (x[:, pairs[:, 0]] * x[:, pairs[:, 1]]).sum(axis=1)


FORMS: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "linear": _linear,
    "two columns": _sparse,
    "network": _network,
    "steps": _steps,
    "waves": _waves,
    "distance": _far,
    "products": _products,
}
"""By name, an output as a function of a table's columns, which are of one scale here."""


def more() -> Iterator[Given]:
    """A second and a third set of the kinds of which the others give one."""
    yield from _tensors()
    yield from _grown()
    yield from _texts()
    yield from _courses()
    rng = np.random.default_rng(15)
    yield "shapes", "image(8, 8) -> 4 classes", *_shapes(rng, 600)
    words = ["".join(rng.choice(list("pqrs"), 6)) for _ in range(500)]
    yield "echo of six", "text -> text", words, words


def _tensors() -> Iterator[Given]:
    """An image of an image, and a series of a series."""
    rng = np.random.default_rng(11)
    sharp = problems.denoising().outputs
    around = np.pad(sharp, ((0, 0), (1, 1), (1, 1), (0, 0)))
    parts = [around[:, a : a + 8, b : b + 8] for a in range(3) for b in range(3)]
    blurred = np.mean(parts, axis=0).astype(np.float32)
    yield "blurred digits", "image(8, 8) -> image(8, 8)", blurred, sharp
    x = [rng.normal(size=(int(n), 2)).astype(np.float32) for n in rng.integers(3, 8, 700)]
    yield "backwards", "series(2) -> series(2)", x, [v[::-1].copy() for v in x]
    yield "delayed", "series(2) -> series(2)", x, [np.vstack([v[:1] * 0, v[:-1]]) for v in x]


def _grown() -> Iterator[Given]:
    """Trees by how many leaves they have, and by how deep they are."""
    rng = np.random.default_rng(12)
    for name, depth, size in (("leaves", 4, _leaves), ("depth", 5, _deep)):
        nodes = [_expression(rng, depth)[0] for _ in range(800)]
        sizes = [size(node) for node in nodes]
        middle = float(np.median(sizes))
        told = ["more" if each > middle else "less" for each in sizes]
        yield name, "tree(2) -> [more, less]", nodes, told


def _texts() -> Iterator[Given]:
    """Authors by their words, and by a word with which they begin and end."""
    rng = np.random.default_rng(13)
    words = ["".join(rng.choice(list("abcdefghij"), 4)) for _ in range(200)]
    shares, authors = rng.dirichlet(np.full(200, 0.2), size=2), rng.integers(0, 2, 900)
    spoken = [" ".join(rng.choice(words, 6, p=shares[author])) for author in authors]
    yield "two authors", "text -> 2 classes", spoken, authors
    kinds = rng.integers(0, 5, 900)
    framed = [" ".join([words[k], *rng.choice(words[5:], 6), words[k]]) for k in kinds]
    yield "framed words", "text -> 5 classes", framed, kinds


def _courses() -> Iterator[Given]:
    """Walks of two kinds, and noise with a bump or a dent in it."""
    rng = np.random.default_rng(14)
    steps, kinds = rng.normal(size=(500, 60)), rng.integers(0, 2, 500)
    walks = np.cumsum(steps, axis=1)
    rough = np.where(kinds[:, None] == 1, walks, 0.6 * walks + steps).astype(np.float32)
    yield "walks", "series(1) -> 2 classes", [v[:, None] for v in rough], kinds
    for row, kind in zip(steps, kinds, strict=True):
        at = int(rng.integers(54))
        row[at : at + 6] += 1.2 * (2 * kind - 1)
    bumps = steps.astype(np.float32)
    yield "bumps", "series(1) -> 2 classes", [v[:, None] for v in bumps], kinds


def _leaves(node: dict[str, Any]) -> int:
    return sum(_leaves(node[k]) for k in ("left", "right")) if "left" in node else 1


def _deep(node: dict[str, Any]) -> int:
    return 1 + max(_deep(node[k]) for k in ("left", "right")) if "left" in node else 1


def _shapes(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Lines, squares, crosses and spots in noise."""
    kinds, images = rng.integers(0, 4, count), rng.normal(0, 0.25, (count, 8, 8))
    for image, kind in zip(images, kinds, strict=True):
        top, left = rng.integers(0, 4, 2)
        part = np.zeros((5, 5))
        if kind == 0:
            part[:, 2] = 1
        elif kind == 1:
            part[[0, -1]], part[:, [0, -1]] = 1, 1
        elif kind == 2:
            part[2], part[:, 2] = 1, 1
        else:
            part[1:4, 1:4] = 1
        image[top : top + 5, left : left + 5] += part
    return np.clip(images, 0, 1).astype(np.float32), kinds
