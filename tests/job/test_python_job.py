"""A job file may name a Python function; it is imported where it runs, and only there."""

import os
import sys
from pathlib import Path

import pytest

from tunewise import Trial
from tunewise.errors import ExecutionError
from tunewise.execution import ProcessExecutor
from tunewise.history import Failure, Measurement, Outcome
from tunewise.job.python_job import PythonJob
from tunewise.study.executor import Request

CODE = """\
import os
from helper_of_job import double
print("imported")

def train(trial):
    return {"accuracy": double(trial.config["x"]), "here": float(os.path.exists("train_it.py")),
            "set": float(os.environ["SET"])}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train_it.py").write_text(CODE)
    (tmp_path / "helper_of_job.py").write_text("def double(x):\n    return 2 * x\n")
    return tmp_path


def run(job: PythonJob) -> Outcome:
    with ProcessExecutor() as pool:
        return pool.start(Request(job, Trial(0, {"x": 0.25}))).result()


@pytest.mark.parametrize("target", ["train_it.py:train", "train_it:train"])
def test_a_function_runs_in_its_folder_with_its_environment(folder: Path, target: str) -> None:
    before = (os.getcwd(), dict(os.environ), list(sys.path))
    outcome = run(PythonJob(target, folder, folder, {"SET": "7"}))
    assert isinstance(outcome, Measurement), outcome
    assert {k: outcome.metrics[k] for k in ("accuracy", "here", "set")} == {
        "accuracy": 0.5, "here": 1.0, "set": 7.0
    }  # fmt: skip
    assert (os.getcwd(), dict(os.environ), list(sys.path)) == before
    assert "train_it" not in sys.modules


def test_a_file_may_have_the_name_of_a_module(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("def train(trial):\n    return {'accuracy': 1.0}\n")
    outcome = run(PythonJob("json.py:train", tmp_path, tmp_path))
    assert isinstance(outcome, Measurement)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("train_it.py", "names no function; expected module:function or file.py:function"),
        ("train_it.py:", "names no function"),
        (":train", "names no function"),
        ("train_it.py:not a name", "names no function"),
        ("train_it.py:tarin", "train_it.py has no function 'tarin'; did you mean 'train'"),
        ("train_it:tarin", "train_it.py has no function 'tarin'; did you mean 'train'"),
        ("trian_it.py:train", "trian_it.py cannot be read: No such file"),
        ("trian_it:train", "there is no module 'trian_it' in .*; did you mean 'train_it.py'"),
    ],
)
def test_a_function_that_is_not_there_is_refused(folder: Path, target: str, sentence: str) -> None:
    with pytest.raises(ExecutionError, match=sentence):
        PythonJob(target, folder, folder)


def test_a_file_without_functions_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text("x = 1\n")
    with pytest.raises(ExecutionError, match="bare.py has no function 'train'; it defines none$"):
        PythonJob("bare.py:train", tmp_path, tmp_path)


def test_a_file_that_is_no_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def train(trial:\n")
    with pytest.raises(ExecutionError, match="bad.py, line 1 is not valid Python"):
        PythonJob("bad.py:train", tmp_path, tmp_path)


@pytest.mark.parametrize(
    "code", ["train = dict\n", "from os import getcwd as train\n", "from os.path import *\n"]
)
def test_a_name_that_only_an_import_can_tell_is_trusted_until_then(
    tmp_path: Path, code: str
) -> None:
    (tmp_path / "odd.py").write_text(code)
    outcome = run(PythonJob("odd.py:train", tmp_path, tmp_path))
    assert isinstance(outcome, Failure), "none of these measures anything"
    assert ("has no function 'train'" in outcome.reason) == ("*" in code)


def test_a_name_that_is_no_function_after_all_fails_the_trial(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text("train = 3\n")
    outcome = run(PythonJob("odd.py:train", tmp_path, tmp_path))
    assert isinstance(outcome, Failure)
    assert outcome.reason.startswith("odd.py has no function 'train'")


def test_a_function_finds_what_lies_beside_its_file(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "jobs"
    elsewhere.mkdir()
    job = PythonJob(str(folder / "train_it.py") + ":train", elsewhere, folder, {"SET": "7"})
    assert isinstance(run(job), Measurement)


def test_an_import_that_fails_before_the_trials_is_told_by_the_trial(folder: Path) -> None:
    (folder / "helper_of_job.py").write_text("raise RuntimeError('no such machine')\n")
    outcome = run(PythonJob("train_it.py:train", folder, folder, {"SET": "7"}, shared=True))
    assert isinstance(outcome, Failure) and "no such machine" in outcome.reason
