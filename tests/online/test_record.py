"""A training whose process dies goes on as if nothing had happened."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.online.landscape import SPACE, Landscape
from tunewise.errors import ExecutionError, StudyError, TunewiseError
from tunewise.online import Iteration, Switch, Tuner, follow
from tunewise.online.record.stored import stored_course
from tunewise.report.training.page import render
from tunewise.space import Config, Ordinal, Space
from tunewise.storage import open_store

UNTIL = "loss <= 0.5"


def tuner(storage: str | None, **options: object) -> Tuner:
    name = "run-7" if storage else None
    return Tuner(SPACE, UNTIL, storage=storage, name=name, each=5, **options)  # type: ignore[arg-type] # a test's own options


def step(job: Landscape, told: Tuner, count: int) -> None:
    for _ in range(count):
        if told.done:
            return
        for each in job.run(1):
            told.report(each.loss, seconds=each.seconds, samples=each.samples)
        if told.changed and not told.done:
            switch = job.switch(told.setting)
            told.switched(switch.kinds, switch.seconds)


def test_a_resumed_training_has_all_that_was_told_before(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    job = Landscape(0)
    first = tuner(storage)
    step(job, first, 200)
    first.saved()
    second = tuner(storage)
    assert second.setting == first.setting
    assert second.seconds == pytest.approx(first.seconds)
    assert second.iterations == first.iterations
    assert second.switches == first.switches
    assert second.believed == first.believed


def test_a_resumed_training_ends_and_stays_done(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    job = Landscape(0)
    step(job, tuner(storage), 100)
    again = tuner(storage)
    step(job, again, 100_000)
    assert again.done
    third = tuner(storage)
    assert third.done and list(third) == []
    assert third.iterations == again.iterations


def test_what_came_after_the_last_checkpoint_is_done_again(tmp_path: Path) -> None:
    space = Space(Ordinal("workers", [0]))
    storage = f"sqlite:///{tmp_path}/runs.db"
    first = Tuner(space, "samples >= 100", storage=storage, name="a")
    for _ in range(4):
        first.report(samples=10, seconds=1)
    first.saved()
    for _ in range(3):
        first.report(samples=10, seconds=1)
    first._record.flush()
    second = Tuner(space, "samples >= 100", storage=storage, name="a")
    for _ in range(5):
        second.report(samples=10, seconds=1)
    assert not second.done
    second.report(samples=10, seconds=1)
    assert second.done and second.seconds == pytest.approx(13)


@pytest.mark.parametrize("end", ["samples >= 100", "loss <= 0.01"])
def test_without_a_checkpoint_samples_count_from_0_and_what_was_measured_stays(
    end: str, caplog: pytest.LogCaptureFixture
) -> None:
    space, store = Space(Ordinal("workers", [0])), open_store(None)
    first = Tuner(space, end, storage=store, name="a")
    for _ in range(7):
        first.report(0.5, samples=10, seconds=1)
    first._record.flush()
    second = Tuner(space, end, storage=store, name="a")
    assert second.course.watch.samples == 0 and not caplog.messages, "it has not gone on yet"
    for _ in range(9):
        second.report(0.5, samples=10, seconds=1)
    assert not second.done
    assert second.seconds == pytest.approx(16) and second.iterations == 16
    assert second.cost_at(lambda _: 3600.0) == pytest.approx(16)
    assert [each.iterations for each in second.switches] == [7, 9]
    said = "its 70 samples so far count from 0 again; a loop tells of each by tuner.saved()"
    assert [said in each for each in caplog.messages] == [True] * (end != "loss <= 0.01")


def test_a_checkpoint_that_is_gone_is_counted_from_no_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    space, store = Space(Ordinal("workers", [0])), open_store(None)
    for number in range(3):
        told = Tuner(space, "samples >= 100", storage=store, name="a")
        if number:
            told.lost()
            assert told.course.watch.samples == 0
        told.report(samples=10, seconds=1)
        if not number:
            told.saved()
        told._record.flush()
    gone = "the checkpoint of the training is gone: it begins anew, and samples count from 0"
    assert caplog.messages[0] == gone
    assert "its 10 samples so far count from 0 again" in caplog.messages[1]
    assert stored_course(store.runs(), "a").watch.samples == 10


def test_another_default_leaves_a_training_as_it_began(caplog: pytest.LogCaptureFixture) -> None:
    space, store = Space(Ordinal("workers", [1, 2, 4])), open_store(None)

    def opened(workers: int) -> Tuner:
        return Tuner(
            space, "samples >= 90", default={"workers": workers}, storage=store, name="a", each=50
        )

    first = opened(1)
    for _ in range(4):
        first.report(0.5, samples=10, seconds=1)
    first.saved()
    assert not caplog.messages
    again = opened(4)
    assert again.setting == {"workers": 1} and again.switches == first.switches
    assert caplog.messages == [
        "the training 'a' began with workers=1 and goes on from there: its default, which is"
        " workers=4 now, is for one that begins; expected the same, or another name"
    ]
    for _ in range(5):
        again.report(0.5, samples=10, seconds=1)
    assert again.done
    assert opened(2).setting == {"workers": 1}
    assert stored_course(store.runs(), "a").setting == {"workers": 1}


def test_a_killed_process_loses_no_decision(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    script = textwrap.dedent(
        f"""
        from tests.online.landscape import Landscape
        from tests.online.test_record import step, tuner
        job, told = Landscape(0), tuner({storage!r})
        while True:  # each time that it is asked: it may not end before it is looked at
            input()
            step(job, told, 1)
            print(told.iterations, len(told.course.segments), flush=True)
        """
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=pipe, stdout=pipe, text=True, cwd=Path.cwd()
    ) as process:
        iterations = switches = 0
        while switches < 3 or iterations <= 40:
            iterations, switches = _asked(process)
        with pytest.raises(StudyError, match=f"goes on in another process, process {process.pid}"):
            tuner(storage)
        assert _asked(process)[0] > iterations, "the first one goes on"
        os.kill(process.pid, signal.SIGKILL)
    again = tuner(storage)
    assert len(again.course.segments) >= switches
    assert again.iterations >= 30


def _asked(process: "subprocess.Popen[str]") -> tuple[int, int]:
    """Its iterations and settings after one more iteration."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    iterations, settings = map(int, process.stdout.readline().split())
    return iterations, settings


