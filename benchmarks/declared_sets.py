"""Sets of examples for declared models: scikit-learn's, generated ones, Fashion-MNIST."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn import datasets, ensemble, linear_model, pipeline, preprocessing, svm
from sklearn.feature_extraction.text import TfidfVectorizer

from tunewise.declarative.models import Data
from tunewise.declarative.schema import parse

Array = npt.NDArray[Any]
CLOTHES = Path(os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist"))


class Made(NamedTuple):
    """Examples to learn from and to judge with, and a baseline made by hand."""

    training: Data
    judging: Data
    by_hand: str
    baseline: Callable[[], float]


def quality(found: Any, judging: Data) -> float:
    """Accuracy, the share of the variance that is explained, or the share of right steps."""
    if judging.classes is not None:
        return float(np.mean(np.argmax(found, axis=1) == judging.outputs))
    if isinstance(judging.outputs, list):
        pairs = zip(found, judging.outputs, strict=True)
        return float(np.mean([_steps(one, two) for one, two in pairs]))
    wanted = judging.outputs
    return float(1 - np.mean((found - wanted) ** 2) / np.mean((wanted - wanted.mean(axis=0)) ** 2))


def _steps(found: Any, wanted: Any) -> float:
    if isinstance(wanted, str):
        found, wanted = (np.array([[ord(c)] for c in text or " "]) for text in (found, wanted))
    shared = min(len(found), len(wanted))
    near = np.abs(np.asarray(found[:shared]) - wanted[:shared]).max(axis=1) < 0.5
    return float(near.sum() / max(len(found), len(wanted)))


def _made(
    program: str, inputs: Any, outputs: Any, by_hand: str, model: Any, seed: int, held: int
) -> Made:
    """The last examples of a shuffled order judge; the baseline learns from the same others."""
    parsed = parse(program)
    classes = parsed.labels
    names = None
    if classes is not None:
        names = classes.classes if isinstance(classes.classes, tuple) else ()
        names = names or tuple(map(str, range(classes.shape[0])))
    whole = Data(inputs, outputs, parsed, names)
    order = np.random.default_rng(seed).permutation(len(whole))
    training, judging = whole.at(order[:-held]), whole.at(order[-held:])
    return Made(training, judging, by_hand, lambda: _baseline(model, training, judging))


def _baseline(model: Any, training: Data, judging: Data) -> float:
    if isinstance(model, float):
        return model
    x, test = (each.inputs for each in (training, judging))
    if isinstance(x, np.ndarray):
        x, test = x.reshape(len(x), -1), test.reshape(len(test), -1)
    y = training.outputs
    shape = judging.outputs.shape if isinstance(judging.outputs, np.ndarray) else None
    fitted = model.fit(x, y.reshape(len(y), -1).squeeze() if shape else y)
    if judging.classes is not None:
        return float(np.mean(fitted.predict(test) == judging.outputs))
    return quality(np.asarray(fitted.predict(test)).reshape(shape), judging)


def _scaled(model: Any) -> Any:
    return pipeline.make_pipeline(preprocessing.StandardScaler(), model)


def digits(seed: int) -> Made:
    """1,797 digits of 8 by 8 pixels as a table."""
    x, y = datasets.load_digits(return_X_y=True)
    model = ensemble.HistGradientBoostingClassifier(random_state=0)
    return _made(
        "table(64) -> 10 classes", x.astype(np.float32), y, "hist boosting", model, seed, 450
    )


def digit_images(seed: int) -> Made:
    """The same as images."""
    x, y = datasets.load_digits(return_X_y=True)
    images = x.reshape(-1, 8, 8, 1).astype(np.float32)
    return _made("image(8, 8) -> 10 classes", images, y, "SVC", svm.SVC(gamma=0.001), seed, 450)


def cancer(seed: int) -> Made:
    """569 tumours, two classes."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    model = _scaled(linear_model.LogisticRegression(max_iter=1000))
    return _made("table(30) -> 2 classes", x.astype(np.float32), y, "logistic", model, seed, 190)


def forest_cover(seed: int) -> Made:
    """4,000 made-up rows of seven classes."""
    x, y = datasets.make_classification(
        4000, 20, n_informative=10, n_classes=7, n_clusters_per_class=2, random_state=seed
    )
    model = ensemble.HistGradientBoostingClassifier(random_state=0)
    return _made(
        "table(20) -> 7 classes", x.astype(np.float32), y, "hist boosting", model, seed, 1000
    )


def friedman(seed: int) -> Made:
    """3,000 rows of a known function with noise: a number."""
    x, y = datasets.make_friedman1(3000, 10, noise=1.0, random_state=seed)
    model = ensemble.HistGradientBoostingRegressor(random_state=0)
    inputs, outputs = x.astype(np.float32), y.astype(np.float32)[:, None]
    return _made("table(10) -> number", inputs, outputs, "hist boosting", model, seed, 1000)


