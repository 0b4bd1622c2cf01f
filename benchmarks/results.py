"""Measures the tables of the documentation, all at one commit, and writes them into its pages.

`python -m benchmarks.results` runs the commands below one after the other, which takes about half
an hour on two quiet cores. What is measured is kept in a file, so a run that was ended goes on, and
with `--only NAME` it can be done in pieces. The pages are written once every table is measured in
the state that the source is in now: tables of two states never stand side by side.
"""

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import figures, machine

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ("src", "benchmarks")
NO_PAGES = ":!*.md"
"""Figures depend on what is measured, not on the pages beside it: these may change meanwhile."""
LONG, SHORT = "benchmarks/RESULTS.md", "docs/benchmarks.md"
"""The page with all tables, and the one that shows ten figures of them."""
FEW, README = "benchmarks/FIVE.md", "README.md"
"""The page with the tables of a short run, and the one that shows five figures of them."""
MACHINE = "machine"
"""The place for the commit and the machine, once a page."""


@dataclass(frozen=True)
class Result:
    """One command, and the place that its tables have in a page.

    Attributes:
        name: Of the place: between the comments `begin: NAME` and `end: NAME`.
        command: What follows `python -m`.
        page: Below the repository's folder.
    """

    name: str
    command: str
    page: str = LONG

    def text(self, tables: str) -> str:
        """What stands in the place: the command as one would give it, and its tables."""
        return f"```text\nOMP_NUM_THREADS=1 python -m {self.command}\n```\n\n{tables}"

    def measured(self) -> str:
        """Run the command with one thread; its tables."""
        return tables_of(self.printed())

    def printed(self) -> str:
        """Run the command with one thread; all that it prints."""
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        ran = subprocess.run(
            [sys.executable, "-m", *shlex.split(self.command)],
            cwd=ROOT,
            env={**os.environ, **one_thread},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return ran.stdout


OWN = "trimtuner,bohb,hyperband,eic,cherrypick,random"
RESULTS = (
    Result(
        "own-cnn",
        "benchmarks.slices --table fashion_cnn.csv --limit 'cost <= 0.0007' --first-seed 5000"
        f" --seeds 6 --strategies {OWN} --jobs 2",
    ),
    Result(
        "own-mlp",
        "benchmarks.slices --table fashion_mlp.csv --limit 'cost <= 0.0003' --first-seed 5000"
        f" --seeds 6 --strategies {OWN} --jobs 2",
    ),
    Result(
        "early-stop",
        "benchmarks.early_stop --tables fashion_cnn,fashion_mlp --first-seed 5000 --seeds 4"
        " --jobs 2",
    ),
    Result("full-data", "benchmarks.full_data --strategies random,cherrypick,eic --jobs 2"),
    Result("slices", "benchmarks.slices --first-seed 5000 --seeds 6 --jobs 2"),
    Result(
        "halving",
        "benchmarks.slices --strategies trimtuner,hyperband,bohb --first-seed 5000 --seeds 10"
        " --jobs 2",
    ),
    Result("lcdb", "benchmarks.lcdb --first-seed 20 --seeds 5 --jobs 2"),
    Result(
        "any-fraction",
        "benchmarks.any_fraction --first-seed 5000 --seeds 10 --only nephele"
        " --only 'lynceus, full data' --only 'cherrypick, full data'",
    ),
    Result(
        "peers",
        "benchmarks.peers --tools trimtuner,eic,optuna_tpe,optuna_hyperband --seeds 20 --jobs 2",
    ),
    Result(
        "cheapest",
        "benchmarks.cheapest --first 5000 --seeds 3 --entrants 'lynceus;lynceus, all run to their"
        " end;cherrypick;cherrypick, all run to their end;random;optuna tpe'",
    ),
    Result(
        "disguised",
        "benchmarks.cheapest --hide 0.5 --cliff 0.34 --first 5000 --seeds 3"
        " --entrants 'lynceus;cherrypick;cherrypick, all run to their end;random'",
    ),
    Result("warm-start", "benchmarks.warm_start --only multilayer --first 5000 --seeds 4"),
    Result("warm-start-sort", "benchmarks.warm_start --only sort --first 5000 --seeds 4"),
    Result("gp-speed", "benchmarks.gp_speed"),
    Result("ask-speed", "benchmarks.ask_speed --rounds 3"),
    Result("huge-space", "benchmarks.huge_space"),
    Result("lookahead-speed", "benchmarks.lookahead_speed"),
    Result("startup", "benchmarks.startup"),
    Result(
        "published", "benchmarks.published --first-seed 5000 --seeds 1", "benchmarks/PUBLISHED.md"
    ),
)
SHORT_RUN = (
    Result(
        "slices", "benchmarks.slices --strategies trimtuner,eic --first-seed 5000 --seeds 6", FEW
    ),
    Result("peers", "benchmarks.peers --tools trimtuner,optuna_tpe --seeds 6", FEW),
    Result(
        "own-cnn",
        "benchmarks.slices --table fashion_cnn.csv --limit 'cost <= 0.0007' --first-seed 5000"
        " --seeds 6 --strategies trimtuner,random",
        FEW,
    ),
    Result(
        "any-fraction",
        "benchmarks.any_fraction --first-seed 5000 --seeds 6 --only nephele"
        " --only 'lynceus, full data'",
        FEW,
    ),
    Result(
        "cheapest",
        "benchmarks.cheapest --first 5000 --seeds 2 --entrants 'lynceus;cherrypick;optuna tpe'",
        FEW,
    ),
)


class Kept:
    """Tables that were measured in one state of the source, in a file."""

    def __init__(self, path: Path, state: str, where: str) -> None:
        """Begin with what the file has of this state; what it has of another one is of no use."""
        self.path, self._state = path, state
        found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        of_this = found.get("state") == state
        self.machine: str = found["machine"] if of_this else where
        self.tables: dict[str, str] = found["tables"] if of_this else {}

    def add(self, name: str, tables: str) -> None:
        """Keep the tables of a command, at once."""
        self.tables[name] = tables
        said = {"state": self._state, "machine": self.machine, "tables": self.tables}
        self.path.write_text(json.dumps(said, indent=1), encoding="utf-8")


def measure(results: Sequence[Result], kept: Kept, *, again: bool = False) -> None:
    """Measure what is not kept yet, each as soon as the one before has ended."""
    for result in results:
        if result.name in kept.tables and not again:
            continue
        began = time.monotonic()
        print(f"{result.name}: {result.command}", file=sys.stderr, flush=True)
        kept.add(result.name, result.measured())
        print(f"  {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def write(results: Sequence[Result], kept: Kept, root: Path) -> list[str]:
    """Put all tables into their pages; returns the names of those that are missing, if any."""
    missing = [result.name for result in results if result.name not in kept.tables]
    if missing:
        return missing
    pages = {root / result.page for result in results}
    written = {page: page.read_text(encoding="utf-8") for page in pages}
    for page in pages:
        written[page] = placed(written[page], MACHINE, kept.machine)
    for result in results:
        page = root / result.page
        text = result.text(kept.tables[result.name])
        written[page] = placed(written[page], result.name, text)
    for page, text in written.items():
        page.write_text(text, encoding="utf-8")
    return []


def summarise(root: Path) -> None:
    """Write ten figures of the long page into the docs, five of the short run into the README."""
    for source, page, shown in ((LONG, SHORT, figures.FIGURES), (FEW, README, figures.FEW)):
        tables, text = ((root / each).read_text("utf-8") for each in (source, page))
        where = tables.split(f"<!-- begin: {MACHINE} -->\n")[1].split("\n")[0]
        text = placed(placed(text, MACHINE, where), "figures", figures.table(tables, shown))
        (root / page).write_text(text, encoding="utf-8")


def placed(page: str, name: str, text: str) -> str:
    """The page with a text in the place of that name."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"expected {begin} and {end} in the page, once each")
    before, rest = page.split(begin)
    if end not in rest:
        raise ValueError(f"expected {begin} before {end}")
    after = rest.split(end)[1]
    return f"{before}{begin}\n{text}\n{end}{after}"


def tables_of(output: str) -> str:
    """The tables that a command printed, without what it says around them."""
    tables: list[list[str]] = [[]]
    for line in output.splitlines():
        if line.startswith("|"):
            tables[-1].append(line)
        elif tables[-1]:
            tables.append([])
    found = "\n\n".join("\n".join(rows) for rows in tables if rows)
    if not found:
        raise ValueError(f"the command printed no table: {output[:200]!r}")
    return found


def state() -> str:
    """What identifies the source as it is now; ends where it is not committed."""
    changed = _git("status", "--porcelain", "--", *MEASURED, NO_PAGES)
    if changed:
        sys.exit(f"commit first, or nobody can measure the same again:\n{changed}")
    files = _git("ls-files", "--stage", "--", *MEASURED, NO_PAGES)
    return hashlib.sha256(files.encode()).hexdigest()


def main() -> None:
    """Measure what is missing, and write the pages when nothing is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description=__doc__)
    parser.add_argument("--kept", type=Path, metavar="FILE",
                        help="where tables are kept until all are measured")  # fmt: skip
    parser.add_argument("--few", action="store_true",
                        help=f"what the README shows, with fewer seeds, into {FEW}")  # fmt: skip
    parser.add_argument("--only", action="append", choices=[each.name for each in RESULTS],
                        metavar="NAME", help="measure this one, again if need be")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="say what is measured, and how")
    given = parser.parse_args()
    results = SHORT_RUN if given.few else RESULTS
    if given.list:
        print("\n".join(f"{each.name}: {each.command}" for each in results))
        return
    file = given.kept or ROOT / (".few.json" if given.few else ".results.json")
    kept = Kept(file, state(), machine.described().replace("-dirty", ""))
    chosen = [each for each in results if not given.only or each.name in given.only]
    measure(chosen, kept, again=bool(given.only))
    missing = write(results, kept, ROOT)
    summarise(ROOT)
    print(f"not measured yet: {', '.join(missing)}" if missing else "the pages are written")


def _git(*words: str) -> str:
    asked = ["git", "-C", str(ROOT), *words]
    return subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
