"""Whatever a job file names, however long, is answered soon and in little memory."""

import os
from pathlib import Path

import pytest

from tunewise.errors import JobFileError, SpaceError
from tunewise.execution import Command
from tunewise.history import Failure, Trial
from tunewise.job.jobfile import load
from tunewise.space import Choice

REST = "space: {x: [1, 2]}\nmaximize: accuracy\n"


@pytest.mark.parametrize(
    "text",
    [
        f"command: echo\n{'# a comment' * 100_000}\n{REST}",
        f"command: echo\nname: {'a' * 2_000_000}\n{REST}",
        f"command: echo\nspace: {{x: [{', '.join(map(str, range(150_000)))}]}}\n",
    ],
)
def test_a_job_file_that_is_too_long_is_refused_before_it_is_read(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "job.yaml").write_text(text)
    with pytest.raises(JobFileError, match=r"has more than 200,000 bytes; expected a job file"):
        load(tmp_path / "job.yaml")


def test_an_endless_device_is_no_catalogue_and_no_job_file(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "command: echo\nspace: {c: {cluster: {catalogue: /dev/zero}}}\nmaximize: accuracy\n"
    )
    with pytest.raises(JobFileError, match="'/dev/zero' has more than .* expected a CSV"):
        load(tmp_path / "job.yaml")
    with pytest.raises(JobFileError, match="has more than 200,000 bytes"):
        load(Path("/dev/zero"))


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "job.yaml")
    with pytest.raises(JobFileError, match="the file is empty"):
        load(tmp_path / "job.yaml")


def test_more_choices_than_anything_could_learn_of_are_refused() -> None:
    with pytest.raises(SpaceError, match="has 100,000 values; expected at most 3,000"):
        Choice("x", [f"v{i}" for i in range(100_000)])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        ('mkdir "$TUNEWISE_RESULT"', "it is no file"),
        ('mkfifo "$TUNEWISE_RESULT"', "it is no file"),
        ('ln -s /dev/zero "$TUNEWISE_RESULT"', "it is a link"),
        ('ln -s "$TUNEWISE_RESULT" "$TUNEWISE_RESULT"', "it is a link"),
    ],
)
def test_what_is_no_file_at_the_place_of_the_result_is_a_failure(make: str, sentence: str) -> None:
    outcome = Command(["sh", "-c", make])(Trial(0, {}))
    assert isinstance(outcome, Failure)
    assert outcome.reason == f"the file at $TUNEWISE_RESULT cannot be read: {sentence}"
