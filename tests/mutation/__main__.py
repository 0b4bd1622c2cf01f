"""Changes the deciding rooms one spot at a time and counts the changes that no test notices.

Usage: python -m tests.mutation [--each 75] [--seed 0] [--folder build/mutants] [--again]

mutmut 3 makes the mutants on a copy; 75 of each room are drawn. A mutant is killed when one of the
tests that reach its function fails, or when they need far more of a processor than they need
without it. Slow tests are left out, and a mutant is given five seconds of tests, so the share of
killed mutants is a lower bound. With --again a run goes on: mutants that were not met yet meet
their tests, survivors those that are new or changed since.
"""

import argparse
import json
import shutil
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.mutation.copies import copied, go_on_in, warm
from tests.mutation.judge import ALIVE, Judge
from tests.mutation.mutants import ROOMS, Mutant, drawn, mutated
from tests.mutation.reach import Reach
from tests.mutation.session import Session


def run(session: Session, mutants: list[Mutant], saved: Path, reached: Path) -> None:
    """Find the fate of each that is not known to be killed: told at once, and added to a file."""
    reach = Reach(reached)
    reach.measure(session.files)
    judge, before = Judge(session, reach), known_fates(saved)
    with saved.open("a") as lines:
        for number, mutant in enumerate(mutants, 1):
            last = before.get(mutant.name, {"fate": "never run", "met": {}})
            if last["fate"] not in ALIVE:
                continue
            found = judge.fate(mutant, last["met"])
            lines.write(json.dumps({**asdict(mutant), **asdict(found)}) + "\n")
            lines.flush()
            print(f"{number} {found.fate} ({found.seconds:.1f} s): {mutant.name}", flush=True)
            if found.fate in ALIVE:
                print(mutant.change, flush=True)


def known_fates(saved: Path) -> dict[str, dict[str, Any]]:
    """By mutant, what became of it when it was met last."""
    lines = saved.read_text().splitlines() if saved.exists() else ()
    return {line["name"]: line for line in map(json.loads, lines)}


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
    shutil.rmtree(folder, ignore_errors=True)
    copied(root, folder / "copy")
    found = [asdict(mutant) for mutant in mutated(folder / "copy")]
    (folder / "mutants.json").write_text(json.dumps(found))


def main() -> None:
    """Copy, mutate, measure what tests reach, run, and print the survivors and the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--each", type=int, default=75, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--folder", type=Path, default=Path("build/mutants"))
    parser.add_argument("--again", action="store_true", help="go on; new tests on the survivors")
    parser.add_argument("--ready", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    copy, known = folder / "copy", folder / "mutants.json"
    saved = folder / f"fates-{asked.seed}.jsonl"
    if not asked.ready:
        if asked.again and known.exists():
            shutil.rmtree(copy / "tests")
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(Path.cwd() / "tests", copy / "tests", ignore=ignored)
        else:
            made(Path.cwd(), folder)
        go_on_in(copy, "tests.mutation", *sys.argv[1:], "--folder", str(folder), "--ready")
    warm()
    mutants = [Mutant(**line) for line in json.loads(known.read_text())]
    chosen = drawn(mutants, asked.each, asked.seed)
    print(f"{len(chosen)} of {len(mutants)} mutants", flush=True)
    Session.collect(lambda session: run(session, chosen, saved, folder / "reach.json"))
    fates = known_fates(saved)
    print(
        table([(mutant, fates[mutant.name]["fate"]) for mutant in chosen if mutant.name in fates])
    )


if __name__ == "__main__":
    main()