def test_a_storage_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="needs a name"):
        Tuner(SPACE, UNTIL, storage=f"sqlite:///{tmp_path}/runs.db")


def test_a_name_without_a_storage_is_refused_instead_of_kept_nowhere() -> None:
    with pytest.raises(StudyError, match="'run-7', but nothing is kept without a storage"):
        Tuner(SPACE, UNTIL, name="run-7")


class KeepsItself(Landscape):
    """Tells of a checkpoint of its own after its 40th iteration."""

    checkpoints, ran = 0, 0

    def run(self, iterations: int) -> list[Iteration]:
        self.checkpoints += self.ran == 40
        self.ran += iterations
        return super().run(iterations)


def test_a_job_that_keeps_its_own_checkpoints_is_saved_when_it_says_so(tmp_path: Path) -> None:
    store = open_store(None)
    told = Tuner(SPACE, "loss <= 0.9", storage=store, name="a", each=5)
    follow(KeepsItself(0), told, folder=tmp_path, every=0.1)
    events = store.runs().events("a")
    [at] = [i for i, each in enumerate(events) if "saved" in each]
    assert sum("reported" in each or "earlier" in each for each in events[:at]) == 40
    assert not list(tmp_path.iterdir()), "the job was asked for none"


def test_another_space_under_the_same_name_is_refused(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    tuner(storage).report(1.0, seconds=1.0)
    with pytest.raises(StudyError, match="another space"):
        Tuner(Space(Ordinal("workers", [1])), UNTIL, storage=storage, name="run-7")


def test_a_start_that_was_refused_does_not_keep_its_name(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    for wrong in ({"manager": "pcae"}, {"each": 0}, {"seed": -1}):
        with pytest.raises(TunewiseError):
            Tuner(SPACE, UNTIL, storage=storage, name="b", **wrong)
    assert open_store(storage).runs().names() == []
    tuner(storage, price=lambda _: 1.0, deadline=90)  # a name that nothing was reported under
    space = Space(Ordinal("workers", [1, 2]))
    for until, first in (("samples >= 20", 1), ("samples >= 30", 1), ("samples >= 30", 2)):
        told = Tuner(space, until, default={"workers": first}, storage=storage, name="run-7")
    assert stored_course(open_store(storage).runs(), "run-7").setting == {"workers": 2}
    told.report(samples=10, seconds=1)
    again = Tuner(space, "samples >= 30", default={"workers": 1}, storage=storage, name="run-7")
    assert again.iterations == 1  # what was reported stays


def test_a_training_that_waits_for_its_first_report_keeps_its_name(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    script = f"from tests.online.test_record import tuner; tuner({storage!r}); print(input())"
    with subprocess.Popen(  # it ends when its input does, whatever fails here
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as waiting:
        while not (tmp_path / "runs.db").exists() or not open_store(storage).runs().names():
            assert waiting.poll() is None
            time.sleep(0.05)
        with pytest.raises(StudyError, match=f"goes on in another process, process {waiting.pid}"):
            Tuner(Space(Ordinal("workers", [1])), UNTIL, storage=storage, name="run-7")
        waiting.communicate("end\n")
    assert (
        Tuner(Space(Ordinal("workers", [1])), UNTIL, storage=storage, name="run-7").space.size == 1
    )


class Stubborn(Landscape):
    """Cannot go over to servers=8."""

    def switch(self, setting: Config) -> Switch:
        if setting["servers"] == 8:
            raise ExecutionError("no node is left")
        return super().switch(setting)


def test_a_switch_that_fails_goes_back_and_is_not_tried_again(tmp_path: Path) -> None:
    job, store = Stubborn(0), open_store(None)
    told = Tuner(SPACE, "loss <= 0.3", storage=store, name="a", each=5)
    follow(job, told, folder=tmp_path, every=5.0)
    assert told.done and (tmp_path / "kept").exists()
    assert all(each.setting["servers"] != 8 for each in told.switches)
    refused = [each for each in store.runs().events("a") if "refused" in each]
    assert refused and refused[0] == {"refused": "no node is left"}


def test_iterations_that_ended_late_belong_to_the_setting_of_before() -> None:
    space = Space(Ordinal("workers", [0, 1]))
    told = Tuner(space, "samples >= 1000", default={"workers": 0}, each=5)
    while not told.changed:
        told.report(samples=10, seconds=0.1)
    late = [Iteration(float("nan"), 0.2, 10.0)] * 3
    told.switched(frozenset({"workers"}), 0.5, late)
    assert [each.iterations for each in told.switches] == [23]
    told.report(samples=10, seconds=0.05)
    assert [each.iterations for each in told.switches] == [23, 1]
    assert [each.first for each in told.switches] == [0, 23]


def test_a_training_that_ends_in_a_switch_names_the_setting_that_ran() -> None:
    space, store = Space(Ordinal("workers", [0, 1])), open_store(None)
    told = Tuner(space, "samples >= 1000", default={"workers": 0}, each=5, storage=store, name="a")
    while not told.changed:
        told.report(samples=10, seconds=0.1)
    assert told.setting == {"workers": 1} and not told.done
    told.switched(frozenset({"workers"}), 0.5, [Iteration(float("nan"), 0.2, 400.0)] * 3)
    assert told.done and told.setting == {"workers": 0}
    assert told.per_iteration == pytest.approx(0.1)
    assert stored_course(store.runs(), "a").setting == {"workers": 0}
    assert "Done, under workers=0." in render("a", told)


@pytest.mark.parametrize("by", ["loop", "follow"])
def test_an_interruption_loses_no_report(tmp_path: Path, by: str) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    space = Space(Ordinal("workers", [1]))

    class Job:
        ran = 0

        def run(self, iterations: int) -> list[Iteration]:
            if self.ran == 120:
                raise KeyboardInterrupt
            self.ran += 1
            return [Iteration(float("nan"), 0.1, 10.0)]

        def switch(self, setting: Config) -> Switch:
            raise AssertionError("there is one setting")

        def checkpoint(self, folder: Path) -> None:
            """Nothing is kept."""

        def restore(self, folder: Path) -> bool:
            return False

    told = Tuner(space, "samples >= 5000", storage=storage, name="a")
    with pytest.raises(KeyboardInterrupt):
        if by == "follow":
            follow(Job(), told)
        for _ in told:
            for _ in range(120):
                told.report(samples=10, seconds=0.1)
            raise KeyboardInterrupt
    assert stored_course(open_store(storage).runs(), "a").iterations == 120
