"""Which tests reach which function, and what each test takes of a processor."""

import hashlib
import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SLOW = 2.0
"""Seconds of a processor after which a test is ended and left out: with many mutants, none has
time for it."""


@dataclass(frozen=True)
class Reached:
    """What one test did without any change.

    Attributes:
        functions: What it called, as mutmut calls them.
        seconds: Of a processor.
    """

    functions: frozenset[str]
    seconds: float


class Recorder:
    """Asks mutmut's switches which functions each test calls; what does not pass is left out."""

    def __init__(self) -> None:
        self.reached: dict[str, dict[str, Any]] = {}
        self.left_out: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Count the calls and the time of one test."""
        from mutmut.state import state

        state()._stats.clear()
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SLOW)
        done = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        if item.nodeid not in self.left_out:
            self.reached[item.nodeid] = {
                "functions": sorted(state()._stats),
                "seconds": time.process_time() - began,
            }
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what failed, was skipped or took too long without any change."""
        if not report.passed:
            self.left_out.add(report.nodeid)


class Reach:
    """What every test reaches, kept in a file: a file of tests is run again when it changes."""

    def __init__(self, saved: Path) -> None:
        self._saved = saved
        self._files: dict[str, dict[str, Any]] = (
            json.loads(saved.read_text()) if saved.exists() else {}
        )

    @property
    def marks(self) -> dict[str, str]:
        """By file of tests, a word that changes with it."""
        return {file: told["mark"] for file, told in self._files.items()}

    @property
    def tests(self) -> dict[str, Reached]:
        """By test, what it did."""
        return {
            test: Reached(frozenset(told["functions"]), told["seconds"])
            for file in self._files.values()
            for test, told in file["tests"].items()
        }

    def measure(self, files: dict[str, list[pytest.Item]]) -> None:
        """Run the tests of each file that has changed, in a process of its own."""
        for file, items in files.items():
            mark = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12]
            if self._files.get(file, {}).get("mark") == mark:
                continue
            self._files[file] = {"mark": mark, "tests": _recorded(items)}
            self._saved.write_text(json.dumps(self._files))
        self._files = {file: told for file, told in self._files.items() if file in files}


def _recorded(items: list[pytest.Item]) -> dict[str, Any]:
    """What each of the tests of one file reaches."""
    reading, writing = os.pipe()
    if not os.fork():
        os.environ["MUTANT_UNDER_TEST"] = "stats"
        signal.signal(signal.SIGPROF, _too_slow)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        recorder = Recorder()
        items[0].config.pluginmanager.register(recorder)
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        for test in sorted(recorder.left_out):
            os.write(2, f"left out: fails, is skipped or slow without a change: {test}\n".encode())
        with os.fdopen(writing, "w") as told:
            json.dump(recorder.reached, told)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        found = told.read()
    os.wait()
    return json.loads(found) if found else {}


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"this test takes more than {SLOW:g} s")
