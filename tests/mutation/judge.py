"""What becomes of a mutant: which tests it meets, and what they say."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tests.mutation.mutants import Mutant
from tests.mutation.near import distance
from tests.mutation.reach import Reach
from tests.mutation.session import Session

MOST = 5.0
"""Seconds of a processor that the tests of a mutant may take without it."""
ALIVE = ("survived", "never run")
"""The fates of mutants that no test noticed."""


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes:
        fate: "killed", "too slow", "survived" or "never run".
        by: The test that noticed, if one did.
        seconds: Of a processor that it took to find out.
        met: The files of tests that it met, each with its mark.
    """

    fate: str
    by: str | None
    seconds: float
    met: dict[str, str]


class Judge:
    """Gives a mutant to the tests that reach its function, the nearest and quickest first."""

    def __init__(self, session: Session, reach: Reach) -> None:
        self._session, self._marks = session, reach.marks
        self._tests = {test: told for test, told in reach.tests.items() if test in session.items}

    def fate(self, mutant: Mutant, met: Mapping[str, str]) -> Fate:
        """What becomes of it; tests of the files that it met before, and that are as then, rest."""
        tests, seconds = self._chosen(mutant.function, met), 0.0
        files = {_file(test) for test in tests}
        now = {**met, **{file: self._marks[file] for file in files}}
        while tests:
            expected = sum(self._tests[test].seconds for test in tests)
            found = self._session.tried(mutant.name, tests, 2.5 * expected + 5)
            seconds += found.seconds
            if found.failed is None:
                return Fate("survived" if found.ended else "too slow", None, seconds, now)
            by = tests[found.failed]
            alone = self._session.tried("", [by], 2.5 * self._tests[by].seconds + 5)
            seconds += alone.seconds
            if alone.ended and alone.failed is None:
                return Fate("killed", by, seconds, now)
            print(f"left out, for it fails without any change: {by}", flush=True)
            del self._tests[by], tests[found.failed]
        return Fate("survived" if met else "never run", None, seconds, now)

    def _chosen(self, function: str, met: Mapping[str, str]) -> list[str]:
        """Tests that reach a function, as many as fit into the seconds that a mutant is given."""
        near = sorted(
            (distance(function, self._session.items[test]), told.seconds, test)
            for test, told in self._tests.items()
            if function in told.functions and met.get(_file(test)) != self._marks[_file(test)]
        )
        return list(_fitting((test, seconds) for _, seconds, test in near))


def _file(test: str) -> str:
    return test.partition("::")[0]


def _fitting(tests: Iterable[tuple[str, float]]) -> Iterator[str]:
    left = MOST
    for test, seconds in tests:
        if seconds <= left:
            left -= seconds
            yield test
