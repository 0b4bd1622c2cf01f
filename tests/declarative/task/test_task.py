"""A task from its declaration to its answers, with real trainings in real processes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tests.extras import needs
from tunewise.declarative.schema import parse
from tunewise.declarative.task.asking import read_any
from tunewise.declarative.task.exporting import open_folder
from tunewise.declarative.templates import candidate, size_of
from tunewise.errors import NotReady, TaskError

needs("onnxruntime", "tasks")
needs("sklearn", "tasks")
needs("lightgbm", "tasks")


def _points(count: int, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 4)).astype(np.float32)
    return x, ["large" if row.sum() > 0 else "small" for row in x]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with a task that was trained for two models or so."""
    url = f"sqlite:///{tmp_path_factory.mktemp('tasks') / 'store.db'}"
    task = tw.Task("table(4) -> [small, large]", name="points", storage=url)
    task.feed(*_points(700))
    heard: list[str] = []
    count = task.train(None, models=2, hear=lambda progress: heard.append(progress.kind))
    assert count == 2
    assert heard[:2] == ["picked", "told"]
    task.close()
    return url


@pytest.fixture
def task(url: str) -> Iterator[tw.Task]:
    opened = tw.Task(name="points", storage=url)
    yield opened
    opened.close()


def test_the_best_model_answers_with_probabilities(task: tw.Task) -> None:
    answer = task.infer([1, 1, 1, 1])
    assert answer.value == "large"
    assert sum(answer.scores.values()) == pytest.approx(1, abs=1e-4)
    assert answer.data == 1
    assert answer.quality is not None
    assert answer.quality.low <= answer.quality.value <= answer.quality.high
    assert answer.quality.value > answer.quality.baseline


def test_many_inputs_have_many_answers_however_they_are_given(
    task: tw.Task, tmp_path: Path
) -> None:
    x, labels = _points(50, seed=1)
    alone = [task.infer(row).value for row in x]
    assert [answer.value for answer in task.infer(x)] == alone
    assert [answer.value for answer in task.infer(x.tolist())] == alone
    np.save(tmp_path / "x.npy", x)
    assert [answer.value for answer in task.infer(tmp_path / "x.npy")] == alone
    assert np.mean([a == b for a, b in zip(alone, labels, strict=True)]) > 0.8


def test_a_broken_input_does_not_keep_the_others_from_their_answers(
    task: tw.Task, tmp_path: Path
) -> None:
    (tmp_path / "x.csv").write_text("a,b,c,d\n1,1,1,1\n1,one,1,1\n-1,-1,-1,-1\n")
    first, broken, last = task.infer(tmp_path / "x.csv")
    assert (first.value, broken.value, last.value) == ("large", None, "small")
    assert broken.refused.startswith("x.csv:3: ")
    assert not first.refused
    (tmp_path / "y.csv").write_text("a,b,c,d\n1,one,1,1\n")
    with pytest.raises(TaskError, match="y.csv:2: "):
        task.infer(tmp_path / "y.csv")


def test_what_was_trained_is_listed_with_what_it_was_trained_on(task: tw.Task) -> None:
    models = task.models()
    assert sum(model.serves for model in models) == 1
    for model in models:
        assert model.data == 1
        assert model.quality is not None
        assert model.card["disagreement"] <= 1e-3
        assert len(model.card["fingerprint"]) == 64


def test_the_score_on_the_examples_themselves_is_told_on_request(task: tw.Task) -> None:
    told = [task.infer(row).value for row in _points(700)[0]]
    right = [a == b for a, b in zip(told, _points(700)[1], strict=True)]
    assert task.training_score() == pytest.approx(np.mean(right))


