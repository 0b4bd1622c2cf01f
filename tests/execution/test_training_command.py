"""Any command can be tuned that reads its setting from a file and reports in JSON lines."""

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.online.forced import Forced
from tunewise.errors import ExecutionError, MeasurementError
from tunewise.execution.training import command
from tunewise.execution.training.command import CommandJob
from tunewise.online import Tuner, follow
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


STARTED: list[CommandJob] = []


@pytest.fixture(autouse=True)
def no_command_outlives_its_test() -> Iterator[None]:
    yield
    while STARTED:
        STARTED.pop().stop()


def job(tmp_path: Path, text: str = LOOP, restart: bool = False) -> CommandJob:
    script = tmp_path / "loop.py"
    script.write_text(textwrap.dedent(text))
    arguments = [sys.executable, str(script)]
    STARTED.append(CommandJob(arguments, {"batch": 8}, tmp_path / "run", restart=restart))
    return STARTED[-1]


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


def test_a_command_that_hangs_under_a_try_is_ended_at_its_limit(tmp_path: Path) -> None:
    hangs = LOOP.replace("if job.changed", "if False")
    hangs = hangs.replace('raise SystemExit("batch 13 does not fit")', "time.sleep(999)")
    running = job(tmp_path, hangs, restart=True)
    running.run(1)
    running.switch({"batch": 13})
    running.run(1)
    running.limit = 0.2
    with pytest.raises(ExecutionError, match="no iteration came to its end within 200 ms"):
        running.run(1)
    running.limit = 60.0
    running.switch({"batch": 8})
    assert running.run(1)[0].samples == 8


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
    tuner = Tuner(space, "samples >= 1600", storage=store, name="a", manager=Forced(space))
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


KEEPING = """
    import json, os, signal, sys, time
    say = lambda **said: print(json.dumps(said), flush=True)
    read = lambda: json.load(open(os.environ["TUNEWISE_SETTING"]))
    asked_to_end = []
    signal.signal(signal.SIGTERM, lambda *_: asked_to_end.append(True))
    told = read()
    while True:
        time.sleep(0.002)
        if asked_to_end:
            say(loss=0.5, samples=100)
            say(checkpoint=True)
            say(loss=0.5, samples=1)
            sys.exit(LEAVES)
        say(loss=0.5, samples=8)
        if not RESTART and read() != told:
            told = read()
            say(loss=0.5, samples=100)
            say(checkpoint=True)
            say(loss=0.5, samples=1)
            say(setting=told["number"])
"""


@pytest.mark.parametrize("restart", [False, True])
def test_a_checkpoint_that_is_told_of_during_a_switch_counts(tmp_path: Path, restart: bool) -> None:
    text = KEEPING.replace("RESTART", str(restart)).replace("LEAVES", "0")
    running, store = job(tmp_path, text, restart), open_store(None)
    space = Space(Ordinal("batch", [8, 16]))
    tuner = Tuner(space, "samples >= 4000", storage=store, name="a", manager=Forced(space))
    follow(running, tuner)
    running.stop()
    events = store.runs().events("a")
    at = events.index({"saved": True})
    # Between the iteration that it holds and the one that it does not.
    assert [each["earlier"][2] for each in (events[at - 1], events[at + 1])] == [100, 1]


def test_a_command_that_died_unnoticed_has_its_last_words_heard(tmp_path: Path) -> None:
    text = KEEPING.replace("RESTART", "False").replace("LEAVES", "3")
    running = job(tmp_path, text)
    running.run(1)
    process = running._process
    assert process is not None
    process.terminate()
    process.wait()
    switch = running.switch({"batch": 16})
    running.stop()
    samples = [each.samples for each in switch.finished]
    assert samples[-2:] == [100, 1] and switch.kept == len(samples) - 1


