from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.declarative.encoders import encode, grams, learned, nodes, serial, series
from tunewise.declarative.models import Data
from tunewise.declarative.schema import parse
from tunewise.errors import DataError

COLUMNS = "table(age number, city category, since date, note text) -> 2 classes"
ROWS: list[list[Any]] = [
    [30.0, "Bern", "2025-01-15T00:00:00", "all fine"],
    [None, "Oslo", None, "came late again"],
    [50.0, None, "2025-07-15T00:00:00", None],
]


def table(rows: list[list[Any]]) -> Data:
    return Data(rows, np.zeros(len(rows), np.int64), parse(COLUMNS), ("a", "b"))


def test_columns_of_any_kind_become_finite_numbers() -> None:
    x = encode(learned(table(ROWS)), ROWS)["x"]
    assert x.dtype == np.float32 and len(x) == 3 and np.isfinite(x).all()


def test_a_missing_number_is_told_and_filled_with_the_middle() -> None:
    x = encode(learned(table(ROWS)), ROWS)["x"]
    assert x[:, 1].tolist() == [0.0, 1.0, 0.0]
    assert x[1, 0] == pytest.approx(0.0)


def test_a_category_never_seen_is_encoded_as_another_one() -> None:
    encoder = learned(table(ROWS))
    new = [30.0, "Lyon", "2025-01-15", "all fine"]
    known, unknown = encode(encoder, [ROWS[0], new])["x"]
    assert np.isfinite(unknown).all() and not np.array_equal(known, unknown)


def test_what_is_learned_does_not_depend_on_later_rows() -> None:
    encoder = learned(table(ROWS))
    encode(encoder, [[1e9, "Lyon", None, "x"]])
    assert encoder == learned(table(ROWS))


def test_a_normalisation_is_the_published_formula_on_values_from_0_to_1() -> None:
    images = np.linspace(10, 20, 4, dtype=np.float32).reshape(1, 2, 2, 1)
    data = Data(images, np.zeros(1, np.int64), parse("image(2, 2) -> 2 classes"), ("a", "b"))
    encoder = learned(data, power=0.5)
    x = encode(encoder, images)["x"].ravel() * encoder["scale"] + encoder["mean"]
    unit = np.array([0, 1 / 3, 2 / 3, 1])
    assert x == pytest.approx(-unit + unit**0.5, abs=1e-6)


def test_darker_pixels_than_any_before_are_no_error() -> None:
    images = np.ones((1, 2, 2, 1), np.float32)
    data = Data(images * 2, np.zeros(1, np.int64), parse("image(2, 2) -> 2 classes"), ("a", "b"))
    assert np.isfinite(encode(learned(data, power=0.2), -images)["x"]).all()


def test_of_a_longer_series_than_any_before_the_end_is_seen() -> None:
    encoder = series.learned([np.ones((3, 1), np.float32), np.zeros((2, 1), np.float32)])
    long = np.arange(5, dtype=np.float32)[:, None]
    x = encode(encoder, [long])["x"]
    assert x.shape == (1, 3, 2)
    assert np.array_equal(x, encode(encoder, [long[2:]])["x"])


def test_long_series_are_seen_in_blocks() -> None:
    encoder = series.learned([np.arange(1000, dtype=np.float32)[:, None]])
    assert encoder["length"] == series.LONGEST == 200


def test_trees_with_the_same_subtrees_are_counted_alike() -> None:
    leaf = {"value": np.ones(1), "left": None, "right": None}
    other = {"value": np.zeros(1), "left": None, "right": None}
    one = {"value": np.zeros(1), "left": leaf, "right": other}
    encoder = nodes.learned([one, other], ["left", "right"], "subtrees")
    same, turned, small = encode(encoder, [one, {**one, "left": other, "right": leaf}, leaf])["x"]
    assert np.array_equal(same, encode(encoder, [dict(one)])["x"][0])
    assert not np.array_equal(same, turned) and not np.array_equal(same, small)


def test_words_and_grams_of_nothing_are_no_error() -> None:
    kind = parse("text -> 2 classes").input
    for encoder in (grams.learned_grams(["ab ab", "ab"], kind), grams.learned_words(["ab", "cd"])):
        assert encode(encoder, ["", "zz"])["x"].sum() == 0.0


def test_an_unknown_encoder_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="unknown kind 'tabel'.*did you mean 'table'"):
        encode({"kind": "tabel"}, [])


KIND = parse("{[a :: Tensor[2], b :: Tensor[] text], [left, right]} -> 2 classes").input


def trees(depth: int) -> st.SearchStrategy[Any]:
    numbers = st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=2)
    values = numbers.map(lambda v: np.array(v, np.float32))
    words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)
    below = st.none() if depth == 0 else st.one_of(st.none(), trees(depth - 1))
    return st.fixed_dictionaries({"a": values, "b": words, "left": below, "right": below})


def pretty(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree.tolist() if isinstance(tree, np.ndarray) else tree
    return {key: pretty(value) for key, value in tree.items()}


@given(trees(2))
def test_bytes_give_back_what_they_were_made_of(tree: Any) -> None:
    spec = serial.learned([{"x": np.array([0.0, 1.0])}, tree], KIND)
    back = serial.unpacked(serial.packed(tree, spec), spec)
    assert pretty(back) == pretty(tree)


@given(st.binary(max_size=40))
def test_any_bytes_are_some_value_of_the_type(data: bytes) -> None:
    spec = serial.learned([{"x": np.array([0.0, 1.0])}], KIND)
    assert set(serial.unpacked(data, spec)) == {"a", "b", "left", "right"}
