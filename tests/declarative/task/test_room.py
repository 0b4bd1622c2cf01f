"""A quota that is full: nothing is trained in vain, and it is said what would make room."""

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.cli.shell import invoke
from tests.declarative.task.test_task import _points
from tests.extras import needs
from tunewise.declarative.training.work import Progress, Work
from tunewise.errors import NotReady
from tunewise.execution.executor import overrun
from tunewise.history import Outcome
from tunewise.storage.accounts import Tenants
from tunewise.storage.database import Database
from tunewise.storage.opening import parsed_url
from tunewise.storage.tasks import open_tasks
from tunewise.storage.tasks.opening import files_beside

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


def test_a_model_for_which_too_few_seconds_are_left_waits_for_quota(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    tenants = _tenants(url)
    tenants.create("reds", seconds=0.01)
    task = tw.Task(PROGRAM, storage=url, namespace="reds")
    task.feed(*_points(60))
    assert task.train(None, models=1) == 0
    assert "waits for quota: it is expected to take" in task.status()["next"]
    assert "its tenant has 0.01 s of training left" in task.status()["next"]
    tenants.change("reds", {"seconds": None})
    assert task.train(None, models=1) == 1
    assert not [model for model in task.models() if model.why]


class _Late:
    """Trainings that reach their limit, whatever that is."""

    def start(self, request: Any) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        future.set_result(overrun(request.limit))
        return future

    def wait(self, futures: list[Future[Outcome]], timeout: float) -> set[Future[Outcome]]:
        return set(futures)

    def stop(self, future: Future[Outcome], outcome: Outcome, *, at_once: bool) -> None:
        """It has ended."""


def test_a_training_that_a_quota_cut_off_has_not_failed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    _tenants(url).create("reds", seconds=2.0)
    task = tw.Task(PROGRAM, storage=url, namespace="reds")
    task.feed(*_points(60))
    heard: list[Progress] = []
    late: Any = _Late()
    store = open_tasks(url)
    Work(store, url, files_beside(url), hear=heard.append, executor=late).run(3.0, models=1)
    ended = [one for one in heard if one.kind != "picked"]
    assert ended[0].kind == "given up"
    assert ended[0].sentence == "only 2 s of training were left; it is trained once there are more"
    assert "failed" not in {event["kind"] for event in store.events()}
