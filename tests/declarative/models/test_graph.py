import numpy as np

from tunewise.declarative.models import Data, answers, disagreement
from tunewise.declarative.models.boosting import Boosting
from tunewise.declarative.models.forests import ExtraTrees, Forest
from tunewise.declarative.schema import parse
from tunewise.declarative.templates import encode

THREE = ("a", "b", "c")


def whole_numbers(classes: int, rows: int = 300) -> Data:
    """Values that fall on the thresholds of trees."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, (rows, 3)).astype(np.float32)
    program = parse("table(3) -> [a, b, c]")
    return Data(x, (x.sum(axis=1) % classes).astype(np.int64), program, THREE)


def test_values_on_a_threshold_go_the_same_way_in_the_graph() -> None:
    data = whole_numbers(3)
    for model in (Forest(), ExtraTrees(), Boosting()):
        fitted = model.fit(data)
        assert disagreement(fitted, encode(fitted.encoder, data.inputs)) < 1e-5


def test_a_class_without_examples_is_never_likely() -> None:
    data = whole_numbers(2)
    for model in (Forest(), ExtraTrees(), Boosting()):
        fitted = model.fit(data)
        found = answers(fitted.onnx, encode(fitted.encoder, data.inputs))
        assert found.shape == (len(data), 3)
        assert found[:, 2].max() < 0.01


def test_several_numbers_come_out_side_by_side() -> None:
    x = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    data = Data(x, np.stack([x[:, 0], 5 - x[:, 1]], axis=1), parse("table(3) -> 2 numbers"))
    for model in (Forest(), ExtraTrees(), Boosting()):
        fitted = model.fit(data)
        found = answers(fitted.onnx, encode(fitted.encoder, x))
        assert found.shape == (200, 2)
        assert np.mean((found - data.outputs) ** 2) < 0.2


def test_answers_do_not_depend_on_how_many_are_asked_at_once() -> None:
    data = whole_numbers(3)
    fitted = Forest().fit(data)
    feeds = encode(fitted.encoder, data.inputs)
    assert np.allclose(answers(fitted.onnx, feeds), answers(fitted.onnx, feeds, lot=7))
