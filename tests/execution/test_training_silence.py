"""A command that says nothing is waited for aloud, and ever less often."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.execution.test_training_command import LOOP, job, no_command_outlives_its_test
from tunewise.execution.training import command

__all__ = ["no_command_outlives_its_test"]

GO = """
    import json, os, sys, time
    from pathlib import Path
    def wait_for_it():
        while not Path(os.environ["TUNEWISE_SETTING"]).with_name("go").exists():
            time.sleep(0.01)
"""


@contextmanager
def silent_until(folder: Path, enough: Callable[[list[str]], bool]) -> Iterator[list[str]]:
    """Lets a command in the folder go on once enough was said about it, however long that takes."""
    said: list[str] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())
            if enough(said):
                (folder / "run" / "go").touch()

    logger, handler = logging.getLogger("tunewise"), Listening()
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)


def test_a_command_that_never_reports_is_waited_for_aloud_and_ever_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_SILENT", 0.02)
    slow = f"""{GO}
    print("loading data", flush=True)
    wait_for_it()
    while True:
        print('{{"samples": 8}}', flush=True)
        time.sleep(0.1)
    """
    enough = lambda said: len(said) >= 3 and "loading data" in said[-1]  # noqa: E731 - it is short
    with silent_until(tmp_path, enough) as said:
        running = job(tmp_path, slow)
        running.run(1)
        told = len(said)
        running._longest = 100.0  # however busy the machine is from here on
        running._wait_anew(time.perf_counter())
        running.run(2)
    assert len(said) == told, "it has reported"
    assert [each.partition(":")[0] for each in said[:3]] == [
        f"nothing was reported yet, after {after}" for after in ("20 ms", "120 ms", "720 ms")
    ]
    assert 'prints a line such as {"loss": 0.41, "samples": 64}' in said[-1]
    assert f"its stderr is in {tmp_path / 'run' / 'stderr.log'}" in said[-1]
    assert "the last line was 'loading data'" in said[-1]


SILENT_LATER = f"""{GO}
    read = lambda: json.load(open(os.environ["TUNEWISE_SETTING"]))
    told = read()
    if told["setting"]["batch"] == 16:
        wait_for_it()
    for _ in range(3):
        print('{{"samples": 8}}', flush=True)
    while read() == told:
        if SILENT == "report":
            wait_for_it()
            print('{{"samples": 8}}', flush=True)
        time.sleep(0.01)
    wait_for_it()
    print(json.dumps({{"setting": read()["number"]}}), flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("silent", "told"),
    [
        ("report", "for 50 ms: expected that the command prints a line such as"),
        ("switch", 'for 50 ms: expected that the command prints {"setting": 1} once it has gone'),
        ("start", "yet, after 50 ms: expected that the command prints a line such as"),
    ],
)
def test_a_command_that_falls_silent_later_is_waited_for_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silent: str, told: str
) -> None:
    text = SILENT_LATER.replace("SILENT", repr(silent))
    running = job(tmp_path, text, restart=silent == "start")
    running.run(3)
    # However long it took to start: from here on it is known to be quick.
    monkeypatch.setattr(command, "_SILENT", 0.05)
    running._longest = 0.0
    running._wait_anew(time.perf_counter())
    with silent_until(tmp_path, bool) as said:
        if silent != "report":
            running.switch({"batch": 16})
        if silent != "switch":
            running.run(1)
    assert said[0].startswith(f"nothing was reported {told}")
    assert len(said) <= 4, "ever less often: the fifth would come after a minute"


def test_a_command_that_is_always_slow_is_not_complained_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Its first iteration takes long enough for a busy machine to be three times as slow later.
    running = job(tmp_path, LOOP.replace("0.002", "0.2 if number else 2.0"))
    running.run(1)
    monkeypatch.setattr(command, "_SILENT", 0.05)
    running._wait_anew(time.perf_counter())
    running.run(4)
    assert not caplog.records
