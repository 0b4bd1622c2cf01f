from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.data import indices
from tunewise.data.order import by_place
from tunewise.errors import DataError

CLASSES = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=300)
FRACTIONS = st.floats(1e-6, 1.0) | st.sampled_from([1 / 60, 0.1, 0.25, 1 / 3, 0.5, 1.0])


@given(CLASSES, FRACTIONS, FRACTIONS, st.integers(0, 1000))
def test_a_smaller_slice_is_inside_every_larger_one(
    classes: list[str], one: float, other: float, seed: int
) -> None:
    small, large = sorted((one, other))
    inner = indices(len(classes), small, stratify=classes, seed=seed)
    outer = indices(len(classes), large, stratify=classes, seed=seed)
    assert set(inner.tolist()) <= set(outer.tolist())


@given(CLASSES, FRACTIONS, st.integers(0, 1000))
def test_each_class_has_its_share_within_one_item(
    classes: list[str], fraction: float, seed: int
) -> None:
    kept = indices(len(classes), fraction, stratify=classes, seed=seed)
    for label in set(classes):
        count = sum(classes[i] == label for i in kept)
        assert abs(count - fraction * classes.count(label)) <= 1 + 1e-6
    assert len(kept) >= 1


@given(st.integers(1, 2000), FRACTIONS, st.integers(-5, 1000))
def test_without_classes_the_slice_has_its_share_within_one_item(
    count: int, fraction: float, seed: int
) -> None:
    kept = indices(count, fraction, seed=seed)
    assert abs(len(kept) - fraction * count) <= 1 + 1e-6
    assert kept.tolist() == sorted(set(kept.tolist()))
    assert all(0 <= i < count for i in kept)


@given(CLASSES, FRACTIONS, st.integers(0, 1000))
def test_the_same_seed_gives_the_same_slice(classes: list[str], fraction: float, seed: int) -> None:
    first = indices(len(classes), fraction, stratify=classes, seed=seed)
    again = indices(len(classes), fraction, stratify=np.array(classes), seed=seed)
    assert first.tolist() == again.tolist()


def test_slices_are_those_that_every_machine_has() -> None:
    # Written down once: another processor, system or version of numpy must give the same.
    classes = [i % 3 for i in range(30)]
    assert indices(30, 0.25, stratify=classes, seed=7).tolist() == [0, 7, 9, 19, 22, 23, 24, 29]
    assert by_place(3, 0).tolist() == [
        9848309499920776089,
        10517888622936975902,
        6384022858180277436,
    ]


def test_another_seed_gives_another_slice() -> None:
    assert indices(1000, 0.1, seed=1).tolist() != indices(1000, 0.1, seed=2).tolist()


def test_all_of_the_data_is_all_of_it() -> None:
    assert indices(50, 1.0).tolist() == list(range(50))


def test_a_share_is_a_share_and_not_the_float_next_to_it() -> None:
    # 6000 * 0.1 and 6000 / 60 are whole numbers: no class may have one item less by rounding.
    classes = np.repeat(np.arange(10), 6000)
    for fraction, each in ((0.1, 600), (1 / 60, 100), (1 / 3, 2000), (Fraction(1, 7) * 7, 6000)):
        kept = indices(len(classes), float(fraction), stratify=classes)
        assert np.bincount(classes[kept]).tolist() == [each] * 10


def test_many_small_classes_keep_their_share_together() -> None:
    kept = indices(2000, 0.1, stratify=np.arange(2000))
    assert 140 <= len(kept) <= 260


def test_a_slice_looks_random_within_its_class() -> None:
    kept = indices(10_000, 0.1)
    halves = np.bincount(kept // 5000)
    assert abs(int(halves[0]) - int(halves[1])) < 150  # 30 is one standard deviation
    assert abs(int((kept % 2).sum()) - 500) < 100


def test_names_make_a_slice_independent_of_the_order() -> None:
    names = [f"picture {i}" for i in range(100)]
    straight = {names[i] for i in indices(100, 0.2, names=names)}
    turned = {names[::-1][i] for i in indices(100, 0.2, names=names[::-1])}
    assert straight == turned


def test_no_data_has_an_empty_slice() -> None:
    assert indices(0, 0.5).tolist() == []


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5, float("nan"), True, "half"])
def test_a_fraction_must_be_a_share(fraction: Any) -> None:
    with pytest.raises(DataError, match="above 0 and at most 1"):
        indices(10, fraction)


def test_classes_names_and_seed_must_fit() -> None:
    with pytest.raises(DataError, match="2 classes for 3 items"):
        indices(3, 0.5, stratify=[0, 1])
    with pytest.raises(DataError, match="1 names for 3 items"):
        indices(3, 0.5, names=["a"])
    with pytest.raises(DataError, match="seed is 0.5"):
        indices(3, 0.5, seed=0.5)  # type: ignore[arg-type] # that is the mistake
    with pytest.raises(DataError, match="10x2 classes for 10 items.*stratify=None"):
        indices(10, 0.5, stratify=np.zeros((10, 2)))
    with pytest.raises(DataError, match="no list of them"):
        indices(2, 0.5, stratify=[[1], [2, 3]])


@pytest.mark.parametrize("count", [-1, 2.5, True, "many"])
def test_a_count_must_be_whole_and_not_below_0(count: Any) -> None:
    with pytest.raises(DataError, match="count is .*; expected a whole number of items"):
        indices(count, 0.5)


def test_items_without_a_class_are_a_class_of_their_own() -> None:
    for missing in (None, float("nan")):
        labels = [missing if i % 2 else "cat" for i in range(40)]
        kept = indices(40, 0.25, stratify=labels)
        assert sum(i % 2 for i in kept) == 5 and len(kept) == 10
    floats = np.where(np.arange(40) % 2, np.nan, 1.0)
    assert indices(40, 0.25, stratify=floats).tolist() == [
        *indices(40, 0.25, stratify=[None if i % 2 else 1 for i in range(40)])
    ]


def test_classes_may_be_of_several_kinds() -> None:
    labels = [("cat", 1, (2, 3), None)[i % 4] for i in range(40)]
    mixed = np.empty(40, dtype=object)
    mixed[:] = labels
    kept = indices(40, 0.5, stratify=mixed)
    assert [sum(i % 4 == k for i in kept) for k in range(4)] == [5, 5, 5, 5]


def test_whole_numbers_are_the_same_classes_as_floats() -> None:
    labels = np.arange(60) % 7
    for kind in (float, np.float32, np.uint8, object):
        same = indices(60, 0.3, stratify=labels.astype(kind))
        assert same.tolist() == indices(60, 0.3, stratify=labels).tolist()


def test_names_need_not_be_utf_8_nor_be_there() -> None:
    odd = [f"photo\udce9{i}.png" for i in range(20)]  # as Python reads such names from a disk
    assert len(indices(20, 0.5, names=odd)) in (10, 11)
    assert indices(0, 0.5, names=[], stratify=[]).tolist() == []


def test_numbers_of_numpy_are_numbers() -> None:
    expected = indices(100, 0.1, seed=3).tolist()
    assert indices(np.int64(100), np.float32(0.1), seed=np.int32(3)).tolist() == expected  # type: ignore[arg-type] # numpy's own
