"""Which tests reach which function, and what each test takes of a processor."""

import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutation.copies import DULL

SLOW = 1.5
"""Seconds of a processor after which a test is ended and left out: with many mutants, none has
time for it."""
TESTS = (
    "tests/surrogate",
    "tests/belief",
    "tests/acquisition",
    "tests/filtering",
    "tests/strategy",
)


LEFT_OUT = (
    *("--ignore", "tests/strategy/test_conformance.py"),
    *("-k", "not mcmc and not Mcmc"),
)
"""What takes minutes for what the tests of the parts find in seconds."""


@dataclass(frozen=True)
class Reach:
    """What one run of the unchanged code says.

    Attributes:
        tests: By function, the tests that call it.
        seconds: By test, the seconds of a processor that it takes.
    """

    tests: dict[str, list[str]]
    seconds: dict[str, float]

    @property
    def files(self) -> list[str]:
        """The files of all tests that reach anything."""
        return sorted({_file(test) for tests in self.tests.values() for test in tests})

    def chosen(self, function: str, most: float, files: Collection[str] = ()) -> list[str]:
        """The tests to run for a mutant of this function: the quickest first, `most` s in all.

        Args:
            function: As mutmut calls it.
            most: Seconds of a processor for all of them.
            files: Only tests of these; empty for all.
        """
        chosen, total = [], 0.0
        reaching = [t for t in self.tests.get(function, ()) if not files or _file(t) in files]
        for test in sorted(reaching, key=lambda t: (self.seconds[t], t)):
            total += self.seconds[test]
            if total > most:
                break
            chosen.append(test)
        return chosen


def _file(test: str) -> str:
    return test.partition("::")[0]


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


def measured(saved: Path, files: list[str]) -> Reach:
    """Run all tests once in the folder of the copy, in a process of its own.

    Args:
        saved: Where the answer is kept.
        files: Run only these; the tests of others reach what they reached before.
    """
    before = json.loads(saved.read_text()) if files else [{}, {}]
    child = os.fork()
    if not child:
        os.environ["MUTANT_UNDER_TEST"] = "stats"
        signal.signal(signal.SIGPROF, _too_slow)
        recorder = Recorder()
        pytest.main([*DULL, *LEFT_OUT, *(files or TESTS)], plugins=[recorder])
        for test in sorted(recorder.failed):
            print(f"left out, for it fails, is skipped or is slow without any change: {test}")
        for function, tests in before[0].items():
            recorder.tests[function] += [t for t in tests if _file(t) not in files]
        seconds = {t: s for t, s in before[1].items() if _file(t) not in files}
        saved.write_text(json.dumps([recorder.tests, {**seconds, **recorder.seconds}]))
        os._exit(0)
    os.waitpid(child, 0)
    return Reach(*json.loads(saved.read_text()))
