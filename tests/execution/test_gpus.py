"""Trials that run at once on one machine have GPUs of their own."""

import os
from pathlib import Path

import pytest

import tunewise as tw
from tests.execution.processes import eventually
from tunewise.errors import ExecutionError
from tunewise.execution import ProcessExecutor
from tunewise.execution.gpus import shares, visible
from tunewise.history import Measurement


@pytest.mark.parametrize(
    ("gpus", "workers", "expected"),
    [
        ([], 2, [None, None]),
        (["0", "1"], 1, [None]),
        (["0", "1"], 2, ["0", "1"]),
        (["0", "1", "2", "3", "4"], 2, ["0,1", "2,3"]),
        (["0", "1"], 3, ["0", "1", "0"]),
    ],
)
def test_each_worker_has_as_many_as_it_can_have_alone(
    gpus: list[str], workers: int, expected: list[str | None]
) -> None:
    assert shares(gpus, workers) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [("0, 2", ["0", "2"]), ("GPU-ab,MIG-cd", ["GPU-ab", "MIG-cd"]), ("1,-1,0", ["1"]), ("", [])],
)
def test_the_variable_says_which_may_be_used(said: str, expected: list[str]) -> None:
    assert visible({"CUDA_VISIBLE_DEVICES": said}) == expected


def test_without_it_the_devices_count(tmp_path: Path) -> None:
    for name in ("nvidia10", "nvidia2", "nvidiactl", "nvidia-uvm"):
        (tmp_path / name).touch()
    assert visible({}, tmp_path) == ["2", "10"]


def test_trials_at_once_see_different_ones_and_a_free_one_is_given_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def job(trial: tw.Trial) -> Measurement:
        (tmp_path / f"began-{trial.number}").touch()
        assert eventually((tmp_path / f"began-{trial.number ^ 1}").exists), "not both at once"
        return Measurement({"accuracy": 0.5, "gpu": float(os.environ["CUDA_VISIBLE_DEVICES"])})

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    with ProcessExecutor(2) as executor:
        for number in (0, 2):
            pair = [executor.submit(job, tw.Trial(number + i, {"x": i})) for i in (0, 1)]
            assert {each.result().metrics["gpu"] for each in pair} == {5.0, 7.0}


@pytest.mark.parametrize("workers", [0, True, 2.0, 10**9, 10**30])
def test_so_many_trials_at_once_are_refused_before_anything_is_laid_out(workers: int) -> None:
    with pytest.raises(ExecutionError, match=r"workers is .*, up to 100,000"):
        ProcessExecutor(workers)
