"""One pytest session for all mutants: tests are collected once, and run in children of it."""

import inspect
import os
import re
import resource
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from functools import cache

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

    def noticed(self, mutant: str, names: set[str], files: list[str], seconds: float) -> bool:
        """Whether a test of the files fails with the mutant, within so many processor seconds.

        Args:
            mutant: To switch on.
            names: What it changes is called so: tests that mention one of them come first.
            files: Of the tests to run.
            seconds: For all of them.
        """
        places = [
            (not _mentions(item, names), _slow(item), number, item)
            for file in files
            for number, item in enumerate(self._items[file])
        ]
        items = [place[-1] for place in sorted(places, key=lambda place: place[:-1])]
        while (place := self._failing(mutant, items, seconds)) is not None:
            if self._failing("", [items[place]], 10 * seconds) is None:
                return True
            print(f"left out, for it fails without any change: {items[place].nodeid}", flush=True)
            self._items[items[place].nodeid.partition("::")[0]].remove(items[place])
            del items[place]
        return False

    def _failing(self, mutant: str, items: Items, seconds: float) -> int | None:
        """Which of the tests fails first with the mutant; None where none does in time."""
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
            os.write(writing, str(self._run(items)).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as told:
            said = told.read()
        os.waitpid(child, 0)
        return int(said) if said.isdecimal() else None

    def _run(self, items: Items) -> int | None:
        """Run tests until one fails: which one, None for none."""
        following = [*items[1:], None]
        for place, (item, after) in enumerate(zip(items, following, strict=True)):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self._failed:
                return place
        return None


def _slow(item: pytest.Item) -> bool:
    """Whether a test draws many examples: such ones come last."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


@cache
def _source(function: Callable[..., object]) -> str:
    return inspect.getsource(function)


def _mentions(item: pytest.Item, names: set[str]) -> bool:
    """Whether a test has one of the names in its own name or in what it does."""
    function = getattr(item, "function", None)
    text = f"{item.nodeid} {'' if function is None else _source(function)}"
    return any(re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text) for name in names)
