"""What the papers show, measured again: the published variant beside our default.

`python -m benchmarks.papers` runs the commands below and writes benchmarks/PAPERS.md, with one
figure for each. `--quick` takes few seeds: enough to see that everything runs, too few to say which
of two is better. Tables that were published by others are no part of the repository: what needs one
that is not here is left out, and says so.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from benchmarks import machine
from benchmarks.drawings import COLOURS
from benchmarks.results import Kept, Result, state, tables_of

ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURES = ROOT / "benchmarks" / "PAPERS.md", ROOT / "docs" / "pictures"
SHOWN = 14
"""Rows of a figure, at most."""


@dataclass(frozen=True)
class Exhibit:
    """An evaluation of a paper, and the command that repeats it.

    Attributes:
        name: Of the figure's file.
        shows: Which figures or tables of which paper.
        says: What the paper reports, on its machines.
        command: What follows `python -m`.
        full: Its options in a full run.
        quick: Its options in a quick one.
        column: Of the printed tables: what is drawn.
        needs: Tables below the folder of measured tables.
    """

    name: str
    shows: str
    says: str
    command: str
    full: str
    quick: str
    column: str
    needs: tuple[str, ...] = ("trimtuner/cnn.csv",)

    def result(self, quick: bool) -> Result:
        """The command as it is run."""
        return Result(self.name, f"{self.command} {self.quick if quick else self.full}")

    @property
    def missing(self) -> list[str]:
        """Tables that are not here."""
        return [name for name in self.needs if not (machine.tables() / name).is_file()]


TRIM = "benchmarks.slices --table trimtuner/cnn.csv --strategies"
EXHIBITS = (
    Exhibit(
        "trimtuner-search", "TrimTuner, figures 1 to 3: search cost and time on CNN",
        "Up to 50 times less cost than constrained EI, and 10 times less than EI per USD, to reach"
        " 90 % of the optimum; up to 65 and 15 times less time.",
        f"{TRIM} trimtuner,trimtuner_paper,eic,eic_per_usd,random",
        "--seeds 10 --jobs 2", "--seeds 1 --trials 25", "USD to 90%",
    ),
    Exhibit(
        "trimtuner-filters", "TrimTuner, figure 4: the filter of candidates",
        "CEA needs 3.6 times less cost to 90 % than CMA-ES, and 7 times less than DIRECT (RNN).",
        f"{TRIM} 'trimtuner_paper,"
        + ",".join(f"trimtuner(filter={name},share=0.1)" for name in ("cea", "cmaes", "direct"))
        + "'",
        "--seeds 10 --jobs 2", "--seeds 1 --trials 15", "USD to 90%",
    ),
    Exhibit(
        "trimtuner-seconds", "TrimTuner, tables III and IV: seconds to recommend",
        "With a CEA of 10 %: 1,119 s with Gaussian processes, 82 s with trees, on 32 cores. Without"
        " a filter, on RNN: 7,546 s and 221 s.",
        "benchmarks.ask_speed --only 1,440", "--rounds 5", "--rounds 1", "of the processor",
    ),
    Exhibit(
        "nephele", "Thesis, 6.1 to 6.13: the cheapest training at any fraction",
        "What Nephele deploys costs 75.5 % less than at the full data on CNN (4.1 times less).",
        "benchmarks.any_fraction --only nephele --only nephele_paper --only 'lynceus, full data'"
        " --only 'cherrypick, full data'",
        "--seeds 20", "--seeds 1 --trials 60", "deployed",
    ),
    Exhibit(
        "fabulinus", "Thesis, 7.1 to 7.3: Fabulinus beside constrained EI",
        "58 % less search cost than constrained EI on CNN.",
        f"{TRIM} fabulinus,fabulinus_paper,trimtuner,eic",
        "--seeds 10 --jobs 2", "--seeds 1 --trials 20", "USD to 90%",
    ),
    Exhibit(
        "selftf", "SelfTF, 1.2, 1.3 and 3.5 to 3.7: a training that tunes itself",
        "1.7 to 2.2 times faster than the average setting, 4.1 to 5.1 times than the worst; 4 to"
        " 13 % of the time for reconfiguration.",
        "benchmarks.self_tuning", "--seeds 20", "--seeds 1 --jobs LogR", "seconds", (),
    ),
    Exhibit(
        "easeml", "ease.ml, figures 9 to 12: whose model is trained next",
        "9.8 times faster from a loss of 0.1 to 0.02 than users' heuristics; 3.2 to 4.1 times than"
        " round robin.",
        "benchmarks.tenancy --only rules", "--repeats 50", "--repeats 3 --tables oboe", "loss 0.02",
        ("oboe/accuracy.csv", "oboe/seconds.csv"),
    ),
)  # fmt: skip


def bars(rows: list[tuple[str, float]], across: str) -> str:
    """Horizontal bars as an SVG picture with a white ground."""
    rows = rows[:SHOWN]
    most, height = max((value for _, value in rows), default=1.0) or 1.0, 30 + 24 * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="640" height="{height}" fill="white"/>',
        f'<text x="8" y="16" fill="#334155">{_escaped(across)}</text>',
    ]
    for number, (label, value) in enumerate(rows):
        y, wide = 26 + 24 * number, round(300 * value / most, 1)
        parts += [
            f'<text x="232" y="{y + 14}" text-anchor="end" fill="#334155">{_escaped(label)}</text>',
            f'<rect x="240" y="{y}" width="{wide}" height="18" fill="{COLOURS[0]}"/>',
            f'<text x="{248 + wide}" y="{y + 14}" fill="#64748b">{value:.3g}</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])


PLAIN = re.compile(r"^(\S.{0,30}?)\s+(\d+) ± +(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)")
"""A row of a self-tuned training: seconds, and how they compare with all settings."""


def as_tables(output: str) -> str:
    """What a command prints, with plain rows of numbers as rows of a table."""
    lines = list[str]()
    for line in output.splitlines():
        if line.lstrip().startswith("seconds "):
            lines += ["", "| job | seconds | ± | average / | worst / | / best |", "|---" * 6 + "|"]
            continue
        found = PLAIN.match(line)
        lines.append(f"| {' | '.join(found.groups())} |" if found else line)
    return "\n".join(lines)


def rows_of(tables: str, column: str) -> list[tuple[str, float]]:
    """The first number of a column, by the first cell of its row; rows without one are left out."""
    found, place = list[tuple[str, float]](), None
    for line in tables.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if any(cell.startswith(column) for cell in cells):
            place = next(i for i, cell in enumerate(cells) if cell.startswith(column))
        elif place is not None and place < len(cells):
            number = re.match(r"-?\d+(\.\d+)?", cells[place])
            if number:
                found.append((cells[0].strip("`"), float(number[0])))
    return found


def page(kept: Kept, exhibits: tuple[Exhibit, ...], quick: bool) -> str:
    """All that was measured, each beside what the paper reports."""
    how = (
        "Few seeds were run: this shows that everything runs, not who is better. " if quick else ""
    )
    parts = ["# The papers' evaluations, measured again", "", "Written by `make papers`."]
    parts += [
        f"{how}A strategy whose name ends in `_paper` is the published variant; the one without"
    ]
    parts += ["it is our default.", "", kept.machine, ""]
    for exhibit in exhibits:
        said = fill(f"**The paper reports:** {exhibit.says}", 100, break_long_words=False)
        parts += [f"## {exhibit.shows}", "", said, ""]
        if exhibit.name not in kept.tables:
            gone = ", ".join(exhibit.missing)
            why = f": it needs {gone}, which is not here" if gone else " in this run"
            parts += [f"Not measured{why}.", ""]
            continue
        picture = PICTURES / f"paper-{exhibit.name}.svg"
        if drawn := rows_of(kept.tables[exhibit.name], exhibit.column):
            picture.write_text(bars(drawn, exhibit.column), encoding="utf-8")
            parts += [f"![{exhibit.column}](../docs/pictures/{picture.name})", ""]
        parts += [exhibit.result(quick).text(kept.tables[exhibit.name]), ""]
    return "\n".join(parts)


def main() -> None:
    """Measure what can be measured here, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few seeds")
    parser.add_argument("--only", action="append", choices=[e.name for e in EXHIBITS])
    parser.add_argument("--kept", type=Path, default=ROOT / ".papers.json", metavar="FILE")
    given = parser.parse_args()
    where = machine.described().replace("-dirty", "")
    kept = Kept(given.kept, f"{state()} quick={given.quick}", where)
    for exhibit in EXHIBITS:
        if exhibit.name in kept.tables or (given.only and exhibit.name not in given.only):
            continue
        if exhibit.missing:
            gone = ", ".join(exhibit.missing)
            print(f"{exhibit.name}: skipped, because {gone} is not here: set TUNEWISE_DATA")
            continue
        print(f"{exhibit.name}: {exhibit.result(given.quick).command}", file=sys.stderr, flush=True)
        kept.add(exhibit.name, tables_of(as_tables(exhibit.result(given.quick).printed())))
    PAGE.write_text(page(kept, EXHIBITS, given.quick), encoding="utf-8")
    print(f"{len(kept.tables)} of {len(EXHIBITS)} are in {PAGE.relative_to(ROOT)}")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


if __name__ == "__main__":
    main()
