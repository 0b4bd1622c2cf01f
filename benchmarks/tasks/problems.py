"""Data of every kind that anyone can make or has, with a good baseline made by hand."""

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

FASHION = Path(os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist"))


@dataclass(frozen=True)
class Problem:
    """A task with data to feed and data held back.

    Attributes:
        program: What is declared.
        inputs: To be fed.
        outputs: To be fed.
        held_inputs: Held back, never fed.
        held_outputs: Held back.
        baseline: The quality on what is held back of a model that was made by hand, and its name.
    """

    program: str
    inputs: Any
    outputs: Any
    held_inputs: Any
    held_outputs: Any
    baseline: Callable[["Problem"], tuple[str, float]]


def split(
    program: str,
    x: Any,
    y: Any,
    baseline: Callable[[Problem], tuple[str, float]],
    share: float = 0.75,
    seed: int = 0,
) -> Problem:
    """Some of the data to be fed, the rest held back."""
    order = np.random.default_rng(seed).permutation(len(x))
    cut = round(len(x) * share)
    one, other = order[:cut], order[cut:]
    return Problem(program, _at(x, one), _at(y, one), _at(x, other), _at(y, other), baseline)


def _at(values: Any, places: Any) -> Any:
    array = isinstance(values, np.ndarray)
    return values[places] if array else [values[place] for place in places]


def _flat(x: Any) -> Any:
    return np.asarray(x, np.float32).reshape(len(x), -1)


def trees(problem: Problem) -> tuple[str, float]:
    """Extra trees of scikit-learn."""
    from sklearn.ensemble import ExtraTreesClassifier

    model = ExtraTreesClassifier(300, random_state=0).fit(_flat(problem.inputs), problem.outputs)
    return "ExtraTrees(300)", float(model.score(_flat(problem.held_inputs), problem.held_outputs))


def boosted(problem: Problem) -> tuple[str, float]:
    """Histogram boosting of scikit-learn."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(random_state=0)
    model.fit(_flat(problem.inputs), problem.outputs)
    held = _flat(problem.held_inputs)
    return "HistGradientBoosting", float(model.score(held, problem.held_outputs))


def boosted_number(problem: Problem) -> tuple[str, float]:
    """The same for a number."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(random_state=0)
    model.fit(_flat(problem.inputs), problem.outputs)
    held = _flat(problem.held_inputs)
    return "HistGradientBoosting", float(model.score(held, problem.held_outputs))


def digits() -> Problem:
    """scikit-learn's digits as images."""
    from sklearn.datasets import load_digits

    data = load_digits()
    return split("image(8, 8) -> 10 classes", data.images / 16, data.target, trees)


def fashion(count: int = 10_000) -> Problem:
    """Images of Fashion-MNIST."""
    x, y = (_idx(FASHION / f"train-{name}-ubyte.gz") for name in ("images-idx3", "labels-idx1"))
    held = [_idx(FASHION / f"t10k-{name}-ubyte.gz") for name in ("images-idx3", "labels-idx1")]
    return Problem(
        "image(28, 28) -> 10 classes",
        x[:count],
        y[:count],
        held[0],
        held[1],
        lambda _: ("≥ .88", 0.88),
    )


def small_clothes(count: int = 500, first: int = 0) -> Problem:
    """Fashion-MNIST at 10 x 10 pixels, each the mean of up to nine: all candidates are quick."""
    whole, edges = fashion(first + count), np.linspace(0, 28, 11).astype(int)

    def small(images: Any) -> Any:
        rows = np.stack([images[:, a:b].mean(axis=1) for a, b in pairwise(edges)], axis=1)
        return np.stack([rows[:, :, a:b].mean(axis=2) for a, b in pairwise(edges)], axis=2) / 255

    return Problem(
        "image(10, 10) -> 10 classes",
        small(whole.inputs[first:]),
        whole.outputs[first:],
        small(whole.held_inputs),
        whole.held_outputs,
        trees,
    )


def two_classes() -> Problem:
    """A table of two classes."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    return split("table(30) -> 2 classes", data.data, data.target, boosted)


def many_classes() -> Problem:
    """A table of eight classes."""
    from sklearn.datasets import make_classification

    x, y = make_classification(
        3000, 20, n_informative=10, n_classes=8, n_clusters_per_class=2, random_state=1
    )
    return split("table(20) -> 8 classes", x, y, boosted)


def one_number() -> Problem:
    """A table with a number."""
    from sklearn.datasets import make_friedman1

    x, y = make_friedman1(2000, 10, noise=1.0, random_state=0)
    return split("table(10) -> number", x, y, boosted_number)


def series() -> Problem:
    """Three kinds of waves in noise."""
    rng = np.random.default_rng(0)
    x, y = [], []
    for _ in range(900):
        kind, steps = int(rng.integers(3)), int(rng.integers(40, 61))
        phase = np.cumsum(np.full(steps, (0.25, 0.4, 0.4)[kind])) + rng.uniform(0, 6)
        wave = np.sign(np.sin(phase)) if kind == 2 else np.sin(phase)
        x.append((wave + rng.normal(0, 0.6, steps))[:, None].astype(np.float32))
        y.append(("slow", "fast", "square")[kind])
    return split("series(1) -> [slow, fast, square]", x, y, _spectrum)


def _spectrum(problem: Problem) -> tuple[str, float]:
    from sklearn.ensemble import ExtraTreesClassifier

    def features(all_: Any) -> Any:
        return np.array([np.abs(np.fft.rfft(s[:40, 0])) for s in all_])

    model = ExtraTreesClassifier(300, random_state=0)
    model.fit(features(problem.inputs), problem.outputs)
    return "spectrum + trees", float(
        model.score(features(problem.held_inputs), problem.held_outputs)
    )


def text() -> Problem:
    """Sentences of two authors who differ in their words."""
    rng = np.random.default_rng(0)
    vocabulary = ["".join(rng.choice(list("abcdefghijklmnop"), 6)) for _ in range(300)]
    shares = (
        rng.dirichlet(np.full(300, 0.3), size=2) * 0.35 + rng.dirichlet(np.full(300, 1.0)) * 0.65
    )
    shares /= shares.sum(axis=1, keepdims=True)
    y = rng.integers(0, 2, 1200)
    x = [" ".join(rng.choice(vocabulary, 12, p=shares[kind])) for kind in y]
    return split("text -> [anna, bert]", x, [("anna", "bert")[k] for k in y], _words)


def _words(problem: Problem) -> tuple[str, float]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=10, max_iter=1000))
    model.fit(problem.inputs, problem.outputs)
    return "TF-IDF + logistic", float(model.score(problem.held_inputs, problem.held_outputs))


def tree() -> Problem:
    """Expressions as trees: whether they come out positive."""
    rng = np.random.default_rng(0)

    def node(depth: int) -> tuple[dict[str, Any], float]:
        if depth == 0 or rng.random() < 0.2:
            value = float(rng.normal())
            return {"value": [0, 0, value]}, value
        left, one = node(depth - 1)
        right, other = node(depth - 1)
        minus = rng.random() < 0.3
        kind = [0, 1, 0] if minus else [1, 0, 0]
        return {"value": kind, "left": left, "right": right}, one - other if minus else one + other

    pairs = [node(3) for _ in range(900)]
    x, y = [p[0] for p in pairs], ["positive" if p[1] > 0 else "not" for p in pairs]
    return split("tree(3) -> [positive, not]", x, y, _counts)


def _counts(problem: Problem) -> tuple[str, float]:
    from sklearn.ensemble import ExtraTreesClassifier

    def features(found: Any) -> list[float]:
        total = np.zeros(4)
        stack = [found]
        while stack:
            at = stack.pop()
            total[:3] += at["value"]
            total[3] += at["value"][2] > 0
            stack += [at[k] for k in ("left", "right") if at.get(k)]
        return total.tolist()

    model = ExtraTreesClassifier(300, random_state=0)
    model.fit([features(v) for v in problem.inputs], problem.outputs)
    held = [features(v) for v in problem.held_inputs]
    return "node counts + trees", float(model.score(held, problem.held_outputs))


def denoising() -> Problem:
    """Digits with noise, and without."""
    from sklearn.datasets import load_digits

    clean = (load_digits().images / 16).astype(np.float32)[..., None]
    noisy = clean + np.random.default_rng(0).normal(0, 0.3, clean.shape).astype(np.float32)
    return split("image(8, 8) -> image(8, 8)", noisy, clean, _ridge)


def _ridge(problem: Problem) -> tuple[str, float]:
    from sklearn.linear_model import Ridge

    model = Ridge(1.0).fit(_flat(problem.inputs), _flat(problem.outputs))
    told, truth = model.predict(_flat(problem.held_inputs)), _flat(problem.held_outputs)
    base = ((truth - _flat(problem.outputs).mean(axis=0)) ** 2).sum()
    return "ridge on all pixels", float(1 - ((told - truth) ** 2).sum() / base)


def translation() -> Problem:
    """A toy language: each sign is turned, and the order is kept."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 7, 700)
    x = [rng.choice([-1.0, 1.0], (int(n), 2)).astype(np.float32) for n in lengths]
    return split("series(2) -> series(2)", x, [-v[:, ::-1].copy() for v in x], _nearest)


def _nearest(problem: Problem) -> tuple[str, float]:
    """The answer to the most similar series."""

    def flat(found: Any) -> Any:
        return np.array([np.pad(v, ((0, 6 - len(v)), (0, 0))).ravel() for v in found])

    known, held = flat(problem.inputs), flat(problem.held_inputs)
    places = ((held[:, None] - known[None]) ** 2).sum(axis=2).argmin(axis=1)
    told, truth = flat(problem.outputs)[places], flat(problem.held_outputs)
    return "nearest neighbour", float(1 - ((told - truth) ** 2).sum() / (truth**2).sum())


def echo() -> Problem:
    """The general auto-encoder: words come out as they went in."""
    rng = np.random.default_rng(0)
    x = ["".join(rng.choice(list("abcd"), 4)) for _ in range(600)]
    return split("text -> text", x, x, lambda _: ("mean", 0.0))


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "digits": digits,
    "fashion": fashion,
    "two_classes": two_classes,
    "many_classes": many_classes,
    "one_number": one_number,
    "series": series,
    "text": text,
    "tree": tree,
    "denoising": denoising,
    "translation": translation,
    "echo": echo,
}


def _idx(path: Path) -> Any:
    raw = gzip.decompress(path.read_bytes())
    axes = raw[3]
    shape = tuple(int.from_bytes(raw[4 + 4 * k : 8 + 4 * k], "big") for k in range(axes))
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * axes).reshape(shape)
