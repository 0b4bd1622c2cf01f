"""Copies of the project, and tests that run in them: nothing is ever mutated in place."""

import os
import resource
import shutil
import sys
import time
from pathlib import Path

COPIED = ("src", "tests", "docs", "examples", "benchmarks", "pyproject.toml", "README.md")
QUIET = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
"""What is imported before the fork is not rewritten, which is no defect of a test."""
DULL = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:xdist", *QUIET]


def copied(root: Path, copy: Path) -> None:
    """Copy what the tests need."""
    copy.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.db", "*.runs", "report.html")
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, copy / name, ignore=ignored)
        else:
            shutil.copy(root / name, copy / name)


def go_on_in(copy: Path, module: str, *words: str) -> None:
    """Become the same program in the copy, whose own packages are the ones to be imported."""
    os.chdir(copy)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(copy / "src"), str(copy)])
    os.environ.setdefault("TUNEWISE_EXAMPLES", "30")
    os.execv(sys.executable, [sys.executable, "-m", module, *words])


def warm() -> None:
    """Import once what every test run needs and no mutant changes."""
    import hypothesis
    import numpy
    import pytest
    import scipy.optimize
    import scipy.special
    import scipy.stats

    assert hypothesis and numpy and pytest and scipy


def in_child(mutant: str, tests: list[str], seconds: float | None = None) -> int:
    """Pytest's exit code in a process of its own, or minus the signal that ended it.

    Args:
        mutant: What `MUTANT_UNDER_TEST` is set to, which mutmut's switches read.
        tests: To run in this order, until one fails.
        seconds: Of a processor, after which it is ended; None for no limit.
    """
    child = os.fork()
    if not child:
        os.environ["MUTANT_UNDER_TEST"] = mutant
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        import pytest

        if seconds is not None:
            limit = int(time.process_time() + seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        os._exit(int(pytest.main([*DULL, "-x", *tests])))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
