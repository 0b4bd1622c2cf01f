"""Made-up examples for every template: small, quickly learned, and the same each time."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tunewise.declarative.models import CLASSES, NUMBERS, SEQUENCES, TENSORS, Data
from tunewise.declarative.models.model import Array
from tunewise.declarative.schema import parse

TRAINING, HELD_BACK = 120, 60


def made_up(template: str, kind: str = CLASSES) -> tuple[Data, Data]:
    """Examples to learn from and examples to judge with.

    Args:
        template: The name of a template.
        kind: Classes or numbers, for templates that have both.
    """
    rng = np.random.default_rng(7)
    made = [_MAKERS[template](rng, kind) for _ in range(TRAINING + HELD_BACK)]
    inputs, outputs = [each[0] for each in made], [each[1] for each in made]
    classes = kind == CLASSES and template not in ("recovery", "translation", "autoencoder")
    program = parse(_PROGRAMS[template] + ("[no, yes]" if classes else _NUMBERS.get(template, "")))
    one = isinstance(inputs[0], np.ndarray) and template in ("tables", "images", "recovery")
    data = Data(
        np.stack(inputs) if one else inputs,
        np.array(outputs, np.int64) if classes else _gathered(outputs, template),
        program,
        ("no", "yes") if classes else None,
    )
    return data.at(np.arange(TRAINING)), data.at(np.arange(TRAINING, TRAINING + HELD_BACK))


def fits(template: str, kind: str) -> bool:
    """Whether outputs of a template may be of a kind."""
    special = {"recovery": TENSORS, "translation": SEQUENCES, "autoencoder": SEQUENCES}
    return kind == special.get(template, kind) and (
        template in special or kind in (CLASSES, NUMBERS)
    )


def _gathered(outputs: list[Any], template: str) -> Any:
    if template in ("translation", "autoencoder"):
        return outputs
    return np.array(outputs, np.float32).reshape(len(outputs), *np.shape(outputs[0]) or (1,))


def _table(rng: np.random.Generator, kind: str) -> tuple[Array, float]:
    x = rng.normal(size=4).astype(np.float32)
    value = 2 * x[0] - x[1]
    return x, float(value > 0) if kind == CLASSES else value


def _image(rng: np.random.Generator, kind: str) -> tuple[Array, float]:
    """Stripes across or upright; how bright they are, where a number is wanted."""
    yes, bright = rng.random() < 0.5, rng.uniform(0.5, 1.0)
    x = rng.normal(0, 0.1, (8, 8, 1))
    stripes = bright * (np.arange(8) % 4 < 2)
    x += stripes[:, None, None] if yes else stripes[None, :, None]
    return x.astype(np.float32), float(yes) if kind == CLASSES else 10 * bright


def _recovery(rng: np.random.Generator, kind: str) -> tuple[Array, Array]:
    """A bright square, with noise and without."""
    clean = np.zeros((8, 8, 1), np.float32)
    row, column = rng.integers(0, 4, 2)
    clean[row : row + 4, column : column + 4] = 1.0
    return (clean + rng.normal(0, 0.4, clean.shape)).astype(np.float32), clean


def _series(rng: np.random.Generator, kind: str) -> tuple[Array, float]:
    """A slow wave or a fast one."""
    yes, steps = rng.random() < 0.5, int(rng.integers(20, 25))
    wave = np.sin(np.arange(steps) * (1.5 if yes else 0.5) + rng.uniform(0, 6))
    x = np.stack([wave + rng.normal(0, 0.1, steps), rng.normal(size=steps)], axis=1)
    return x.astype(np.float32), float(yes)


def _translation(rng: np.random.Generator, kind: str) -> tuple[Array, Array]:
    """A few steps, and the same with the other sign."""
    x = rng.choice([-1.0, 1.0], (int(rng.integers(3, 5)), 1)).astype(np.float32)
    return x, -x


def _tree(rng: np.random.Generator, kind: str) -> tuple[dict[str, Any], float]:
    """Whether a leaf on the left has a first number that is high."""
    yes = rng.random() < 0.5

    def node(sign: float, **below: Any) -> dict[str, Any]:
        value = np.array([sign, rng.normal()], np.float32)
        return {"value": value, "left": None, "right": None, **below}

    leaf = node(1.0 if yes else -1.0)
    return node(rng.choice([-1.0, 1.0]), left=node(0.0, left=leaf), right=node(0.5)), float(yes)


def _text(rng: np.random.Generator, kind: str) -> tuple[str, float]:
    """Words of praise or blame among others."""
    yes = rng.random() < 0.5
    words = rng.choice(["the", "film", "was", "seen", "by", "many"], 3).tolist()
    words.insert(int(rng.integers(0, 4)), str(rng.choice(["good", "fine"] if yes else ["bad"])))
    return " ".join(words), float(yes)


def _echo(rng: np.random.Generator, kind: str) -> tuple[str, str]:
    word = str(rng.choice(["yes", "no", "cat", "dog"]))
    return word, word


_MAKERS: dict[str, Callable[[np.random.Generator, str], tuple[Any, Any]]] = {
    "tables": _table,
    "images": _image,
    "recovery": _recovery,
    "series": _series,
    "translation": _translation,
    "trees": _tree,
    "general": _text,
    "autoencoder": _echo,
}
_PROGRAMS = {
    "tables": "table(4) -> ",
    "images": "image(8, 8) -> ",
    "recovery": "image(8, 8) -> image(8, 8)",
    "series": "series(2) -> ",
    "translation": "series(1) -> series(1)",
    "trees": "tree(2) -> ",
    "general": "text -> ",
    "autoencoder": "text -> text",
}
_NUMBERS = dict.fromkeys(("tables", "images", "series", "trees", "general"), "number")
