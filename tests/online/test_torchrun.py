"""A group of processes of PyTorch goes over to another setting through its checkpoint."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")

from tests.online.group import SCRIPT  # noqa: E402 - PyTorch may be absent
from tunewise.errors import ExecutionError  # noqa: E402
from tunewise.online import Iteration, Tuner, follow  # noqa: E402
from tunewise.online.torchrun import TorchrunJob  # noqa: E402
from tunewise.space import Ordinal, Space  # noqa: E402

FIRST = {"workers": 1, "threads": 1, "accumulation": 1, "bucket_mb": 25}


STARTED: list[TorchrunJob] = []


@pytest.fixture(autouse=True)
def no_group_outlives_its_test() -> Iterator[None]:
    yield
    while STARTED:
        STARTED.pop().stop()


def job(tmp_path: Path, every: float = 1000.0, **setting: int) -> TorchrunJob:
    tmp_path.mkdir(exist_ok=True)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace("EVERY", str(every)))
    STARTED.append(TorchrunJob([str(script)], {**FIRST, **setting}, tmp_path / "run"))
    return STARTED[-1]


def losses(told: list[Iteration]) -> list[float]:
    return [each.loss for each in told]


def test_the_losses_are_those_of_one_process_through_every_kind_of_change(tmp_path: Path) -> None:
    alone = job(tmp_path / "alone")
    expected = losses(alone.run(40))
    alone.stop()
    group = job(tmp_path / "group", workers=2)
    told = group.run(8)
    for change in ({"workers": 1, "accumulation": 2}, {"workers": 2, "threads": 2, "bucket_mb": 1}):
        switch = group.switch({**FIRST, **change})
        assert "workers" in switch.kinds and switch.seconds > 0
        told += [*switch.finished, *group.run(8)]
    group.stop()
    assert all(each.samples == 64 for each in told)
    count = min(len(told), len(expected))
    assert count >= 24
    np.testing.assert_allclose(losses(told)[:count], expected[:count], rtol=1e-9)


def test_a_setting_that_cannot_run_is_refused_and_the_last_one_goes_on(tmp_path: Path) -> None:
    running = job(tmp_path)
    before = losses(running.run(5))
    with pytest.raises(ExecutionError, match="before the training was done"):
        running.switch({**FIRST, "bucket_mb": 13})
    after = losses(running.run(3))
    running.stop()
    assert running.setting == FIRST
    assert max(after) < min(before)


def test_a_killed_process_costs_no_more_than_what_came_after_the_checkpoint(
    tmp_path: Path,
) -> None:
    running = job(tmp_path, every=0.0, workers=2)
    before = losses(running.run(5))
    assert running._process is not None
    first = running._process.pid
    processes = _children(first)
    assert len(processes) == 2
    os.kill(processes[-1], signal.SIGKILL)
    while running._process.pid == first:
        running.run(1)
    after = losses(running.run(5))
    running.stop()
    assert max(after) < min(before)


def _children(parent: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False
    )
    return [int(each) for each in listed.stdout.split()]


DIES_ONCE = """
    from pathlib import Path
    died = Path("DIED")
    if epoch == 10 and not died.exists():
        died.touch()
        raise SystemExit("a process of the group is lost")
"""


@pytest.mark.parametrize(("every", "ran"), [(1000.0, 10 + 30), (0.0, 30)])
def test_what_a_lost_group_does_again_is_counted_once(
    tmp_path: Path, every: float, ran: int
) -> None:
    alone = job(tmp_path / "alone")
    expected = losses(alone.run(30))
    alone.stop()
    dying = DIES_ONCE.replace("DIED", str(tmp_path / "died"))
    head = "def batches(replica, epoch):\n"
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.replace("EVERY", str(every)).replace(head, head + dying))
    running = TorchrunJob([str(script)], FIRST, tmp_path / "run")
    STARTED.append(running)
    tuner = Tuner(Space(Ordinal("workers", [1])), "samples >= 1920")
    follow(running, tuner, lambda config: {**FIRST, **config})
    running.stop()
    assert len(running.restarts) == 1
    assert tuner.iterations == ran
    assert tuner.course.last.iterations[-1].loss == pytest.approx(expected[29], rel=1e-9)


def test_a_tuner_follows_it(tmp_path: Path) -> None:
    space = Space(Ordinal("workers", [1, 2]), Ordinal("accumulation", [1, 2]))
    running = job(tmp_path)
    tuner = Tuner(space, "samples >= 12800", default={"workers": 1, "accumulation": 1})
    follow(running, tuner, lambda config: {**FIRST, **config})
    running.stop()
    assert tuner.done and len(tuner.switches) >= 1


@pytest.mark.parametrize("wrong", [0, 1.5, "two", True])
def test_a_wrong_number_of_workers_is_refused(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(ExecutionError, match="workers is .*; expected a whole number"):
        TorchrunJob(["train.py"], {"workers": wrong}, tmp_path)
