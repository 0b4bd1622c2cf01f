"""Conditional spaces: which parameters there are depends on the values of others.

Three problems are made up, with 1 for the best. The fourth chooses among learners of scikit-learn,
each with parameters of its own.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import tunewise as tw
from tunewise.space import Config

Objective = Callable[[Config], float]


class Conditional(NamedTuple):
    """A problem: what may be chosen, and how accurate each config is."""

    name: str
    space: tw.Space
    accuracy: Objective


def problems() -> Iterator[Conditional]:
    """All of them."""
    yield from made_up()
    yield Conditional("learners", _LEARNERS, learners())


def made_up() -> Iterator[Conditional]:
    """Those that need no data."""
    yield Conditional("optimizers", _OPTIMIZERS, _optimizers)
    yield Conditional("layers", _LAYERS, _layers)
    yield Conditional("nested", _NESTED, _nested)


def _peak(value: float, best: float, width: float) -> float:
    return float(np.exp(-(((value - best) / width) ** 2)))


_OPTIMIZERS = tw.Space(
    tw.Choice("optimizer", ["sgd", "adam", "rmsprop"]),
    tw.Real("learning_rate", 1e-5, 1.0, log=True),
    tw.Real("momentum", 0.0, 0.99, when={"optimizer": "sgd"}),
    tw.Real("beta", 0.5, 0.999, when={"optimizer": "adam"}),
    tw.Real("decay", 0.5, 0.999, when={"optimizer": "rmsprop"}),
    tw.Integer("batch", 16, 512, log=True),
)


def _optimizers(config: Config) -> float:
    """Each optimizer wants another rate; the best momentum makes one of them the best."""
    rate, batch = np.log10(config["learning_rate"]), np.log2(config["batch"])
    if config["optimizer"] == "sgd":
        top, right, own = 1.0, -0.8 - config["momentum"], _peak(config["momentum"], 0.85, 0.35)
    elif config["optimizer"] == "adam":
        top, right, own = 0.93, -2.8, _peak(config["beta"], 0.9, 0.3)
    else:
        top, right, own = 0.9, -3.2, _peak(config["decay"], 0.8, 0.4)
    return float(top * _peak(rate, right, 1.1) * (0.6 + 0.4 * own) * _peak(batch, 6.5, 6.0))


_LAYERS = tw.Space(
    tw.Ordinal("layers", [1, 2, 3, 4]),
    *(
        tw.Integer(f"width{i}", 8, 512, log=True, when={"layers": list(range(i, 5))})
        for i in range(1, 5)
    ),
    tw.Real("dropout", 0.0, 0.8),
    tw.Real("learning_rate", 1e-5, 1e-1, log=True),
)


def _layers(config: Config) -> float:
    """Three layers that become narrower are best; deeper ones want a smaller rate."""
    depth = int(config["layers"])
    fits = [_peak(np.log2(config[f"width{i}"]), 9.5 - i, 3.5) for i in range(1, depth + 1)]
    top = {1: 0.8, 2: 0.92, 3: 1.0, 4: 0.95}[depth]
    rate = _peak(np.log10(config["learning_rate"]), -2.2 - 0.3 * depth, 1.3)
    return float(top * np.mean(fits) * rate * _peak(config["dropout"], 0.3, 0.7))


_NESTED = tw.Space(
    tw.Choice("method", ["kernel", "trees", "linear"]),
    tw.Choice("kernel", ["rbf", "poly", "sigmoid"], when={"method": "kernel"}),
    tw.Real("C", 1e-3, 1e3, log=True, when={"method": ["kernel", "linear"]}),
    tw.Real("gamma", 1e-4, 10.0, log=True, when={"kernel": ["rbf", "sigmoid"]}),
    tw.Integer("degree", 2, 6, when={"kernel": "poly"}),
    tw.Integer("depth", 1, 20, when={"method": "trees"}),
    tw.Real("share", 0.1, 1.0, when={"method": "trees"}),
)


def _nested(config: Config) -> float:
    """Two steps of conditions; the best kernel needs two parameters that go together."""
    if config["method"] == "trees":
        return 0.94 * _peak(config["depth"], 11, 12) * _peak(config["share"], 0.4, 0.9)
    strength = np.log10(config["C"])
    if config["method"] == "linear":
        return 0.85 * _peak(strength, -0.5, 3.0)
    if config["kernel"] == "poly":
        return 0.92 * _peak(strength, 0.0, 2.5) * _peak(config["degree"], 3, 3.0)
    width = np.log10(config["gamma"])
    if config["kernel"] == "sigmoid":
        return 0.7 * _peak(strength, 0.5, 2.0) * _peak(width, -2.0, 1.5)
    return _peak(strength + width, 0.0, 1.4) * _peak(width, -1.5, 1.6)


_LEARNERS = tw.Space(
    tw.Choice("learner", ["svm", "forest", "neighbours"]),
    tw.Choice("kernel", ["linear", "rbf"], when={"learner": "svm"}),
    tw.Real("C", 1e-3, 1e3, log=True, when={"learner": "svm"}),
    tw.Real("gamma", 1e-6, 1.0, log=True, when={"kernel": "rbf"}),
    tw.Integer("depth", 1, 20, when={"learner": "forest"}),
    tw.Real("features", 0.05, 1.0, log=True, when={"learner": "forest"}),
    tw.Integer("k", 1, 50, log=True, when={"learner": "neighbours"}),
    tw.Choice("weights", ["uniform", "distance"], when={"learner": "neighbours"}),
)


def learners() -> Objective:
    """The accuracy of scikit-learn's learners on handwritten digits, by three folds."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import cross_val_score

    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))[:600]
    x, y = x[order], y[order]

    @cache
    def measured(items: tuple[tuple[str, Any], ...]) -> float:
        return float(cross_val_score(_learner(dict(items)), x, y, cv=3).mean())

    return lambda config: measured(tuple(sorted(config.items())))


def _learner(config: Config) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    if config["learner"] == "svm":
        return SVC(kernel=config["kernel"], C=config["C"], gamma=config.get("gamma", "scale"))
    if config["learner"] == "forest":
        depth, features = config["depth"], config["features"]
        return RandomForestClassifier(20, max_depth=depth, max_features=features, random_state=0)
    return KNeighborsClassifier(config["k"], weights=config["weights"])
