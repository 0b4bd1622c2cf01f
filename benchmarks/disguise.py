"""Tables of machines made harder: names that tell nothing, and a job that needs its memory."""

import csv
from pathlib import Path
from statistics import median

from tunewise.space.cloud.machine import Machine

SLOWER = 5.0
"""How many times as long, and as dear, a job is whose data do not fit into all memory."""


def disguised(path: Path, target: Path, hidden: bool, cliff: bool) -> Path:
    """A copy of a table, with its machines' names hidden, or a cliff in it.

    Beyond the cliff are all configs with less memory than the median config.
    """
    with path.open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    if cliff:
        needed = median(map(_memory, rows))
        for row in rows:
            if _memory(row) < needed:
                row["time"] = repr(SLOWER * float(row["time"]))
                row["cost"] = repr(SLOWER * float(row["cost"]))
    if hidden:
        names = {name: f"machine {i}" for i, name in enumerate(sorted({r["vm"] for r in rows}))}
        for row in rows:
            row["vm"] = names[row["vm"]]
    with target.open("w", newline="", encoding="utf-8") as copy:
        writer = csv.DictWriter(copy, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return target


def _memory(row: dict[str, str]) -> float:
    """GiB of all machines of a config."""
    known = Machine.of(row["vm"])
    assert known is not None and known.memory, f"{row['vm']} is not known"
    return known.memory * float(row["vms"])
