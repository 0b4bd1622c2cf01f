"""Wrong labels come first, and what is nearly the same or like no other is noticed."""

import numpy as np

from tunewise.declarative.examples.parts import in_validation
from tunewise.declarative.examples.suspicion import suspicious, wrong_labels
from tunewise.storage.tasks import ExampleRow


def test_the_least_likely_labels_come_first() -> None:
    probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.05, 0.95], [0.3, 0.7], [0.1, 0.9]])
    given = np.array([0, 0, 0, 1, 1])
    assert [place for place, _ in wrong_labels(given, probabilities)] == [2]
    given = np.array([1, 0, 0, 1, 1])
    assert [place for place, _ in wrong_labels(given, probabilities)][:2] == [2, 0]


def _row(number: int, key: str, label: str = "a") -> ExampleRow:
    return ExampleRow(number, f"c{number}", key, "f", 0, label, "test", "")


def test_a_leak_is_a_near_duplicate_in_the_other_part() -> None:
    keys = [f"k{number}" for number in range(600)]
    held = [in_validation("s", key) for key in keys]
    one, other = held.index(True), held.index(False)
    vectors = np.random.default_rng(0).normal(size=(600, 5))
    vectors[one] = vectors[other] + 1e-5
    rows = [_row(i, k) for i, k in enumerate(keys)]
    found = suspicious(rows, None, None, vectors, "s", list(vectors))
    leaks = {(each.id, each.part) for each in found if each.kind == "leak"}
    assert leaks == {(f"e{one}", "validation"), (f"e{other}", "training")}


def test_near_duplicates_and_outliers_are_worth_a_look() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(200, 5))
    vectors[1] = vectors[0] + 1e-5
    vectors[5] = 100
    keys = [f"k{number}" for number in range(200)]
    rows = [_row(i, k) for i, k in enumerate(keys)]
    found = suspicious(rows, None, None, vectors, "s", list(vectors))
    kinds = {(suspect.id, suspect.kind) for suspect in found}
    assert {(each.part, each.source) for each in found} == {("either", "test")}  # they are few
    assert kinds == {("e0", "duplicate"), ("e1", "duplicate"), ("e5", "outlier")}
