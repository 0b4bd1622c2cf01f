"""Any command can be tuned that reads its setting from a file and reports in JSON lines."""

import sys
import textwrap
from pathlib import Path

import pytest

from tunewise.errors import ExecutionError, MeasurementError
from tunewise.online import Tuner, command, follow
from tunewise.online.command import CommandJob
from tunewise.online.record.reader import Reader
from tunewise.space import Ordinal, Space
from tunewise.storage import open_store

LOOP = """
    import time
    from tunewise.online import Reader
    job = Reader()
    print("a line of its own")
    for number in range(10_000):
        time.sleep(0.002)
        job.report(loss=1 / (1 + number), samples=job.setting["batch"])
        if job.changed:
            job.switched()
        if job.setting["batch"] == 13:
            raise SystemExit("batch 13 does not fit")
"""


def job(tmp_path: Path, text: str = LOOP, restart: bool = False) -> CommandJob:
    script = tmp_path / "loop.py"
    script.write_text(textwrap.dedent(text))
    return CommandJob(
        [sys.executable, str(script)], {"batch": 8}, tmp_path / "run", restart=restart
    )


def test_a_command_reports_its_iterations(tmp_path: Path) -> None:
    running = job(tmp_path)
    told = running.run(5)
    running.stop()
    assert [each.samples for each in told] == [8] * 5
    assert told[1].loss == pytest.approx(0.5)
    assert all(each.seconds > 0 for each in told)


def test_a_command_goes_over_to_another_setting(tmp_path: Path) -> None:
    running = job(tmp_path)
    running.run(3)
    switch = running.switch({"batch": 16})
    told = running.run(2)
    running.stop()
    assert switch.kinds == {"batch"}
    assert {each.samples for each in switch.finished} <= {8.0}
    assert [each.samples for each in told] == [16, 16]


def test_a_command_that_cannot_change_is_started_again(tmp_path: Path) -> None:
    running = job(tmp_path, LOOP.replace("if job.changed", "if False"), restart=True)
    running.run(3)
    running.switch({"batch": 16})
    told = running.run(1)
    running.stop()
    assert told[0].samples == 16 and told[0].loss == 1.0


def test_a_setting_that_ends_the_command_is_refused_and_the_last_one_goes_on(
    tmp_path: Path,
) -> None:
    failing = LOOP.replace("job.switched()", "job.setting = job._read()[1]")
    running = job(tmp_path, failing)
    running.run(3)
    with pytest.raises(ExecutionError, match="batch 13 does not fit"):
        running.switch({"batch": 13})
    told = running.run(2)
    running.stop()
    assert [each.samples for each in told] == [8, 8]


def test_a_command_that_ends_too_early_says_why(tmp_path: Path) -> None:
    running = job(tmp_path, "raise SystemExit('out of data')")
    with pytest.raises(ExecutionError, match="code 1 before the training was done:\nout of data"):
        running.run(1)


def test_a_command_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="'no-such-program' cannot be started"):
        CommandJob(["no-such-program"], {}, tmp_path)


def test_a_reader_outside_of_a_training_says_what_to_run() -> None:
    with pytest.raises(ExecutionError, match="run this command with `tunewise train`"):
        Reader()


DYING = """
    import json, os, sys, time
    read = lambda: json.load(open(os.environ["TUNEWISE_SETTING"]))
    told, done = read(), 0
    while True:
        time.sleep(0.002)
        if told["setting"]["batch"] == 16 and done % 3 == 0:
            sys.exit(3)
        done += 1
        print(json.dumps({"loss": 1 / done, "samples": told["setting"]["batch"]}), flush=True)
        if read() != told:
            told = read()
            print(json.dumps({"setting": told["number"]}), flush=True)
"""


@pytest.mark.parametrize("restart", [False, True])
def test_a_setting_that_ends_the_command_while_it_is_tried_is_taken_back(
    tmp_path: Path, restart: bool
) -> None:
    text = DYING.replace("if read() != told", "if False") if restart else DYING
    running, store = job(tmp_path, text, restart), open_store(None)
    space = Space(Ordinal("batch", [8, 16]))
    tuner = Tuner(space, "samples >= 1600", default={"batch": 8}, storage=store, name="a", each=5)
    follow(running, tuner)
    running.stop()
    assert tuner.done and tuner.setting == {"batch": 8}
    refused = [each["refused"] for each in store.runs().events("a") if "refused" in each]
    assert len(refused) == 1 and "ended with code 3" in refused[0]
    assert "batch=16 failed: the command ended with code 3" in " ".join(
        each.why for each in tuner.believed
    )


def test_a_command_that_dies_under_its_first_setting_is_an_error(tmp_path: Path) -> None:
    running = job(tmp_path, DYING.replace("== 16 and done % 3 == 0", "== 8 and done == 4"))
    with pytest.raises(ExecutionError, match="code 3 before the training was done"):
        follow(running, Tuner(Space(Ordinal("batch", [8, 16])), "loss <= 0.1"))


def test_a_command_that_ignores_its_setting_is_told_what_to_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_UNANSWERED", 0.05)
    monkeypatch.setattr(command, "_IGNORED", 10)
    deaf = """
        import time
        while True:
            time.sleep(0.002)
            print('{"loss": 0.5, "samples": 8}', flush=True)
    """
    running = job(tmp_path, deaf)
    running.run(2)
    with pytest.raises(MeasurementError, match=r'without {"setting": 1}; expected it to print'):
        running.switch({"batch": 16})
    with pytest.raises(ExecutionError, match="ended with code"):
        running.run(10_000)


def test_what_an_earlier_run_complained_of_is_not_shown_again(tmp_path: Path) -> None:
    for number in range(2):
        running = job(tmp_path, f"raise SystemExit('complaint {number}')")
        with pytest.raises(ExecutionError) as told:
            running.run(1)
    assert "complaint 1" in str(told.value) and "complaint 0" not in str(told.value)