def test_a_checkpoint_before_a_try_fails_is_where_the_training_goes_on(tmp_path: Path) -> None:
    text = DYING.replace(
        "sys.exit(3)", "(print('{\"checkpoint\": true}', flush=True), sys.exit(3))"
    )
    running, store = job(tmp_path, text), open_store(None)
    space = Space(Ordinal("batch", [8, 16]))
    tuner = Tuner(space, "samples >= 1600", storage=store, name="a", manager=Forced(space))
    follow(running, tuner)
    running.stop()
    events = store.runs().events("a")
    assert "refused" in events[events.index({"saved": True}) + 1]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('{"loss": true}', "{'loss': True}; expected a number as its loss"),
        ('{"loss": "0.3"}', "{'loss': '0.3'}; expected a number as its loss"),
        ('{"samples": [3]}', "{'samples': [3]}; expected a number as its samples"),
        ('{"samples": 1e400}', "{'samples': inf}; expected finite seconds and samples"),
        ('{"samples": 1, "seconds": -1}', "expected finite seconds and samples, not below 0"),
        (f'{{"samples": {10**400}}}', "expected a number as its samples"),
    ],
)
def test_what_is_no_number_is_not_taken_for_one(tmp_path: Path, said: str, told: str) -> None:
    running = job(tmp_path, f"print({said!r}, flush=True)")
    with pytest.raises(MeasurementError, match=re.escape(told)):
        running.run(1)
    running.stop()


def test_what_a_shell_waits_for_is_ended_before_the_next_one_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_LAST_WORDS", 1.0)
    text = KEEPING.replace("RESTART", "True").replace("LEAVES", "0")
    script = tmp_path / "loop.py"
    slow = text.replace("if asked_to_end:", "if asked_to_end and not time.sleep(3.0):")
    script.write_text(textwrap.dedent(slow))
    shell = ["sh", "-c", f"{sys.executable} {script}; true"]
    running = CommandJob(shell, {"batch": 8}, tmp_path / "run", restart=True)
    STARTED.append(running)
    running.run(1)
    switch = running.switch({"batch": 16})
    running.stop()
    assert [each.samples for each in switch.finished][-2:] == [100, 1], "its last words are heard"


IN_A_SWITCH = """
    import json, os, sys, time
    read = lambda: json.load(open(os.environ["TUNEWISE_SETTING"]))
    told = read()
    while True:
        time.sleep(0.002)
        print(json.dumps({"samples": 8}), flush=True)
        if read()["number"] != told["number"]:
            print(json.dumps({"samples": 100, "seconds": 2.0}), flush=True)
            sys.exit("batch 16 does not fit")
"""


@pytest.mark.parametrize("keeps", [False, True])
def test_a_command_that_dies_in_a_switch_does_again_what_is_not_kept(
    tmp_path: Path, keeps: bool
) -> None:
    # The checkpoint stands on the line of the iteration that it holds.
    text = (
        IN_A_SWITCH.replace('"seconds"', '"checkpoint": True, "seconds"') if keeps else IN_A_SWITCH
    )
    running, store = job(tmp_path, text), open_store(None)
    space = Space(Ordinal("batch", [8, 16]))
    tuner = Tuner(space, "samples >= 1600", storage=store, name="a", manager=Forced(space))
    follow(running, tuner)
    running.stop()
    events = store.runs().events("a")
    at = next(i for i, each in enumerate(events) if "refused" in each)
    before = sum((each.get("reported") or each["earlier"])[2] for each in events[:at] if _ran(each))
    assert next(each["earlier"] for each in reversed(events[:at]) if "earlier" in each)[1:] == [
        2.0,
        100.0,
    ], "what it said last is heard"
    assert events[at + 1] == {"resumed": before if keeps else 0.0}
    assert events[at + 2]["switched"] > 0
    again = sum(each["reported"][2] for each in events[at:] if "reported" in each)
    assert tuner.done and again >= 1600 - before * keeps
    assert tuner.cost_at(lambda _: 3600.0) == pytest.approx(tuner.seconds)


def _ran(event: dict[str, object]) -> bool:
    return "reported" in event or "earlier" in event


def test_a_checkpoint_is_told_before_after_or_with_an_iteration(tmp_path: Path) -> None:
    text = """
        import time
        for line in ('{"samples": 1}', '{"checkpoint": true}', '{"samples": 2}',
                     '{"samples": 3, "checkpoint": true}', '{"samples": 4}'):
            print(line, flush=True)
        time.sleep(60)
    """
    running, store = job(tmp_path, text), open_store(None)
    tuner = Tuner(Space(Ordinal("batch", [8])), "samples >= 10", storage=store, name="a")
    follow(running, tuner)
    running.stop()
    told = [
        each["reported"][2] if "reported" in each else "saved"
        for each in store.runs().events("a")
        if "started" not in each
    ]
    assert told == [1, "saved", 2, 3, "saved", 4]
