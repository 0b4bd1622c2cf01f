"""Stored studies without the code that made them."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import StorageError, StudyError
from tunewise.job.jobfile import parse
from tunewise.job.loading import problem_of
from tunewise.space import Space
from tunewise.storage import open_store
from tunewise.study import StudyRecord


def measured(study: tw.Study, count: int) -> None:
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, {"accuracy": trial.config["x"], "time": 3600.0})


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'studies.db'}"


def test_a_study_goes_on_as_it_would_have(url: str) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0.0, 1.0)), maximize="accuracy")
    with tw.Study(problem, "cherrypick", seed=3, storage=url, name="s") as study:
        measured(study, 4)
        expected = study.strategy.suggest(study.history, 1)[0].config
    with tw.load_study(url, "s") as loaded:
        assert loaded.recommend() == study.strategy.recommend(loaded.history)
        assert loaded.ask().config == expected
        assert loaded.problem.lost == ()


def test_what_only_the_code_knew_is_said_when_it_is_needed(url: str) -> None:
    space = tw.Space(tw.Real("x", 0.0, 1.0), where=lambda c: c["x"] < 0.5)
    problem = tw.Problem(space, maximize="accuracy", price=lambda c: 2.0)
    with tw.Study(problem, "random", seed=3, storage=url, name="s") as study:
        measured(study, 4)
        open_trial = study.ask()
        best = study.best
    assert best is not None
    with tw.load_study(url, "s") as loaded:
        assert loaded.problem.lost == ("where", "price")
        assert len(loaded.history) == 5
        assert loaded.spent["cost"] == pytest.approx(8.0)
        assert loaded.best == best
        assert loaded.recommend().config == best.config
        with pytest.raises(StudyError, match="without the function 'where'.*to ask for trials"):
            loaded.ask()
        with pytest.raises(StudyError, match="to enqueue a config"):
            loaded.enqueue({"x": 0.1})
        with pytest.raises(StudyError, match="without the function 'price'"):
            loaded.tell(open_trial, {"accuracy": 0.5, "time": 1.0})
        loaded.tell(open_trial, {"accuracy": 0.5, "time": 1.0, "cost": 0.1})


def test_what_a_run_recommended_is_kept(url: str) -> None:
    space = tw.Space(tw.Real("x", 0.0, 1.0), where=lambda c: c["x"] < 0.5)
    problem = tw.Problem(space, maximize="accuracy")
    with tw.Study(problem, "cherrypick", seed=3, storage=url, name="s") as study:
        job = lambda trial: {"accuracy": trial.config["x"], "time": 1.0}  # noqa: E731 - short
        said = study.optimize(job, trials=6, progress=False)
    with tw.load_study(url, "s") as loaded:
        assert said is not None
        assert loaded.recommend().describe() == said.describe()


def test_a_finite_where_is_kept(url: str) -> None:
    space = tw.Space(tw.Ordinal("x", [0.1, 0.2, 0.3]), where=lambda c: c["x"] > 0.1)
    with tw.Study(tw.Problem(space, maximize="accuracy"), seed=0, storage=url, name="s"):
        pass
    with tw.load_study(url, "s") as loaded:
        assert loaded.problem.lost == ()
        assert loaded.problem.space.configs == space.configs


def test_an_unknown_name_or_store_is_a_sentence(url: str, tmp_path: Path) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0.0, 1.0)), maximize="accuracy")
    tw.Study(problem, storage=url, name="digits").close()
    with pytest.raises(StudyError, match="no study 'digit'; did you mean 'digits'"):
        tw.load_study(url, "digit")
    with pytest.raises(StorageError):
        tw.load_study(f"sqlite:///{tmp_path / 'nowhere' / 'x.db'}", "digits")


@pytest.mark.parametrize("strategy", ["random", "cherrypick"])
def test_several_objectives_have_the_same_answer_without_their_functions(
    tmp_path: Path, strategy: str
) -> None:
    space = tw.Space(tw.Real("x", 0, 1), tw.Choice("o", ["a", "b"]))
    problem = tw.Problem(
        space, maximize=["accuracy"], minimize=["cost"], price=lambda config: 1 + config["x"] ** 3
    )
    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study(problem, strategy, 0, url, "s") as study:
        for _ in range(6):
            trial = study.ask()
            study.tell(trial, {"accuracy": trial.config["x"], "time": 3600.0})
        answer = study.recommend()
    with tw.load_study(url, "s") as loaded:
        assert loaded.recommend() == answer


JOB = """\
command: sh train.sh {x}
space: {x: {real: [0, 1]}}
where: x < 0.5
maximize: accuracy
price: 0.5 + x
"""


def recorded(text: str, problem: tw.Problem, folder: Path, **changes: object) -> StudyRecord:
    note = {"text": text, "path": str(folder / "job.yaml"), "changes": changes}
    return StudyRecord("s", problem.describe(), {"name": "random"}, 0, {"job": note})


def test_a_job_file_brings_back_the_functions_that_a_description_lost(tmp_path: Path) -> None:
    stated = parse(JOB, tmp_path / "job.yaml").problem
    found = problem_of(recorded(JOB, stated, tmp_path))
    assert found.lost == () and found.price is not None
    assert found.price({"x": 0.25}) == pytest.approx(0.75)
    assert not found.space.allows({"x": 0.75})


def test_changes_of_the_command_line_count_for_a_stored_job_file(tmp_path: Path) -> None:
    stated = parse(JOB, tmp_path / "job.yaml", {"budget": 3.0}).problem
    found = problem_of(recorded(JOB, stated, tmp_path, budget=3.0))
    assert found.budget == 3.0 and found.lost == ()


def test_a_job_file_that_states_another_problem_by_now_is_not_taken(tmp_path: Path) -> None:
    stated = parse(JOB, tmp_path / "job.yaml").problem
    other = JOB.replace("real: [0, 1]", "real: [0, 2]")
    found = problem_of(recorded(other, stated, tmp_path))
    assert set(found.lost) == {"where", "price"}
    assert found.space.describe() == Space.from_description(stated.space.describe()).describe()


def test_a_job_file_that_cannot_be_read_any_more_leaves_the_description(tmp_path: Path) -> None:
    stated = parse(JOB, tmp_path / "job.yaml").problem
    found = problem_of(recorded(JOB.replace("0.5 + x", "0.5 + y"), stated, tmp_path))
    assert found.describe()["maximize"] == "accuracy" and "price" in found.lost


def test_a_study_may_be_loaded_from_an_open_store(url: str) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0.0, 1.0)), maximize="accuracy")
    with tw.Study(problem, "random", seed=3, storage=url, name="s") as study:
        measured(study, 2)
    store = open_store(url)
    with tw.load_study(store, "s") as loaded:
        assert len(loaded.history) == 2
