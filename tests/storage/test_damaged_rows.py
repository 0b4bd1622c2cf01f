"""Rows that no Tunewise wrote are refused in a sentence, whoever reads them."""

import sqlite3
from pathlib import Path

import pytest

import tunewise as tw
from tests.cli.shell import invoke


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("damaged") / "s.db"
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    with tw.Study(problem, "random", seed=0, storage=file, name="plain") as study:
        for _ in range(3):
            study.tell(study.ask(), {"accuracy": 0.5})
    return file


@pytest.mark.parametrize(
    ("table", "column", "value", "sentence"),
    [
        ("trials", "config", "", "it holds '' instead of JSON"),
        ("trials", "config", "{", "it holds '{' instead of JSON"),
        ("trials", "config", "[1]", "the config of trial 1 is [1]"),
        ("trials", "config", '{"y": 1}', "trial 1 has the parameters y; expected x"),
        ("trials", "state", "9999", "trial 1 is not understood"),
        ("trials", "outcome", "-1", "the store is damaged"),
        ("trials", "outcome", "{}", "trial 1 is not understood"),
        ("trials", "outcome", '{"metrics": {"accuracy": "a"}}', "trial 1 is not understood"),
        ("trials", "snapshots", "1", "the store is damaged"),
        ("trials", "fraction", "much", "the fraction of trial 1 is 'much'"),
        ("trials", "lost", "[]", "the lost of trial 1 is []"),
        ("trials", "told_at", -1e300, "the told_at of trial 1 is -1e+300"),
        ("studies", "created_at", -1e300, "the created_at of study 'plain' is -1e+300"),
        ("studies", "created_at", 1e300, "the created_at of study 'plain' is 1e+300"),
        ("studies", "seed", "many", "study 'plain' is not understood"),
        ("studies", "problem", "1", "the store is damaged"),
        ("studies", "problem", "{}", "the described problem is not understood"),
        ("studies", "notes", '"text"', "the notes of study 'plain' is 'text'"),
        ("studies", "strategy", "[]", "the strategy of study 'plain' is []"),
        ("schema", "version_num", "9999", "was written by a newer tunewise"),
        ("schema", "version_num", "abc", "was written by a newer tunewise"),
        ("schema", "version_num", "9" * 5000, "was written by a newer tunewise"),
        ("schema", "version_num", "٣٤", "was written by a newer tunewise"),
    ],
)
@pytest.mark.parametrize("command", ["show", "export", "report"])
def test_a_damaged_row_is_refused(
    store: Path, tmp_path: Path, command: str, table: str, column: str, value: object, sentence: str
) -> None:
    file = tmp_path / "s.db"
    file.write_bytes(store.read_bytes())
    where = " WHERE number = 1" if table == "trials" else ""
    with sqlite3.connect(file) as connection:
        connection.execute(f"UPDATE tunewise_{table} SET {column} = ?{where}", [value])
    connection.close()
    done = invoke(command, "plain", "--storage", file)
    assert done.exit_code == 1, done.stdout
    assert sentence in done.stderr


@pytest.mark.parametrize("notes", ['{"folder": 1}', '{"job": 1}', '{"recommended": {"after": 3}}'])
def test_a_note_that_is_not_understood_is_passed_over(
    store: Path, tmp_path: Path, notes: str
) -> None:
    file = tmp_path / "s.db"
    file.write_bytes(store.read_bytes())
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE tunewise_studies SET notes = ?", [notes])
    connection.close()
    assert invoke("show", "plain", "--storage", file).exit_code == 0


@pytest.mark.parametrize(
    ("state", "kept", "outcome"),
    [
        (
            "complete",
            '{"metrics": {"accuracy": 0.5}, "snapshots": [[0.1, {"accuracy": 0.4}]],'
            ' "deviations": {}}',
            tw.Measurement({"accuracy": 0.5}, {0.1: {"accuracy": 0.4}}),
        ),
        ("failed", '{"reason": "no", "metrics": {}}', tw.Failure("no")),
        (
            "failed",
            '{"reason": "late", "metrics": {"time": 9.0}, "timed_out": true}',
            tw.TimedOut("late", {"time": 9.0}),
        ),
        ("cancelled", '{"reason": "stop", "metrics": {}}', tw.Cancelled("stop")),
    ],
)
def test_an_outcome_that_was_kept_without_its_kind_is_read(
    store: Path, tmp_path: Path, state: str, kept: str, outcome: object
) -> None:
    file = tmp_path / "s.db"
    file.write_bytes(store.read_bytes())
    with sqlite3.connect(file) as connection:
        change = "UPDATE tunewise_trials SET state = ?, outcome = ? WHERE number = 1"
        connection.execute(change, [state, kept])
    connection.close()
    with tw.load_study(f"sqlite:///{file}", "plain") as study:
        assert study.history[1].outcome == outcome
        assert type(study.history[1].outcome) is type(outcome)
