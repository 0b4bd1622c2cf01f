"""A quota that is full: nothing is trained in vain, and it is said what would make room."""

from pathlib import Path

import pytest

import tunewise as tw
from tests.cli.shell import invoke
from tests.declarative.task.test_task import _points
from tests.extras import needs
from tunewise.errors import NotReady
from tunewise.storage.accounts import Tenants
from tunewise.storage.database import Database
from tunewise.storage.opening import parsed_url

needs("onnxruntime", "tasks")
needs("sklearn", "tasks")
needs("lightgbm", "tasks")

PROGRAM = "table(4) -> [small, large]"


def _tenants(url: str) -> Tenants:
    parsed = parsed_url(url)
    assert parsed is not None
    return Tenants(Database(parsed))


def test_a_task_without_room_for_a_model_waits_and_others_are_trained(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    free = tw.Task(PROGRAM, name="free", storage=url)
    free.feed(*_points(60))
    taken = free._files.bytes()
    tight = tw.Task(PROGRAM, name="tight", storage=url, quota=taken + 60 * 32 - 1)
    tight.feed(*_points(60))
    with pytest.raises(NotReady, match=f"its files take {taken:,} of its quota .* larger quota"):
        tight.train(None)
    assert "it waits: its files take" in tight.outlook()
    assert "it waits:" not in free.outlook()
    assert invoke("task", "work", "--seconds", "20", "--storage", url, "--once").exit_code == 0
    assert free.models() and tight.models() == []
    said = invoke("task", "models", "tight", "--storage", url).output
    assert "it waits: its files take" in said and "larger quota" in said
    roomy = tw.Task(PROGRAM, name="roomy", storage=url, quota=taken + 1_000_000)
    roomy.feed(*_points(60))
    assert roomy.train(None, models=1) == 1


def test_a_task_whose_last_models_left_no_room_waits_for_more(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    first = tw.Task(PROGRAM, name="first", storage=url)
    first.feed(*_points(60))
    first.train(None, models=1)
    smallest = min(model.card["bytes"] for model in first.models())
    quota = first._files.bytes() + 60 * 32 + smallest
    store, row = first._store, first._row()
    store.settle(row.id, row.program, {**row.settings, "quota": quota})
    assert "it waits:" not in first.outlook()
    store.settle(row.id, row.program, {**row.settings, "quota": quota - 1})
    assert f"needs {60 * 32 + smallest:,} or more" in first.outlook()
    assert first.infer([1, 1, 1, 1]).value in ("small", "large")  # what was trained serves


@pytest.mark.parametrize(
    ("given", "said"),
    [({"bytes": 10.0}, "of 10 bytes, .* delete a task"), ({"seconds": 0.0}, "all seconds")],
)
def test_tasks_of_a_tenant_whose_quota_is_full_wait_until_it_is_raised(
    tmp_path: Path, given: dict[str, float | None], said: str
) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    tenants = _tenants(url)
    tenants.create("reds")
    other = tw.Task(PROGRAM, name="other", storage=url, namespace="blues")
    task = tw.Task(PROGRAM, storage=url, namespace="reds")
    for each in (task, other):
        each.feed(*_points(60))
    tenants.change("reds", given)
    with pytest.raises(NotReady, match=f"cannot be trained yet: .*{said}"):
        task.train(None, models=1)
    assert other.train(None, models=1) == 1
    assert task.status()["next"].startswith("it waits: ")
    tenants.change("reds", dict.fromkeys(given))
    assert "it waits:" not in task.status()["next"]
    assert task.train(None, models=1) == 1
