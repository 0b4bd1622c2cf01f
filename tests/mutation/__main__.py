"""Changes the deciding rooms one spot at a time and counts the changes that no test notices.

Usage: python -m tests.mutation [--each 75] [--seed 0] [--folder build/mutants] [--again]

mutmut 3 makes the mutants on a copy; 75 of each room are drawn. A mutant is killed when one of the
tests that reach its function fails, or when they need five times the processor that they need
without it. Slow tests count only as far as they fit into the seconds a mutant is given, so the
share of killed mutants is a lower bound. With --again the survivors of the last run meet the tests
that are new or changed since.
"""

import argparse
import json
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from tests.mutation.copies import copied, go_on_in, in_child, load, warm
from tests.mutation.mutants import ROOMS, Mutant, drawn, mutated
from tests.mutation.near import SECONDS, names_of, nearest_files
from tests.mutation.reach import TESTS, Reach, measured
from tests.mutation.session import Session

PASSED, FAILED = 0, 1
"""Pytest's exit codes."""
MOST = 3.0
"""Seconds of a processor that a mutant's tests may take without it."""
ALIVE = ("survived", "never run")
"""The fates of mutants that no test noticed."""


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


def run(mutants: list[Mutant], saved: Path, judged: Callable[[Mutant], str]) -> None:
    """Find the fate of each, told as it is known and added to a file."""
    with saved.open("a") as lines:
        for number, mutant in enumerate(mutants, 1):
            found = judged(mutant)
            lines.write(json.dumps({**asdict(mutant), "fate": found}) + "\n")
            lines.flush()
            if found in ALIVE:
                print(f"{number} {found}: {mutant.name}\n{mutant.change}", flush=True)


def by_reach(mutants: list[Mutant], reach: Reach, saved: Path, changed: list[str]) -> None:
    """Give each to the tests that reach it; a survivor of before to those that changed since."""
    before = known_fates(saved)
    load(reach.files)

    def judged(mutant: Mutant) -> str:
        tests = reach.chosen(mutant.function, MOST, changed if mutant.name in before else ())
        return fate(mutant, tests, sum(reach.seconds[test] for test in tests))

    run(mutants, saved, judged)


def by_nearness(mutants: list[Mutant], saved: Path) -> None:
    """Give each to the files nearest to it."""
    files = nearest_files(mutants)

    def work(session: Session) -> None:
        def judged(mutant: Mutant) -> str:
            names = names_of(mutant.function)
            dead = session.noticed(mutant.name, names, files[mutant.function], SECONDS)
            return "killed" if dead else "survived"

        run(mutants, saved, judged)

    Session.collect(sorted({file for chosen in files.values() for file in chosen}), work)


def known_fates(saved: Path) -> dict[str, str]:
    """By mutant, what became of it: once killed, it stays so."""
    fates: dict[str, str] = {}
    for line in map(json.loads, saved.read_text().splitlines() if saved.exists() else ()):
        if fates.get(line["name"], "survived") in ALIVE:
            fates[line["name"]] = line["fate"]
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


def renewed(tests: Path, copy: Path) -> list[str]:
    """Put the tests as they are now into the copy; the files of them that are new or changed."""
    rooms = [Path(room).name for room in TESTS]
    files = sorted(file for room in rooms for file in (tests / room).rglob("test_*.py"))
    places = [file.relative_to(tests) for file in files]
    changed = [
        f"tests/{place}"
        for file, place in zip(files, places, strict=True)
        if not (copy / place).exists() or (copy / place).read_bytes() != file.read_bytes()
    ]
    shutil.rmtree(copy)
    shutil.copytree(tests, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return changed


def main() -> None:
    """Copy, mutate, measure what tests reach, run, and print the survivors and the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=75, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--folder", type=Path, default=Path("build/mutants"))
    parser.add_argument("--again", action="store_true", help="new tests on the last survivors")
    parser.add_argument("--near", action="store_true", help="tests by imports: quicker, fewer")
    parser.add_argument("--ready", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    copy, known, saved = folder / "copy", folder / "mutants.json", folder / "fates.jsonl"
    changed, reached = folder / "changed.json", folder / "reach.json"
    if not asked.ready:
        again = asked.again and known.exists()
        if not again:
            made(Path.cwd(), folder)
            saved.unlink(missing_ok=True)
        files = renewed(Path.cwd() / "tests", copy / "tests")
        changed.write_text(json.dumps(files if again and reached.exists() else []))
        words = [*sys.argv[1:], "--folder", str(folder), "--ready"]
        go_on_in(copy, "tests.mutation", *words)
    warm()
    files = json.loads(changed.read_text())
    mutants = [Mutant(**line) for line in json.loads(known.read_text())]
    print(f"{len(mutants)} mutants", flush=True)
    chosen, fates = drawn(mutants, asked.each, asked.seed), known_fates(saved)
    alive = [mutant for mutant in chosen if fates.get(mutant.name, "survived") in ALIVE]
    if asked.near:
        by_nearness(alive, saved)
    else:
        by_reach(alive, measured(reached, files), saved, files)
    fates = known_fates(saved)
    print(table([(mutant, fates[mutant.name]) for mutant in chosen]))


if __name__ == "__main__":
    main()
