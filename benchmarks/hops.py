"""How many calls lead from `tunewise tune` to each station of a trial's way, and which.

A hop is a call of one function of Tunewise by another. Counted are the calls that are open when a
trial is decided, started, kept and shown for the first time, from the command's entry on.

    python -m benchmarks.hops
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = "/tunewise/"
STATIONS = {
    "decided": (("ModelBased.suggest",), "strategy/"),
    "started": (("ProcessExecutor.start",), "execution/"),
    "kept": (("SqlStore.tell",), "storage/"),
    "shown": (("trials",), "report/"),
}
"""The first function of each station, and the room it stands in."""

JOB = """
command: python -c "print('{{\\"accuracy\\":', {width} / 100 * {fraction} ** 0.1, '}}')"
space:
  width: [16, 32, 64, 81]
  depth: [1, 2, 3]
maximize: accuracy
fractions: [0.1, 0.5, 1]
trials: 6
"""


def main() -> None:
    """Print each station with the calls that lead to it."""
    found = _watched(_tune)
    for station in STATIONS:
        print(f"{station}: {len(found[station])} hops")
        for place in found[station]:
            print(f"    {place}")
    print(f"in all: {sum(map(len, found.values()))} hops")


def _watched(work: Callable[[], None]) -> dict[str, list[str]]:
    """The calls that were open when each station was first reached."""
    found: dict[str, list[str]] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or PACKAGE not in frame.f_code.co_filename:
            return
        file, name = _place(frame)
        for station, (names, room) in STATIONS.items():
            if station not in found and name in names and file.startswith(room):
                found[station] = _open_calls(frame)

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def _open_calls(frame: FrameType | None) -> list[str]:
    calls = []
    while frame is not None:
        # Python 3.12 no longer makes a call of a comprehension: it is no hop before, either.
        if PACKAGE in frame.f_code.co_filename and not frame.f_code.co_name.endswith("comp>"):
            calls.append(" ".join(_place(frame)))
        frame = frame.f_back
    return calls[::-1]


def _place(frame: FrameType) -> tuple[str, str]:
    file = frame.f_code.co_filename.rpartition(PACKAGE)[2]
    return file, frame.f_code.co_qualname


def _tune() -> None:
    """A small study of real trainings, with its report."""
    from tunewise.cli import main as tunewise

    with tempfile.TemporaryDirectory() as folder:
        job, page = Path(folder, "job.yaml"), Path(folder, "page.html")
        job.write_text(JOB, encoding="utf-8")
        place = f"sqlite:///{folder}/tunewise.db"
        sys.argv = ["tunewise", "tune", str(job), "--storage", place, "--report", str(page), "-q"]
        try:
            tunewise()
        except SystemExit as end:
            if end.code:
                raise


if __name__ == "__main__":
    main()
