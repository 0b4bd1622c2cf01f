"""What is sound in a job file and still looks like an oversight is told before anything runs."""

from pathlib import Path

import pytest

from tunewise.job.jobfile import JobFile, parse
from tunewise.job.notices import notices
from tunewise.job.workload import workload

SPACE = "space:\n  rate: [0.1, 0.2]\n  layers: [1, 2]\nmaximize: accuracy\n"


def read(text: str, folder: Path) -> JobFile:
    return parse(SPACE + text, folder / "job.yaml")


def said(text: str, folder: Path) -> list[str]:
    file = read(text, folder)
    return notices(file, workload(file))


UNUSED = (
    "the command never uses {layers}: unless it reads $TUNEWISE_PARAM_LAYERS, all values train"
    " alike"
)
WHOLE = (
    "there are fractions, and the command never uses {fraction}: unless it reads"
    " $TUNEWISE_FRACTION, every trial trains on all the data"
)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python train.py {rate} {layers}", []),
        ("python train.py {rate}", [UNUSED]),
        ("python train.py {rate} $TUNEWISE_PARAM_LAYERS", []),
        ("python train.py $TUNEWISE_CONFIG", []),
        (
            "python train.py",
            [
                "the command never uses {rate}, {layers}: unless it reads $TUNEWISE_PARAM_RATE and"
                " $TUNEWISE_PARAM_LAYERS, all values train alike"
            ],
        ),
    ],
)
def test_parameters_that_a_command_never_uses_are_named(
    tmp_path: Path, command: str, expected: list[str]
) -> None:
    assert said(f"command: {command}\n", tmp_path) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("command: sh t.sh {rate} {layers}\nfractions: [0.1, 1]\n", [WHOLE]),
        ("command: sh t.sh {rate} {layers} {fraction}\nfractions: [0.1, 1]\n", []),
        ("command: sh t.sh {rate} {layers} $TUNEWISE_FRACTION\nfractions: [0.1, 1]\n", []),
        ("command: sh t.sh {rate} {layers}\nfractions: [1]\n", []),
        ("command: sh t.sh {rate}\nfractions: [0.1, 1]\n", [UNUSED, WHOLE]),
    ],
)
def test_a_command_that_never_uses_the_fraction_trains_on_all_the_data(
    tmp_path: Path, more: str, expected: list[str]
) -> None:
    assert said(more, tmp_path) == expected


def test_of_a_function_nothing_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text("def train(trial):\n    return {}\n")
    assert said("python: fit.py:train\nfractions: [0.1, 1]\n", tmp_path) == []
