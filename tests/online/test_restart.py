"""A job that dies and is started again does anew what its last checkpoint does not hold."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tunewise
from tests.online.forced import Forced
from tunewise.errors import ExecutionError
from tunewise.execution.training.command import CommandJob
from tunewise.execution.training.reconfigurable import StartedAgain
from tunewise.online import Iteration, Switch, Tuner, follow
from tunewise.online.torchrun import TorchrunJob
from tunewise.space import Config, Ordinal, Space
from tunewise.storage import open_store

SPACE = Space(Ordinal("workers", [0, 1]))


class Job:
    """Goes over to nothing: each try to do so ends it, and it is started again.

    An iteration takes 0.1 s and goes through 10 samples. It keeps a checkpoint with each iteration
    that is in `keeps`, on the same line of what it says.
    """

    def __init__(self, *keeps: int, finished: int = 0, kept: int | None = None) -> None:
        self.checkpoints = self.unkept = self.ran = 0
        self.keeps, self.finished, self.kept = keeps, finished, kept

    def run(self, iterations: int) -> list[Iteration]:
        return [self._iteration() for _ in range(iterations)]

    def _iteration(self) -> Iteration:
        self.ran += 1
        self.unkept += 1
        if self.ran in self.keeps:
            self.checkpoints, self.unkept = self.checkpoints + 1, 0
        return Iteration(float("nan"), 0.1, 10.0)

    def switch(self, setting: Config) -> Switch:
        late = tuple(self._iteration() for _ in range(self.finished))
        if self.kept is not None:
            self.checkpoints += 1
        raise StartedAgain("out of memory", Switch(frozenset(), 3.0, late, self.kept))

    def checkpoint(self, folder: Path) -> None:
        raise AssertionError("it keeps its own")

    def restore(self, folder: Path) -> bool:
        return True


def tuner(samples: int = 600) -> Tuner:
    until, store = f"samples >= {samples}", open_store(None)
    return Tuner(SPACE, until, manager=Forced(SPACE), storage=store, name="a")


def ran(job: Job, told: Tuner) -> int:
    """Iterations that the job had run when its switch failed."""
    counted: list[int] = []

    def look(now: Tuner) -> None:
        if not counted and now.course.refused:
            counted.append(job.ran)

    follow(job, told, look=look)
    return counted[0]


@pytest.mark.parametrize(
    ("keeps", "finished", "kept", "safe"),
    [
        ((), 0, None, lambda died: 0),
        ((), 3, None, lambda died: 0),
        ((2,), 0, None, lambda died: 2),
        ((2,), 3, 1, lambda died: died - 2),
        ((2,), 3, 3, lambda died: died),
        ((2,), 0, 0, lambda died: died),
    ],
    ids=["none", "none, late", "early", "meanwhile", "all", "at the end"],
)
def test_a_job_that_dies_in_a_switch_does_again_what_is_not_kept(
    keeps: tuple[int, ...],
    finished: int,
    kept: int | None,
    safe: Callable[[int], int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    job, told = Job(*keeps, finished=finished, kept=kept), tuner()
    died = ran(job, told)
    assert told.done and told.setting == {"workers": 0}
    assert job.ran == died + 60 - safe(died)
    assert told.iterations == job.ran
    assert told.seconds == pytest.approx(0.1 * job.ran + 3.0)
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)
    assert [each.seconds for each in told.switches] == pytest.approx([0.1, 0.1])
    assert [each.reconfiguration for each in told.switches] == [0.0, 3.0]
    warned = "no checkpoint of it was told of" in caplog.text
    assert warned == (not keeps)


def test_a_training_that_ends_before_its_job_dies_is_done() -> None:
    job, told = Job(finished=60), tuner()
    died = ran(job, told)
    assert told.done and job.ran == died
    assert told.setting == {"workers": 0}


class Revived(Job):
    """Had died when it was told of another setting, and is started with that."""

    def switch(self, setting: Config) -> Switch:
        late = tuple(self._iteration() for _ in range(self.finished))
        return Switch(frozenset({"workers"}), 3.0, late, again=self.ran < 60)


@pytest.mark.parametrize(("keeps", "safe"), [((), 0), ((2,), 2)])
def test_a_job_that_died_unnoticed_does_again_what_is_not_kept(
    keeps: tuple[int, ...], safe: int
) -> None:
    job, told = Revived(*keeps, finished=1), tuner()
    counted: list[int] = []

    def look(now: Tuner) -> None:
        if not counted and len(now.course.segments) > 1:
            counted.append(job.ran)
            assert now.course.watch.samples == 10 * safe and now.setting == {"workers": 1}

    follow(job, told, look=look)
    assert told.done and job.ran == counted[0] + 60 - safe
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)


class Stuck(Job):
    """Stays alive where a switch fails."""

    def switch(self, setting: Config) -> Switch:
        raise ExecutionError("no node is left")


def test_a_job_that_stays_alive_loses_nothing() -> None:
    job, told = Stuck(), tuner()
    ran(job, told)
    assert told.done and job.ran == 60


def test_an_iteration_on_the_line_of_a_checkpoint_is_in_it() -> None:
    store = open_store(None)
    told = Tuner(Space(Ordinal("workers", [0])), "samples >= 200", storage=store, name="a")
    follow(Job(7), told)
    events = store.runs().events("a")
    assert sum("reported" in each for each in events[: events.index({"saved": True})]) == 7


@pytest.mark.parametrize("step", [2, 5])
def test_of_several_iterations_those_before_the_checkpoint_are_in_it(step: int) -> None:
    store = open_store(None)
    told = Tuner(Space(Ordinal("workers", [0])), "samples >= 200", storage=store, name="a")
    follow(Job(7), told, step=step)
    events = store.runs().events("a")
    assert sum("reported" in each for each in events[: events.index({"saved": True})]) == 7


class Alive:
    """Fails in its first try of another setting, goes back, and has lost nothing."""

    def __init__(self) -> None:
        self.setting: Config = {"workers": 0}
        self.ran = 0

    def run(self, iterations: int) -> list[Iteration]:
        if self.setting["workers"]:
            raise ExecutionError("it stands still")
        self.ran += iterations
        return [Iteration(float("nan"), 0.1, 10.0)] * iterations

    def switch(self, setting: Config) -> Switch:
        self.setting = setting
        return Switch(frozenset({"workers"}), 1.0)

    def checkpoint(self, folder: Path) -> None:
        """Kept."""

    def restore(self, folder: Path) -> bool:
        return False


def test_a_job_without_any_checkpoint_goes_on_from_itself() -> None:
    job, told = Alive(), tuner()
    follow(job, told)
    assert told.done and job.ran == 60
    assert told.seconds == pytest.approx(0.1 * 60 + 2.0)
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)


class Reborn(Job):
    """Dies once, after so many iterations, and starts itself again from its last checkpoint."""

    def __init__(self, *keeps: int, dies: int) -> None:
        super().__init__(*keeps)
        self.dies, self.restarts, self.went = dies, list[float](), list[Config]()

    def run(self, iterations: int) -> list[Iteration]:
        told: list[Iteration] = []
        while len(told) < iterations:
            if self.ran == self.dies and not self.restarts:
                self.restarts.append(2.0)
                break
            told.append(self._iteration())
        return told

    def switch(self, setting: Config) -> Switch:
        self.went.append(setting)
        return Switch(frozenset({"workers"}), 0.0)


@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize(("keeps", "safe"), [((), 0), ((7,), 7), ((10,), 10)])
def test_what_a_job_that_starts_itself_again_has_not_kept_counts_once(
    keeps: tuple[int, ...], safe: int, step: int, caplog: pytest.LogCaptureFixture
) -> None:
    job = Reborn(*keeps, dies=10)
    told = Tuner(Space(Ordinal("workers", [0])), "samples >= 600", storage=None)
    follow(job, told, step=step)
    assert told.done and told.iterations == 10 + 60 - safe
    assert told.seconds == pytest.approx(0.1 * told.iterations + 2.0)
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)
    assert ("no checkpoint of it was told of" in caplog.text) == (not keeps)


def test_a_job_that_starts_itself_again_before_a_switch_still_makes_it() -> None:
    job, told = Reborn(dies=5), tuner()
    seen: list[float] = []
    follow(job, told, step=6, look=lambda now: seen.append(now.course.watch.samples))
    assert job.went[0] == {"workers": 1} and seen[0] == 0.0
    assert told.switches[1].setting == {"workers": 1}
    assert told.done and job.ran == 5 + 60


def told_of_a_change() -> Tuner:
    """A training of 0.1 s an iteration with a checkpoint after its second, about to switch."""
    told = tuner()
    while not told.changed:
        told.report(0.5, samples=10, seconds=0.1)
        if told.iterations == 2:
            told.saved()
    return told


def test_what_has_to_be_done_again_is_part_of_what_a_switch_costs() -> None:
    told = told_of_a_change()
    done = told.iterations
    told.switched(frozenset({"workers"}), 3.0, again=True)
    assert told.course.watch.samples == 20
    expected = told.course.costs.expected({"workers": 0}, {"workers": 1})
    assert expected == pytest.approx(3.0 + 0.1 * (done - 2))
    assert told.seconds == pytest.approx(3.0 + 0.1 * done), "it has not been done again yet"


def test_a_start_from_a_checkpoint_of_everything_changes_nothing() -> None:
    told = told_of_a_change()
    done = told.iterations
    told.saved()
    told.switched(frozenset({"workers"}), 3.0, again=True)
    assert told.course.watch.samples == 10 * done and told.loss == 0.5
    assert told.course.costs.expected({"workers": 0}, {"workers": 1}) == pytest.approx(3.0)


STEPS = """
import json, os, signal, sys, time
from pathlib import Path

