"""Starting is quick: heavy packages are imported late.

The best of several runs counts, since a busy machine only ever adds time.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

RUNS = 9
HEAVY = ("alembic", "plotly", "pydantic", "rich", "scipy", "sklearn", "sqlalchemy", "typer", "yaml")


def test_import_takes_less_than_400_ms() -> None:
    assert _best(_import_seconds, below=0.4) < 0.4


def test_help_answers_in_less_than_500_ms() -> None:
    assert _best(_help_seconds, below=0.5) < 0.5


def test_import_brings_no_heavy_package() -> None:
    listing = _python("import sys, tunewise; print(*sys.modules)")
    loaded = {name.partition(".")[0] for name in listing.split()}
    assert not loaded.intersection(HEAVY)


def _best(measure: Callable[[], float], below: float) -> float:
    """The shortest of up to `RUNS` runs; the first that is quick enough settles it."""
    best = float("inf")
    for _ in range(RUNS):
        best = min(best, measure())
        if best < below:
            break
    return best


def _import_seconds() -> float:
    code = "import time; t = time.perf_counter(); import tunewise; print(time.perf_counter() - t)"
    return float(_python(code))


def _help_seconds() -> float:
    command = Path(sys.executable).with_name("tunewise")
    start = time.perf_counter()
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    assert "tune" in done.stdout
    return seconds


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout
