from pathlib import Path

import numpy as np
import pytest

from tests.service.pages.studies import PROBLEM, filled
from tunewise.history import Measurement
from tunewise.report.charts.curves import Effort, best_so_far
from tunewise.report.digest import Aim, Digest
from tunewise.storage.looking.glance import Glance
from tunewise.storage.opening import parsed_url
from tunewise.storage.sql import SqlStore
from tunewise.study.owner import Owner

AIM = Aim.of(PROBLEM.describe())


@pytest.fixture
def store(tmp_path: Path) -> SqlStore:
    url = parsed_url(f"sqlite:///{tmp_path}/t.db")
    assert url is not None
    return SqlStore(url)


def digested(store: SqlStore, before: Digest) -> Digest:
    glance = Glance(store.database, "")
    found = glance.revision("a")
    assert found is not None
    return before.updated(glance, found[0])


@pytest.mark.parametrize("effort", ["cost", "time", "trials"])
def test_the_curve_is_that_of_the_whole_history(store: SqlStore, effort: Effort) -> None:
    filled(store, "a", 80)
    mine = digested(store, Digest(AIM)).curve(effort, 1000)
    whole = best_so_far(PROBLEM, store.history("a"), effort)
    assert [p.number for p in mine.steps] == [p.number for p in whole.steps]
    assert [p.x for p in mine.steps] == pytest.approx([p.x for p in whole.steps])
    assert sorted(p.number for p in mine.points) == [p.number for p in whole.points]
    assert mine.end == pytest.approx(whole.end)


def test_what_changed_is_taken_over_and_what_was_seen_before_stays(store: SqlStore) -> None:
    filled(store, "a", 10)
    before = digested(store, Digest(AIM))
    owner = Owner.here()
    with store.asking("a", owner):
        trial = store.add("a", {"vm": "small", "rate": 0.01}, 1.0, (), owner, 60.0)
    running = digested(store, before)
    best = Measurement({"accuracy": 0.99, "time": 1.0, "cost": 0.001})
    store.tell("a", trial.number, best, owner)
    after = digested(store, running)
    assert (len(before), len(running), len(after)) == (10, 11, 11)
    assert before.best == running.best != after.best == trial.number


def test_a_study_that_was_made_anew_is_read_anew(store: SqlStore) -> None:
    filled(store, "a", 12)
    before = digested(store, Digest(AIM))
    before.revision = 10**6
    assert len(digested(store, before)) == 12


def test_a_sample_is_small_and_has_every_step(store: SqlStore) -> None:
    filled(store, "a", 300)
    digest = digested(store, Digest(AIM))
    sample = digest.sample(40)
    assert len(sample) <= 60
    assert np.isin(digest.steps(), sample).all()
