from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.pages.studies import PROBLEM, filled
from tunewise.storage.looking.glance import Glance, Order
from tunewise.storage.opening import parsed_url
from tunewise.storage.sql import SqlStore


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    here = f"sqlite:///{tmp_path}/t.db"
    url = here if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    parsed = parsed_url(url)
    assert parsed is not None
    made = SqlStore(parsed)
    yield made
    made.close()


def looked(store: SqlStore) -> Glance:
    return Glance(store.database, store.namespace)


@pytest.mark.parametrize("order", ["newest", "name", "trials"])
def test_pages_of_a_list_hold_every_study_once(store: SqlStore, order: Order) -> None:
    for number in range(7):
        filled(store, f"s{number * 5 % 7}", number % 3, number)
    glance, seen, after = looked(store), [], None
    while found := glance.heads(order, after, 2):
        seen += [head.name for head in found]
        last = found[-1]
        after = {"newest": last.id, "name": last.name, "trials": last.trials}[order], last.id
    assert sorted(seen) == [f"s{number}" for number in range(7)]
    if order == "name":
        assert seen == sorted(seen)


def test_a_list_tells_counts_and_best_as_the_history_does(store: SqlStore) -> None:
    filled(store, "a", 30, 1)
    [head] = looked(store).heads()
    history = store.history("a")
    best = history.best(PROBLEM)
    assert best is not None and head.trials == len(history)
    assert looked(store).states([head.id])[head.id] == {"complete": 27, "failed": 3}
    found = looked(store).best([head.id], "accuracy", True, PROBLEM.constraints, False)
    assert found[head.id] == pytest.approx(best.metrics["accuracy"])


def test_a_filter_finds_words_of_configs_and_of_reasons(store: SqlStore) -> None:
    filled(store, "a", 30)
    [head] = looked(store).heads()
    assert looked(store).matching(head.id, ["LARGE", "memory"]) == {0, 10, 20}
    assert looked(store).matching(head.id, ["100% _"]) == set()


def test_another_namespace_is_not_seen(store: SqlStore) -> None:
    filled(store.within("team"), "secret", 3)
    glance = looked(store)
    assert glance.heads() == [] and glance.count() == 0
    assert glance.revision("secret") is None and glance.chosen(["secret"]) == []
