"""Changes the deciding rooms one spot at a time and counts the changes that no test notices.

Usage: python -m tests.mutation [--each 75] [--seed 0] [--folder build/mutants] [--again]

mutmut 3 makes the mutants on a copy; 75 of each room are drawn. A mutant is killed when one of the
tests that reach its function fails, or when they need five times the processor that they need
without it. Slow tests count only as far as they fit into the seconds a mutant is given, so the
share of killed mutants is a lower bound.
"""

import argparse
import json
import shutil
import signal
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from tests.mutation.copies import copied, go_on_in, in_child, warm
from tests.mutation.mutants import ROOMS, Mutant, drawn, mutated
from tests.mutation.reach import Reach, measured

PASSED, FAILED = 0, 1
"""Pytest's exit codes."""
MOST = 40.0
"""Seconds of a processor that a mutant's tests may take without it."""


def fate(mutant: Mutant, tests: list[str], seconds: float) -> str:
    """What becomes of one mutant: "killed", "too slow", "survived" or "never run"."""
    if not tests:
        return "never run"
    status = in_child(mutant.name, tests, 5 * seconds + 20)
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "too slow"
    if status in (PASSED, FAILED):
        return "survived" if status == PASSED else "killed"
    # It could not even be collected, or fell over: that counts if it does not without the mutant.
    return "killed" if in_child("", tests) == PASSED else "never run"


def run(mutants: list[Mutant], reach: Reach, saved: Path) -> list[tuple[Mutant, str]]:
    """The fate of each, told as it is known and kept in a file."""
    fates = []
    with saved.open("w") as lines:
        for number, mutant in enumerate(mutants, 1):
            tests = reach.chosen(mutant.function, MOST)
            began = time.monotonic()
            fates.append((mutant, fate(mutant, tests, sum(reach.seconds[t] for t in tests))))
            line = {**asdict(mutant), "fate": fates[-1][1], "tests": len(tests)}
            lines.write(json.dumps({**line, "seconds": time.monotonic() - began}) + "\n")
            lines.flush()
            if fates[-1][1] in ("survived", "never run"):
                print(f"{number} {fates[-1][1]}: {mutant.name}\n{mutant.change}", flush=True)
    return fates


def table(fates: list[tuple[Mutant, str]]) -> str:
    """Mutants, killed and survivors by room, as the documentation has it."""
    rows = ["| room | mutants | killed | survivors | killed % |", "|---|---|---|---|---|"]
    for room in (*ROOMS, "all"):
        of_room = Counter(fate for m, fate in fates if room in (m.room, "all"))
        count, dead = of_room.total(), of_room["killed"] + of_room["too slow"]
        if count:
            rows.append(
                f"| {room} | {count} | {dead} | {count - dead} | {100 * dead / count:.0f} |"
            )
    return "\n".join(rows)


def made(root: Path, folder: Path) -> None:
    """A mutated copy of the project in the folder, and the list of its mutants."""
    shutil.rmtree(folder / "copy", ignore_errors=True)
    copied(root, folder / "copy")
    found = [asdict(mutant) for mutant in mutated(folder / "copy")]
    (folder / "mutants.json").write_text(json.dumps(found))


def renewed(tests: Path, copy: Path) -> None:
    """The tests as they are now, in the copy."""
    shutil.rmtree(copy)
    shutil.copytree(tests, copy, ignore=shutil.ignore_patterns("__pycache__"))


def main() -> None:
    """Copy, mutate, measure what tests reach, run, and print the survivors and the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=75, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--folder", type=Path, default=Path("build/mutants"))
    parser.add_argument("--again", action="store_true", help="new tests on the mutants at hand")
    parser.add_argument("--ready", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    copy, known = folder / "copy", folder / "mutants.json"
    if not asked.ready:
        if not asked.again or not known.exists():
            made(Path.cwd(), folder)
        renewed(Path.cwd() / "tests", copy / "tests")
        words = [*sys.argv[1:], "--folder", str(folder), "--ready"]
        go_on_in(copy, "tests.mutation", *words)
    warm()
    mutants = [Mutant(**line) for line in json.loads(known.read_text())]
    print(f"{len(mutants)} mutants", flush=True)
    reach = measured(folder / "reach.json")
    fates = run(drawn(mutants, asked.each, asked.seed), reach, folder / "fates.jsonl")
    print(table(fates))


if __name__ == "__main__":
    main()
