"""What a job file says of a process: its words, its folder and its environment."""

from pathlib import Path

import pytest

from tunewise.errors import ExecutionError
from tunewise.job import process


def test_a_text_is_split_as_a_shell_would_and_a_list_is_taken_as_it_is() -> None:
    assert process.words("python 'my train.py' --rate 1") == [
        "python",
        "my train.py",
        "--rate",
        "1",
    ]
    assert process.words(["python", "my train.py", 1, 0.5, True]) == [
        "python", "my train.py", "1", "0.5", "True"
    ]  # fmt: skip
    assert process.words("") == process.words([]) == []


@pytest.mark.parametrize("text", ["python 'train.py", 'python "train.py', "python train.py \\"])
def test_a_text_that_no_shell_can_split_is_refused(text: str) -> None:
    with pytest.raises(ExecutionError, match="cannot be split into words: no "):
        process.words(text)


def test_a_process_runs_beside_the_job_file_or_in_the_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "file").write_text("")
    assert process.folder(None, tmp_path) == tmp_path
    assert process.folder("inner", tmp_path) == tmp_path / "inner"
    assert process.folder(str(tmp_path / "inner"), Path("elsewhere")) == tmp_path / "inner"
    for missing in ("nowhere", "file"):
        with pytest.raises(ExecutionError, match=f"there is no folder '.*{missing}' to run in"):
            process.folder(missing, tmp_path)


def test_variables_are_texts_with_the_words_of_yaml_for_yes_no_and_nothing() -> None:
    said = {"A": True, "B": False, "C": None, "D": 1, "E": 0.5, "F": "x y"}
    assert process.environment(said) == {
        "A": "true", "B": "false", "C": "", "D": "1", "E": "0.5", "F": "x y"
    }  # fmt: skip


def test_one_is_no_yes_in_an_environment() -> None:
    assert process.environment({"A": 1, "B": 0, "C": 1.0}) == {"A": "1", "B": "0", "C": "1.0"}


def test_only_names_that_a_variable_can_have_are_taken() -> None:
    process.refuse_impossible(["A", "a_b", "1"])
    for name, meant in (("A=B", "A"), ("=B", "SEED"), ("", "SEED")):
        with pytest.raises(ExecutionError, match=f"expected it without =, as {meant!r}"):
            process.refuse_impossible(["GOOD", name])
