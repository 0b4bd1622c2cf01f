"""What models of earlier tasks measured is what is expected of them in later ones."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.declarative.schema import parse
from tunewise.declarative.templates.candidates import TEMPLATES
from tunewise.declarative.training.events import family
from tunewise.declarative.training.prior import prior, prior_of
from tunewise.storage.tasks import TaskStore, open_tasks

MODELS = ("nearest", "seq2seq", "seq2seq_attention")


@pytest.fixture
def store(tmp_path: Path) -> TaskStore:
    return open_tasks(f"sqlite:///{tmp_path / 'store.db'}")


def _finished(store: TaskStore, name: str, shared: bool) -> None:
    """A task whose models were all trained, as the log tells it."""
    settings = {"salt": "s", "shared": shared}
    task = store.create(name, "series(1) -> series(1)", settings).id
    for model in MODELS:
        card = {"model": model, "fraction": 1.0, "quality": 0.9, "seconds": 7.0}
        told = {"kind": "told", "task": task, "pick": 0, "quality": 0.9, "seconds": 7.0}
        event: dict[str, object] = {**told, "card": card}
        store.decide(0, lambda _, event=event: [event])  # type: ignore[misc]


def test_finished_trainings_become_the_prior_of_later_tasks(store: TaskStore) -> None:
    assert prior_of(store) is None
    shipped = prior(["translation"])
    _finished(store, "earlier", shared=True)
    log = prior_of(store)
    assert shipped is not None and log is not None
    assert log.models == tuple(f"translation/{model}" for model in MODELS)
    assert log.accuracy.tolist() == [*shipped.accuracy.tolist(), [0.9, 0.9, 0.9]]
    assert log.seconds is not None and shipped.seconds is not None
    assert log.seconds.tolist() == [*shipped.seconds.tolist(), [7.0, 7.0, 7.0]]


def test_a_private_task_teaches_nobody(store: TaskStore) -> None:
    shipped = prior(["translation"])
    _finished(store, "earlier", shared=False)
    log = prior_of(store)
    assert shipped is not None and log is not None
    assert log.accuracy.tolist() == shipped.accuracy.tolist()


def test_whoever_trains_asks_for_the_prior_when_a_task_joins(tmp_path: Path) -> None:
    from tunewise.declarative.training.schedule import Schedule
    from tunewise.declarative.training.work import Work
    from tunewise.storage.tasks.opening import files_beside

    url = f"sqlite:///{tmp_path / 'store.db'}"
    asked: list[int] = []
    work = Work(open_tasks(url), url, files_beside(url), log=lambda: asked.append(1))
    schedule = Schedule()
    assert work._pick(schedule, 0.0, 100.0) is None and not asked
    task = tw.Task("table(1) -> [no, yes]", storage=url)
    task.feed([[float(k)] for k in range(10)], ["no", "yes"] * 5)
    assert work._pick(schedule, 0.0, 100.0) is not None and len(asked) == 1
    assert work._pick(schedule, 0.0, 100.0) is not None and len(asked) == 1


def test_numbers_and_classes_of_a_template_tell_nothing_of_each_other() -> None:
    families = [family(parse(f"table(3) -> {what}")) for what in ("2 classes", "[a, b]", "number")]
    assert families == ["tables", "tables", "tables of numbers"]


def test_a_prior_is_shipped_for_every_kind_of_task() -> None:
    for template in TEMPLATES.names():
        log = prior([template])
        assert log is not None, template
        assert all(name.startswith(f"{template}/") for name in log.models or ())