say = lambda **said: print(json.dumps(said), flush=True)
asked_to_end = []
signal.signal(signal.SIGTERM, lambda *_: asked_to_end.append(True))
file = Path(os.environ["TUNEWISE_SETTING"]).with_name("kept")
step = int(file.read_text()) if file.exists() else 0
while True:
    time.sleep(0.002)
    if asked_to_end:
        sys.exit()
    step += 1
    say(loss=step, samples=8)
    if step % 7 == 0:
        file.write_text(str(step))
        say(checkpoint=True)
"""


def test_a_command_that_is_started_again_for_a_setting_counts_each_step_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "loop.py").write_text(STEPS)
    arguments = [sys.executable, str(tmp_path / "loop.py")]
    job = CommandJob(arguments, {"workers": 0}, tmp_path / "run", restart=True)
    try:
        told = tuner(1600)
        follow(job, told)
    finally:
        job.stop()
    assert told.done and len(told.switches) > 1
    assert told.course.last.iterations[-1].loss == 1600 / 8, "its own count of its steps"


LOST = """
import os
from pathlib import Path
from tunewise.online import Reader

job, file = Reader(), Path(os.environ["TUNEWISE_CHECKPOINT"])
step, died = int(file.read_text()) if file.exists() else 0, file.with_name("died")
while True:
    step += 1
    job.report(loss=step, samples=8)
    if step % 7 == 0:
        file.write_text(str(step))
        job.saved()
    if step == 10 and not died.exists():
        died.touch()
        raise SystemExit("a process of the group is lost")
