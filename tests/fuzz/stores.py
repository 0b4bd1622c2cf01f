"""Stores that something has damaged: rows that no Tunewise wrote."""

import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from tests.fuzz.watch import Watch

COLUMNS = {
    "tunewise_studies": ["problem", "strategy", "seed", "notes", "created_at", "name"],
    "tunewise_trials": [
        *("config", "fraction", "snapshots", "enqueued", "state", "outcome", "lost", "asked_at"),
        *("told_at", "owner", "lease_until", "stop", "number"),
    ],
    "tunewise_schema": ["version_num"],
}
VALUES: list[object] = [
    *(
        "",
        "null",
        "{}",
        "[]",
        "[1]",
        "0",
        "-1",
        "1e999",
        "nan",
        '"text"',
        "{",
        "\ud7ff",
        "x",
        "true",
    ),
    *(
        '{"x": 0.5}',
        '{"metrics": {}}',
        '{"reason": 1, "metrics": {}}',
        '{"metrics": {"accuracy": "a"}}',
    ),
    *(
        '{"metrics": {"accuracy": NaN}, "snapshots": [], "deviations": {}}',
        '{"name": "nope"}',
        "complete",
    ),
    *('{"metrics": {"accuracy": 1e999}, "snapshots": [], "deviations": {}}', "running", "waiting"),
    *(
        '{"metrics": {"accuracy": 0.5}, "snapshots": [[0.1]], "deviations": {}}',
        "9999",
        "0002",
        "abc",
    ),
    *(
        '{"space": []}',
        '{"space": {"parameters": 1}}',
        '{"folder": 1}',
        '{"job": 1}',
        '{"job": {}}',
    ),
    *(
        '{"job": {"text": "{", "path": "x", "changes": {}}}',
        '{"recommended": 1}',
        '{"stopped": []}',
    ),
    *(
        '{"recommended": {"after": 3}}',
        '{"folder": "/nowhere\\u0000"}',
        "9" * 5000,
        b"\xff\xfe",
        None,
    ),
    *(0, -1, 2, 1e300, -1e300, float("inf"), 10**18, 0.1),
]
COMMANDS = [
    ["show", "plain"],
    ["show", "plain", "--json"],
    ["show", "plain", "--trial", "0"],
    ["list"],
    ["list", "--json"],
    ["export", "plain"],
    ["export", "plain", "--json"],
    ["report", "plain"],
    ["enqueue", "plain", "x=0.5", "y=2", "z=a"],
    ["stop", "plain", "--wait", "0"],
    ["delete", "plain", "--yes"],
    ["tune", "job.yaml", "--dry-run", "--warm-start", "plain", "--name", "new"],
]


@dataclass(frozen=True)
class Damage:
    """A value in a column that is not Tunewise's, and the command that meets it."""

    table: str
    column: str
    value: object
    words: list[str]


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    """One cell of the store, changed."""
    table = draw(st.sampled_from(sorted(COLUMNS)))
    column = draw(st.sampled_from(COLUMNS[table]))
    value = draw(st.sampled_from(VALUES))
    return Damage(table, column, value, draw(st.sampled_from(COMMANDS)))


def look(watch: Watch, damage: Damage, place: Path) -> None:
    """Damage a fresh copy, and run the command on it."""
    scene = place.with_name("scene")
    shutil.rmtree(scene, ignore_errors=True)
    shutil.copytree(place, scene, ignore=shutil.ignore_patterns("*.runs"))
    with sqlite3.connect(scene / "tunewise.db") as store:
        where = " WHERE number = 1" if damage.table == "tunewise_trials" else ""
        try:
            store.execute(f"UPDATE {damage.table} SET {damage.column} = ?{where}", [damage.value])
        except sqlite3.Error:
            return
    store.close()
    watch.command(damage.words, scene, damage)
