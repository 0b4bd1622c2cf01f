"""One pytest session for all mutants: tests are collected once, and run in children of it."""

import os
import resource
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.mutation.copies import DULL

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

Items = list[pytest.Item]


@dataclass(frozen=True)
class Trial:
    """What became of tests in a child.

    Attributes:
        failed: The place of the first one that failed; None where none did.
        ended: Whether the child came to its end: it fell over, or passed its limit, if not.
        seconds: Of a processor.
    """

    failed: int | None
    ended: bool
    seconds: float


class Session:
    """Collects tests, and then does some work that may run them in children."""

    def __init__(self, work: "Callable[[Session], None]") -> None:
        self._work = work
        self._failed = False
        self.files: dict[str, Items] = defaultdict(list)
        self.items: dict[str, pytest.Item] = {}

    @classmethod
    def collect(cls, work: "Callable[[Session], None]") -> None:
        """Collect the tests, and work."""
        pytest.main([*DULL, *LEFT_OUT, *TESTS], plugins=[cls(work)])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of running all tests."""
        for item in session.items:
            self.files[item.nodeid.partition("::")[0]].append(item)
            self.items[item.nodeid] = item
        self._work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a failure."""
        self._failed |= report.failed

    def tried(self, mutant: str, tests: list[str], seconds: float) -> Trial:
        """Run tests with a mutant until one fails, for so many processor seconds at most."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.environ["MUTANT_UNDER_TEST"] = mutant
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            limit = int(time.process_time() + seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
            os.write(writing, str(self._run([self.items[test] for test in tests])).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as told:
            said = told.read()
        _, _, used = os.wait4(child, 0)
        place = int(said) if said.isdecimal() else None
        return Trial(place, bool(said), used.ru_utime + used.ru_stime)

    def _run(self, items: Items) -> int | None:
        """Run tests until one fails: which one, None for none."""
        following = [*items[1:], None]
        for place, (item, after) in enumerate(zip(items, following, strict=True)):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self._failed:
                return place
        return None
