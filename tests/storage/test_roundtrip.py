"""What goes into a store comes out of it, whatever it is."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tunewise.errors import StorageError
from tunewise.history import Failure, Measurement, Preempted
from tunewise.storage import MemoryStore, open_store
from tunewise.storage.codec import plain
from tunewise.study import Store, StudyRecord
from tunewise.testing.stores import LONG

finite = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    finite,
    st.sampled_from([1e-308, 5e-324, 0.1 + 0.2, 1e308, -0.0, 2**53 + 1, -(2**63) - 1, 10**40]),
    st.text(),
)
keys = st.text().filter(lambda key: key != "__tuple__")  # which is refused, as tested below
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(keys, inner, max_size=3),
    ),
    max_leaves=6,
)
configs = st.dictionaries(keys, values, max_size=5)
names = st.text(max_size=200)
metrics = st.dictionaries(names, finite, max_size=3)
fractions = st.floats(0, 1, exclude_min=True, exclude_max=True)
measurements = st.builds(
    Measurement,
    metrics.filter(bool),
    snapshots=st.dictionaries(fractions, metrics, max_size=3),
    deviations=st.dictionaries(names, st.floats(0, 1e300), max_size=2),
)
outcomes = measurements | st.builds(Failure, st.text(), metrics)

shared = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
"""One store serves all examples of a test."""


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same store again, so that nothing can come out of the first one's memory."""
    memory, opened = MemoryStore(), list[Store]()

    def again() -> Store:
        if request.param == "memory":
            return memory
        postgres = request.param == "postgres"
        opened.append(
            open_store(request.getfixturevalue("postgres_url") if postgres else tmp_path / "x.db")
        )
        return opened[-1]

    yield again
    for store in opened:
        store.close()


NAMES = map("study {}".format, count())


def exactly(value: Any) -> str:
    """Tells 1 from 1.0 and from True, and 0.0 from -0.0."""
    return repr(value)


@pytest.fixture
def stores(reopen: Callable[[], Store]) -> tuple[Store, Store]:
    return reopen(), reopen()


@shared
@given(config=configs, fraction=fractions, snapshots=st.lists(fractions, max_size=3))
def test_every_config_comes_back(
    stores: tuple[Store, Store], config: dict[str, Any], fraction: float, snapshots: list[float]
) -> None:
    writer, reader = stores
    study = writer.create(StudyRecord(next(NAMES), {}, {}, 0)).name
    added = writer.add(study, config, fraction, tuple(snapshots), None, LONG)
    (found,) = reader.history(study)
    assert found == added
    assert exactly(found.config) == exactly(config)
    assert (found.fraction, found.snapshots) == (fraction, tuple(snapshots))


@shared
@given(outcome=outcomes, lost=st.none() | st.dictionaries(st.just("cost"), finite))
def test_every_outcome_comes_back(
    stores: tuple[Store, Store],
    outcome: Measurement | Failure,
    lost: dict[str, float] | None,
) -> None:
    writer, reader = stores
    study = writer.create(StudyRecord(next(NAMES), {}, {}, 0)).name
    writer.add(study, {"x": 1}, 1.0, (), None, LONG)
    if lost is not None:
        writer.tell(study, 0, Preempted("spot", lost))
    told = writer.tell(study, 0, outcome)
    (found,) = reader.history(study)
    assert found == told
    assert exactly(found.outcome) == exactly(outcome)
    assert found.lost == {k: v for k, v in (lost or {}).items() if v}


@shared
@given(problem=configs, strategy=configs, notes=configs, seed=st.integers(0))
def test_every_record_comes_back(
    stores: tuple[Store, Store],
    problem: dict[str, Any],
    strategy: dict[str, Any],
    notes: dict[str, Any],
    seed: int,
) -> None:
    writer, reader = stores
    record = StudyRecord(next(NAMES), problem, strategy, seed, notes, 0.1 + 0.2)
    writer.create(record)
    assert exactly(reader.load(record.name)) == exactly(record)


def test_numpy_scalars_are_kept_as_plain_ones(tmp_path: Path) -> None:
    import numpy as np

    store = open_store(tmp_path / "x.db")
    store.create(StudyRecord("s", {}, {}, 0))
    config = {"a": np.float32(0.5), "b": np.int64(3), "c": np.bool_(True), "d": np.str_("t")}
    store.add("s", config, 1.0, (), None, LONG)
    assert exactly(store.history("s")[0].config) == "{'a': 0.5, 'b': 3, 'c': True, 'd': 't'}"
    store.close()


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (float("nan"), r"config\['x'\] is nan; a store keeps finite numbers only"),
        ([1, float("inf")], r"config\['x'\]\[1\] is inf; a store keeps finite numbers only"),
        (len, r"config\['x'\] is <built-in function len>; a store keeps numbers, text"),
        ({1, 2}, r"config\['x'\] is \{1, 2\}; a store keeps numbers, text"),
        (b"bytes", r"config\['x'\] is b'bytes'; a store keeps numbers, text"),
        ({1: "a"}, r"config\['x'\] has the key 1; expected text"),
        ({"__tuple__": []}, r"config\['x'\] has the key '__tuple__'; expected text other"),
    ],
)
def test_what_would_come_back_changed_is_refused(value: Any, sentence: str) -> None:
    with pytest.raises(StorageError, match=sentence):
        plain({"x": value}, "config")


def test_a_refused_config_leaves_the_study_usable(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.db")
    store.create(StudyRecord("s", {}, {}, 0))
    with pytest.raises(StorageError, match="config"):
        store.add("s", {"x": object()}, 1.0, (), None, LONG)
    assert store.add("s", {"x": 1}, 1.0, (), None, LONG).number == 0
    store.close()
