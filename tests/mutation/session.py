"""One pytest session for all mutants: tests are collected once, and run in children of it."""

import os
import resource
import signal
import time
from collections import defaultdict
from collections.abc import Callable

import pytest

from tests.mutation.copies import DULL

Items = list[pytest.Item]


class Session:
    """Collects tests, and then does some work that may run them in children."""

    def __init__(self, work: "Callable[[Session], None]") -> None:
        self._work = work
        self._failed = False
        self._items: dict[str, Items] = defaultdict(list)

    @classmethod
    def collect(cls, files: list[str], work: "Callable[[Session], None]") -> None:
        """Collect the tests of the files, and work."""
        pytest.main([*DULL, "-k", "not mcmc and not Mcmc", *files], plugins=[cls(work)])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of running all tests."""
        for item in session.items:
            self._items[item.nodeid.partition("::")[0]].append(item)
        self._work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a failure."""
        self._failed |= report.failed

    def noticed(self, mutant: str, files: list[str], seconds: float) -> bool:
        """Whether a test of the files fails with the mutant, within so many processor seconds."""
        places = [(_slow(i), n, i) for file in files for n, i in enumerate(self._items[file])]
        items = [item for *_, item in sorted(places, key=lambda place: place[:2])]
        child = os.fork()
        if not child:
            os.environ["MUTANT_UNDER_TEST"] = mutant
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            limit = int(time.process_time() + seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
            os._exit(self._run(items))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1

    def _run(self, items: Items) -> int:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                return 1
        return 0


def _slow(item: pytest.Item) -> bool:
    """Whether a test draws many examples: such ones come last."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))