"""


@pytest.mark.parametrize("step", [1, 4])
def test_a_group_that_lost_a_process_counts_each_step_once(tmp_path: Path, step: int) -> None:
    # What starts the group stands in for PyTorch's own, which starts several of them.
    starter = tmp_path / "torch" / "distributed" / "run.py"
    starter.parent.mkdir(parents=True)
    for package in (starter.parent, starter.parent.parent):
        (package / "__init__.py").write_text("")
    starter.write_text("import runpy, sys\nrunpy.run_path(sys.argv[-1], run_name='__main__')\n")
    (tmp_path / "train.py").write_text(LOST)
    ours = str(Path(tunewise.__file__).parents[1])
    paths = {"PYTHONPATH": os.pathsep.join([str(tmp_path), ours])}
    script = [str(tmp_path / "train.py")]
    job = TorchrunJob(script, {"workers": 1}, tmp_path / "run", environment=paths)
    try:
        told = Tuner(Space(Ordinal("workers", [1])), "samples >= 1600")
        follow(job, told, step=step)
    finally:
        job.stop()
    assert len(job.restarts) == 1 and job.restarts[0] > 0
    assert told.iterations == 10 + 200 - 7
    assert told.course.last.iterations[-1].loss == 200, "its own count of its steps"
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)


SLOW_TO_START = """
import json, sys, time
time.sleep(0.4)
while True:
    time.sleep(0.1 / (1 + 9 * int(sys.argv[1])))
    print(json.dumps({"samples": 1}), flush=True)
"""


def test_the_start_of_a_command_is_no_fault_of_its_setting_which_it_is_given(
    tmp_path: Path,
) -> None:
    (tmp_path / "loop.py").write_text(SLOW_TO_START)
    command = [sys.executable, str(tmp_path / "loop.py"), "{workers}"]
    job = CommandJob(command, {"workers": 0}, tmp_path / "run", restart=True)
    told = Tuner(SPACE, "samples >= 60", manager=Forced(SPACE))
    try:
        follow(job, told)
    finally:
        job.stop()
    slow, fast = told.switches
    assert fast.seconds < slow.seconds
    assert fast.reconfiguration > 0.3


@pytest.mark.parametrize(("tries", "says"), [(0.05, True), (0.09, False), (0.0, False)])
def test_a_training_in_which_no_try_fits_says_so(
    caplog: pytest.LogCaptureFixture, tries: float, says: bool
) -> None:
    now = [0.0]
    space = Space(Ordinal("workers", [0, 1, 3]))
    tuner = Tuner(space, "samples >= 500", tries=tries, clock=lambda: now[0])
    for setting in tuner:
        now[0] += 2.0
        while not tuner.changed:
            now[0] += 0.1 / (1 + int(setting["workers"]))
            tuner.report(samples=1)
    told = [each for each in caplog.messages if "no other setting was tried" in each]
    assert bool(told) == says
    if says:
        assert told == [
            "no other setting was tried: a switch and its way back take 4 s, and tries may cost"
            " 5 % of the training; tries=0.09 would allow one"
        ]