def test_an_input_that_does_not_fit_is_refused(task: tw.Task) -> None:
    with pytest.raises(TaskError, match="a tensor of shape 3; expected 4"):
        task.infer([1, 2, 3])
    with pytest.raises(TaskError, match="input 1: a tensor of shape 3; expected 4"):
        task.infer([[1, 2, 3, 4], [1, 2, 3]])
    with pytest.raises(TaskError, match="the input is empty"):
        task.infer("")
    with pytest.raises(TaskError, match="seconds is -1"):
        task.train(-1)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ([[1, 2, 3]], "step 1: a tensor of shape 3; expected 2"),
        ([[float("nan"), 1]], "step 1: the value at .0. is nan"),
        ([[[1, 2]], [[1, 2, 3]]], "input 1: step 1: a tensor of shape 3"),
    ],
)
def test_a_series_that_does_not_fit_is_told_what_is_wrong_with_it(asked: Any, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        read_any(parse("series(2) -> [slow, fast]"), asked, None)


@pytest.mark.parametrize("name", ["a/b", "..", " a", "a "])
def test_a_name_that_has_no_address_is_refused(name: str) -> None:
    with pytest.raises(TaskError, match="a name has no /"):
        tw.Task("text -> number", name=name)


def test_a_task_is_opened_by_its_name_and_refuses_another_program(url: str) -> None:
    with pytest.raises(TaskError, match="choose another name"):
        tw.Task("table(5) -> number", name="points", storage=url)
    with pytest.raises(TaskError, match="did you mean 'points'"):
        tw.Task(name="point", storage=url)


def test_refining_changes_the_version_and_is_taken_back(task: tw.Task) -> None:
    before = task.version
    done = task.refine(off=["e1", "e2"])
    assert done.off == ["e1", "e2"]
    assert [example.on for example in task.examples()[:3]] == [False, False, True]
    back = task.refine(undo=True)
    assert back.on == ["e1", "e2"]
    assert task.version == before + 2
    by_rule = task.refine(off='label == "large" and id < 20')
    assert len(by_rule.off) == sum(e.label == "large" for e in task.examples()[:19])
    task.refine(undo=True)
    with pytest.raises(TaskError, match="no example e9999; they go from e1 to e"):
        task.refine(off=["e9999"])
    with pytest.raises(TaskError, match="no example: none is labelled 'larg'; did you mean 'larg"):
        task.refine(off="label == larg and id < 20")
    with pytest.raises(TaskError, match="the rule picks no example$"):
        task.refine(off="id > 9999")
    assert all(example.on for example in task.examples())


def test_an_exported_folder_answers_by_itself(task: tw.Task, tmp_path: Path) -> None:
    folder = task.export(tmp_path / "model")
    command = [sys.executable, str(folder / "infer.py"), json.dumps([1, 1, 1, 1])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    value, score = done.stdout.split()  # as `task infer` tells it
    assert value == "large" and 0.5 < float(score) <= 1
    bare = subprocess.run(command[:2], capture_output=True, text=True)
    assert bare.returncode == 1 and bare.stderr.startswith("usage: python infer.py INPUT")
    alone = task.export(tmp_path / "model.onnx")
    with pytest.raises(TaskError, match="is there already; expected a new file"):
        task.export(alone)
    (tmp_path / "rows.csv").write_text("a,b,c,d\n1,1,1,1\n-1,-1,-1,-1\n")
    assert "pip install '.[tasks]'" in (folder / "README.md").read_text()
    model = open_folder(folder)
    several = model.answers(model.read(str(tmp_path / "rows.csv")))
    assert [answer.value for answer in several] == ["large", "small"]
    for nothing, words in (("typo.csv", "no file or folder"), ("", "no file")):
        with pytest.raises(TaskError, match=words):
            model.read(nothing)


def test_feeding_the_same_twice_is_one_example_and_a_dry_run_keeps_nothing() -> None:
    task = tw.Task("table(4) -> 2 classes")
    x, labels = _points(30)
    assert task.feed(x, labels, dry_run=True).added == 30
    assert task.examples() == []
    assert task.feed(x, labels).added == 30
    again = task.feed(x, labels)
    assert (again.added, again.known) == (0, 30)
    strange = task.feed(x[:1] + 1, ["huge"])
    assert "one too many" in strange.refused[0].reason


def test_the_first_examples_decide_what_the_program_leaves_open() -> None:
    task = tw.Task("{input: {[Tensor[4]], []}, output: {[Tensor[2]], []}}")
    fed = task.feed(*_points(10))
    assert "2 classes" in fed.notes[0]
    assert str(task.program) == "table(4) -> 2 classes"


def test_before_the_first_model_it_is_said_what_is_missing() -> None:
    task = tw.Task("table(4) -> 2 classes", name="new")
    with pytest.raises(tw.NotReady, match="feed at least 8"):
        task.infer([1, 2, 3, 4])
    task.feed(np.random.default_rng(0).normal(size=(20, 4)), ["a"] * 20)
    with pytest.raises(tw.NotReady, match="another class"):
        task.train(1)


def test_before_anything_trains_it_is_said_when_the_first_model_is_expected() -> None:
    task = tw.Task("table(4) -> 2 classes", name="new")
    task.feed(*_points(60))
    with pytest.raises(tw.NotReady, match=r"ridge is next, expected at 0\.\d+ in \S+ s once"):
        task.infer([1, 2, 3, 4])
    assert task.train(None, models=1) == 1
    assert [model.name for model in task.models()] == ["ridge"]


def test_a_model_is_trained_again_where_somebody_asks_for_it() -> None:
    task = tw.Task("table(4) -> 2 classes", name="again")
    task.feed(*_points(60))
    for retrain in (False, True):
        assert task.train(None, models=1, rule="fixed_order", retrain=retrain) == 1
    assert [model.name for model in task.models()] == ["ridge", "ridge"]


def test_a_deleted_task_leaves_no_file(tmp_path: Path) -> None:
    task = tw.Task("table(4) -> 2 classes", storage=tmp_path / "s.db")
    task.feed(*_points(10))
    assert list(tmp_path.rglob("*/*/??/*"))
    task.delete()
    assert not list(tmp_path.rglob("*/*/??/*"))
    with pytest.raises(TaskError, match="was deleted"):
        task.feed(*_points(10))


def test_few_examples_are_judged_by_cross_validation_and_numbers_have_an_interval() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    task = tw.Task("table(2) -> number")
    task.feed(x, x @ [1.0, 2.0] + 0.1 * rng.normal(size=60))
    task.train(None, models=1)
    answer = task.infer([1.0, 1.0])
    assert answer.low < answer.value < answer.high
    assert answer.value == pytest.approx(3, abs=0.8)
    assert task.quality.measure == "R²"
    assert task.quality.examples == 60
    assert {model.card["method"] for model in task.models()} == {"cross-validation"}


def test_a_quota_is_kept(tmp_path: Path) -> None:
    task = tw.Task("table(4) -> 2 classes", storage=tmp_path / "s.db", quota=100)
    with pytest.raises(TaskError, match="quota of 100 bytes"):
        task.feed(*_points(50))
    assert task.examples() == []
    assert not [file for file in (tmp_path / "s.db.tasks").rglob("*") if file.is_file()]


def test_models_keep_the_quota_too() -> None:
    task = tw.Task("table(4) -> 2 classes", quota=40_000)
    task.feed(*_points(100))
    task.train(None)
    assert task._files.bytes() <= 40_000
    assert task.infer([1, 1, 1, 1]).value == "large"
    refused = [model.why for model in task.models() if model.why]
    assert refused
    assert all("of its quota of 40,000 bytes" in why for why in refused)


@pytest.mark.parametrize("count", [300, 600])
def test_a_learning_curve_tells_what_more_examples_bring_where_nothing_was_sliced(
    count: int,
) -> None:
    x, labels = _points(count)
    labels = ["small" if at % 9 == 0 else label for at, label in enumerate(labels)]
    task = tw.Task("table(4) -> [large, small]")
    task.feed(x, labels)
    task.train(None, models=1)
    (model,) = task.models()
    assert model.fraction == 1
    more = task.with_more(count)
    assert more is not None
    assert model.quality is not None
    assert model.quality <= more < 1


def test_that_all_models_are_too_slow_is_said() -> None:
    task = tw.Task("table(4) -> 2 classes", latency=1e-12)
    task.feed(*_points(60))
    task.train(None, models=1)
    with pytest.raises(NotReady, match=r"the quickest takes .* s an answer, of 1e-12 s"):
        task.infer([1, 1, 1, 1])


def test_a_task_takes_word_vectors_from_a_file(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="there is no file"):
        tw.Task("text -> [a, b]", vectors=tmp_path / "none.txt")
    (tmp_path / "glove.txt").write_text("good 1.0 0.5\nbad -1.0 0.5\nfine 1.0 0.4\n")
    task = tw.Task("text -> [a, b]", vectors=tmp_path / "glove.txt")
    task.feed([f"{'good' if at % 2 else 'bad'} {at}" for at in range(40)], ["a", "b"] * 20)
    task.train(None)
    assert "word_vectors@file" in {model.name for model in task.models() if model.quality == 1}


def test_learning_rates_of_networks_are_chosen_by_name() -> None:
    with pytest.raises(TaskError, match="did you mean 'paper'"):
        tw.Task("table(4) -> number", rates="papers")
    needs("torch", "torch")
    task = tw.Task("table(4) -> 2 classes", rates="paper")
    made = candidate(task.program, "mlp", task._row().settings).model
    size = size_of(task.program, 1000)
    assert made.seconds(size) > 1.5 * candidate(task.program, "mlp").model.seconds(size)


def test_a_better_model_is_taken_over_between_two_answers(url: str, task: tw.Task) -> None:
    served = task.infer([1, 1, 1, 1]).model
    other = tw.Task(name="points", storage=url)
    other.train(None, models=1)
    best = next(model.name for model in other.models() if model.serves)
    task._looked = -10.0  # as if a second had passed
    assert served in {model.name for model in other.models()}
    assert task.infer([1, 1, 1, 1]).model == best


def test_the_best_model_is_trained_again_on_all_examples_and_serves() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(560, 2))
    labels = ["rare" if at < 30 else "yes" if row.sum() > 0 else "no" for at, row in enumerate(x)]
    task = tw.Task("table(2) -> [no, rare, yes]")
    task.feed(x, labels)
    learned = [e.id for e in task.examples() if e.label == "rare" and e.part == "training"]
    task.refine(off=learned)  # what is left of the class is in the validation part alone
    task.train(None, models=1)
    assert "rare" in task.infer([0.0, 0.0]).scores
    assert task.quality.examples < 200  # measured by the model that did not see them
