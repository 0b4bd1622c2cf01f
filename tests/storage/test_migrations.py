"""Stores of older schemas are brought up to date, those of newer ones refused."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tunewise.errors import StorageError
from tunewise.storage import migrations, open_store, schema
from tunewise.study import Store, StudyRecord
from tunewise.testing.stores import MEASURED, added

TODAY = schema.VERSION
TOMORROW = f"{int(TODAY) + 1:04}"
STEP = f'''"""A step of tomorrow."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "{TOMORROW}", "{TODAY}"


def upgrade() -> None:
    op.add_column("tunewise_trials", sa.Column("color", sa.Text()))
    op.execute("UPDATE tunewise_trials SET color = 'blue'")
'''


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/study.db"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def engine(url: str) -> Iterator[sa.Engine]:
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


def tables(engine: sa.Engine) -> dict[str, Any]:
    """Everything the database knows about the shape of its tables."""
    seen = sa.inspect(engine)
    return {
        name: {
            "columns": [{**c, "type": str(c["type"])} for c in seen.get_columns(name)],
            "key": seen.get_pk_constraint(name),
            "foreign": seen.get_foreign_keys(name),
            "unique": seen.get_unique_constraints(name),
            "indexes": seen.get_indexes(name),
        }
        for name in sorted(seen.get_table_names())
    }


def told_store(url: str) -> Store:
    store = open_store(url)
    store.create(StudyRecord("s", {}, {}, 0))
    store.tell("s", added(store).number, MEASURED)
    return store


@pytest.fixture
def tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The migrations with one more step, which the schema knows of; gives the step's file."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations.FOLDER, folder)
    step = folder / "versions" / f"v{TOMORROW}_color.py"
    step.write_text(STEP)
    monkeypatch.setattr(migrations, "FOLDER", folder)
    monkeypatch.setattr(schema, "VERSION", TOMORROW)
    return step


def test_the_last_migration_is_the_schemas_version() -> None:
    script = ScriptDirectory.from_config(migrations.config())
    assert script.get_current_head() == schema.VERSION


def test_a_new_store_has_the_tables_that_all_migrations_give(engine: sa.Engine, url: str) -> None:
    with engine.begin() as connection:
        migrations.upgrade(connection)
        context = MigrationContext.configure(
            connection, opts={"version_table": schema.schema.name, "compare_type": True}
        )
        assert compare_metadata(context, schema.metadata) == []
    migrated = tables(engine)
    assert set(migrated) == set(schema.metadata.tables)
    with engine.begin() as connection:
        schema.metadata.drop_all(connection)
    open_store(url).close()
    assert tables(engine) == migrated


def test_a_migrated_store_needs_nothing_more(engine: sa.Engine, url: str) -> None:
    with engine.begin() as connection:
        migrations.upgrade(connection)
    store = told_store(url)
    assert store.history("s")[0].outcome == MEASURED
    store.close()


def test_an_older_store_is_brought_up_to_date_when_opened(
    engine: sa.Engine, url: str, request: pytest.FixtureRequest
) -> None:
    told_store(url).close()
    request.getfixturevalue("tomorrow")
    store = open_store(url)
    assert store.history("s")[0].outcome == MEASURED
    store.close()
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT version_num FROM tunewise_schema")) == TOMORROW
        assert connection.scalar(sa.text("SELECT color FROM tunewise_trials")) == "blue"


def test_a_store_without_namespaces_goes_on(engine: sa.Engine, url: str) -> None:
    with engine.begin() as connection:
        migrations.upgrade(connection, "0001")
        connection.execute(
            sa.text(
                "INSERT INTO tunewise_studies (name, problem, strategy, seed, notes, created_at)"
                " VALUES ('s', '{}', '{}', '7', '{}', 1.5)"
            )
        )
    store = open_store(url)
    assert store.namespaces() == [""]
    assert store.load("s").seed == 7
    store.within("team").create(StudyRecord("s", {}, {}, 8))
    assert store.load("s").seed == 7
    store.tell("s", added(store).number, MEASURED)
    assert store.history("s")[0].outcome == MEASURED
    store.close()


def test_what_older_trials_have_used_is_known_to_the_ledger(engine: sa.Engine, url: str) -> None:
    told_store(url).close()
    with engine.begin() as connection:
        command.downgrade(migrations.config(connection), "0008")
    open_store(url).close()
    with engine.connect() as connection:
        used = connection.execute(sa.text("SELECT usd, seconds FROM tunewise_trials")).one()
    assert tuple(used) == (MEASURED.metrics.get("cost", 0.0), MEASURED.metrics.get("time", 0.0))
    assert any(used)


def test_a_migration_that_breaks_off_leaves_the_store_as_it_was(
    engine: sa.Engine, url: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_store(url).close()
    before = tables(engine)
    step: Path = request.getfixturevalue("tomorrow")
    step.write_text(STEP + "    op.execute('SELECT no_such_thing')\n")
    with pytest.raises(StorageError, match="cannot use the store .*no_such_thing"):
        open_store(url)
    assert tables(engine) == before
    monkeypatch.undo()
    store = open_store(url)
    assert store.history("s")[0].outcome == MEASURED
    store.close()


def test_a_store_of_a_newer_tunewise_is_refused(engine: sa.Engine, url: str) -> None:
    told_store(url).close()
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE tunewise_schema SET version_num = '9999'"))
    sentence = r"was written by a newer tunewise \(schema 9999, this one knows up to \d+\)"
    with pytest.raises(StorageError, match=sentence):
        open_store(url)


def test_tables_of_other_programs_are_left_alone(engine: sa.Engine, url: str) -> None:
    with engine.begin() as connection:
        for name in ("studies", "trials", "alembic_version"):
            connection.execute(sa.text(f"CREATE TABLE {name} (mine INTEGER)"))
    told_store(url).close()
    with engine.connect() as connection:
        for name in ("studies", "trials", "alembic_version"):
            assert connection.execute(sa.text(f"SELECT mine FROM {name}")).all() == []
