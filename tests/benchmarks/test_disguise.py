"""Tables made harder for the belief about machines."""

import csv
from pathlib import Path

import pytest

from benchmarks.disguise import SLOWER, disguised

ROWS = [
    {"vm": "c4.large", "vms": "2", "time": "100.0", "cost": "1.0"},
    {"vm": "c4.large", "vms": "8", "time": "50.0", "cost": "2.0"},
    {"vm": "r4.2xlarge", "vms": "1", "time": "80.0", "cost": "3.0"},
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as target:
        writer = csv.DictWriter(target, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source))


def test_hidden_names_stay_apart_and_tell_nothing(table: Path, tmp_path: Path) -> None:
    rows = read(disguised(table, tmp_path / "hidden.csv", hidden=True, cliff=False))
    assert [row["vm"] for row in rows] == ["machine 0", "machine 0", "machine 1"]
    assert [row["time"] for row in rows] == [row["time"] for row in ROWS]


def test_beyond_the_cliff_is_what_has_less_memory_than_the_median(
    table: Path, tmp_path: Path
) -> None:
    rows = read(disguised(table, tmp_path / "cliff.csv", hidden=False, cliff=True))
    # 7.5, 30 and 61 GiB: the first one is below the median.
    assert [float(row["time"]) for row in rows] == [SLOWER * 100.0, 50.0, 80.0]
    assert [float(row["cost"]) for row in rows] == [SLOWER * 1.0, 2.0, 3.0]