def mixed(seed: int) -> Made:
    """2,000 rows with numbers, categories, dates, texts and missing values."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for _ in range(2000):
        age, city = float(rng.normal(40, 12)), str(rng.choice(["Bern", "Oslo", "Lyon", "Graz"]))
        month = int(rng.integers(1, 13))
        words = rng.choice(["late", "fine", "slow", "kind", "lost", "quick", "again"], 4).tolist()
        score = (age - 40) / 12 + 1.5 * (city == "Oslo") - 2.0 * ("lost" in words)
        score += np.cos(month / 12 * 2 * np.pi) + rng.normal(0, 0.5)
        shown: list[Any] = [age, city, f"2025-{month:02d}-15", " ".join(words)]
        if rng.random() < 0.1:
            shown[int(rng.integers(0, 2))] = None
        rows.append(shown)
        labels.append(int(score > 0))
    program = "table(age number, city category, since date, note text) -> 2 classes"
    return _made(
        program,
        rows,
        np.array(labels),
        "majority",
        float(max(np.mean(labels), 1 - np.mean(labels))),
        seed,
        600,
    )


def _clothes(count: int) -> Callable[[int], Made]:
    def made(seed: int) -> Made:
        parts = []
        for part, kept in (("train", count), ("t10k", 10_000)):
            images = _read(CLOTHES / f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28, 1)
            labels = _read(CLOTHES / f"{part}-labels-idx1-ubyte.gz", 8).astype(np.int64)
            program = parse("image(28, 28) -> 10 classes")
            names = tuple(map(str, range(10)))
            pixels = images[:kept].astype(np.float32) / 255
            parts.append(Data(pixels, labels[:kept], program, names))
        model = ensemble.RandomForestClassifier(100, random_state=0)
        training, judging = parts
        return Made(training, judging, "forest", lambda: _baseline(model, training, judging))

    return made


def _read(file: Path, skip: int) -> Array:
    with gzip.open(file) as opened:
        return np.frombuffer(opened.read(), np.uint8)[skip:]


def waves(seed: int) -> Made:
    """800 series of two numbers, four classes by rhythm and shape, under noise."""
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for _ in range(800):
        label, steps = int(rng.integers(0, 4)), int(rng.integers(60, 100))
        turns = np.arange(steps) * (0.3 if label % 2 else 0.45) + rng.uniform(0, 6)
        wave = np.sign(np.sin(turns)) if label // 2 else np.sin(turns) * 1.3
        shown = np.stack([wave + rng.normal(0, 1.0, steps), rng.normal(0, 1, steps)], axis=1)
        inputs.append(shown.astype(np.float32))
        labels.append(label)
    return _made("series(2) -> 4 classes", inputs, np.array(labels), "chance", 0.25, seed, 300)


def reviews(seed: int) -> Made:
    """1,500 made-up texts: praise or blame, in words that share their stems, with negations."""
    rng = np.random.default_rng(seed)
    good = ["enjoyable", "enjoyed", "delight", "wonderful", "charming", "superb"]
    bad = ["boring", "bored", "dreadful", "awful", "tedious", "clumsy"]
    plain = [
        f"{a}{b}" for a in ("film", "plot", "scene", "actor", "role") for b in ("", "s", "ing")
    ]
    texts, labels = [], []
    for _ in range(1500):
        label = int(rng.random() < 0.5)
        words = rng.choice(plain, 14).tolist() + rng.choice(good if label else bad, 2).tolist()
        words += rng.choice(bad if label else good, 1).tolist()
        texts.append(" ".join(rng.permutation(words)))
        labels.append(label)
    model = pipeline.make_pipeline(TfidfVectorizer(), linear_model.LogisticRegression(C=10))
    return _made("text -> 2 classes", texts, np.array(labels), "tf-idf, logistic", model, seed, 500)


def formulas(seed: int) -> Made:
    """600 trees of and, or, true and false: what they come to."""
    rng = np.random.default_rng(seed)

    def tree(depth: int) -> tuple[dict[str, Any], bool]:
        if depth == 0 or rng.random() < 0.2:
            value = bool(rng.random() < 0.5)
            return _node(2 + value), value
        one, two = tree(depth - 1), tree(depth - 1)
        both = bool(rng.random() < 0.5)
        found = (one[1] and two[1]) if both else (one[1] or two[1])
        return {**_node(int(both)), "left": one[0], "right": two[0]}, found

    made = [tree(3) for _ in range(600)]
    inputs, labels = [each[0] for each in made], np.array([int(each[1]) for each in made])
    most = float(max(labels.mean(), 1 - labels.mean()))
    return _made("tree(4) -> 2 classes", inputs, labels, "majority", most, seed, 200)


def _node(kind: int) -> dict[str, Any]:
    return {"value": np.eye(4, dtype=np.float32)[kind], "left": None, "right": None}


def noisy_digits(seed: int) -> Made:
    """Digits from digits under noise."""
    clean = datasets.load_digits().data.reshape(-1, 8, 8, 1).astype(np.float32) / 16
    noise = np.random.default_rng(seed).normal(0, 0.3, clean.shape)
    noisy = (clean + noise).astype(np.float32)
    model = linear_model.Ridge(10.0)
    return _made("image(8, 8) -> image(8, 8)", noisy, clean, "ridge on pixels", model, seed, 450)


def reversals(seed: int) -> Made:
    """1,000 short sequences and their reverses."""
    rng = np.random.default_rng(seed)
    inputs = [rng.choice([-1.0, 1.0], (int(rng.integers(3, 7)), 1)) for _ in range(1000)]
    kept = [each.astype(np.float32) for each in inputs]
    return _made("series(1) -> series(1)", kept, [x[::-1] for x in kept], "chance", 0.5, seed, 300)


def words(seed: int) -> Made:
    """Short words and themselves."""
    rng = np.random.default_rng(seed)
    letters = list("abcdefgh")
    made = ["".join(rng.choice(letters, int(rng.integers(2, 6)))) for _ in range(1500)]
    return _made("text -> text", made, made, "chance", 1 / 8, seed, 300)


SETS: dict[str, Callable[[int], Made]] = {
    "cancer": cancer,
    "digits": digits,
    "seven": forest_cover,
    "friedman": friedman,
    "mixed": mixed,
    "images": digit_images,
    "clothes1000": _clothes(1000),
    "clothes10000": _clothes(10_000),
    "reviews": reviews,
    "waves": waves,
    "formulas": formulas,
    "noisy": noisy_digits,
    "reversals": reversals,
    "words": words,
}
