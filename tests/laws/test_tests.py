"""Tests are calm: none hangs on the speed of a machine, or on what nobody promised."""

import re
from collections.abc import Iterator

from tests.laws.source import ROOT

SECONDS = re.compile(r"^\s*assert .*\b(process_time|thread_time|perf_counter|os\.times)\b")
PRIVATE = re.compile(r"^\s*from tunewise\S* import .*(?<![\w.])_[a-zA-Z]")


def offenders(law: re.Pattern[str]) -> Iterator[str]:
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if law.search(line):
                yield f"{file.relative_to(ROOT)}:{number}"


def test_no_test_asserts_seconds() -> None:
    assert not list(offenders(SECONDS)), "count work (tests/work.py), or write a benchmark"


def test_no_test_imports_a_private_name() -> None:
    assert not list(offenders(PRIVATE))
