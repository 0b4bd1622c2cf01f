"""Which tests reach which function, and what each test takes of a processor."""

import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutation.copies import DULL

SLOW = 10.0
"""Seconds of a processor after which a test is ended and left out: with many mutants, none has
time for it."""
TESTS = (
    "tests/surrogate",
    "tests/belief",
    "tests/acquisition",
    "tests/filtering",
    "tests/strategy",
)


@dataclass(frozen=True)
class Reach:
    """What one run of the unchanged code says.

    Attributes:
        tests: By function, the tests that call it.
        seconds: By test, the seconds of a processor that it takes.
    """

    tests: dict[str, list[str]]
    seconds: dict[str, float]

    def chosen(self, function: str, most: float) -> list[str]:
        """The tests to run for a mutant of this function: the quickest first, `most` s in all."""
        chosen, total = [], 0.0
        for test in sorted(self.tests.get(function, ()), key=lambda t: (self.seconds[t], t)):
            total += self.seconds[test]
            if total > most:
                break
            chosen.append(test)
        return chosen


class Recorder:
    """Asks mutmut's switches which functions each test calls; failing tests are left out."""

    def __init__(self) -> None:
        self.tests: dict[str, list[str]] = defaultdict(list)
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Count the calls and the time of one test."""
        from mutmut.state import state

        state()._stats.clear()
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SLOW)
        done = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.seconds[item.nodeid] = time.process_time() - began
        if item.nodeid not in self.failed:
            for function in state()._stats:
                self.tests[function].append(item.nodeid)
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what failed without any change."""
        if not report.passed:
            self.failed.add(report.nodeid)


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"this test takes more than {SLOW:g} s")


def measured(saved: Path) -> Reach:
    """Run all tests once in the folder of the copy, in a process of its own."""
    child = os.fork()
    if not child:
        os.environ["MUTANT_UNDER_TEST"] = "stats"
        signal.signal(signal.SIGPROF, _too_slow)
        recorder = Recorder()
        pytest.main([*DULL, *TESTS], plugins=[recorder])
        for test in sorted(recorder.failed):
            print(f"left out, for it fails, is skipped or is slow without any change: {test}")
        saved.write_text(json.dumps([recorder.tests, recorder.seconds]))
        os._exit(0)
    os.waitpid(child, 0)
    return Reach(*json.loads(saved.read_text()))
