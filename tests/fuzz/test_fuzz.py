"""Whatever is given, the answer is a sentence: job files, tables, command lines and stores.

Some dozens of each run with the suite; `make fuzz` runs tens of thousands. The counts are in the
environment: FUZZ_JOB_FILES, FUZZ_TABLES, FUZZ_COMMAND_LINES, FUZZ_STORES, FUZZ_OUTPUTS, FUZZ_URLS,
FUZZ_NAMES, FUZZ_PROGRAMS, FUZZ_EXAMPLES and FUZZ_MODELS.
"""

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from typer.main import get_command

from tests.fuzz import command_lines, hostile, stores, tables
from tests.fuzz.job_files import TRAIN, job_files
from tests.fuzz.programs import programs
from tests.fuzz.watch import Watch
from tunewise.declarative.schema import parse

_STEP = 1000


def fuzzed(kind: str, few: int, inputs: st.SearchStrategy[Any], look: Callable[..., None]) -> None:
    """Look at so many inputs, then fail with all defects at once."""
    count = int(os.environ.get(f"FUZZ_{kind.upper()}", few))
    watch, said = Watch(), {"steps": 0}

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=f"FUZZ_{kind.upper()}" not in os.environ,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs)
    def every(found: Any) -> None:
        look(watch, found)
        if watch.count // _STEP > said["steps"]:  # who waits for hours sees how far it is
            said["steps"] = watch.count // _STEP
            print(f"{kind}: {watch.summary()}", file=sys.stderr, flush=True)

    every()
    print(f"{kind}: {watch.summary()}", file=sys.stderr)
    watch.check()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNEWISE_HOME", str(tmp_path / "home"))
    # Both are the same for every input, and take longer than most commands.
    monkeypatch.setattr("typer.testing._get_command", cache(get_command))
    monkeypatch.setattr("tunewise.registry.entry_points", cache(entry_points))
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def test_job_files(folder: Path) -> None:
    def look(watch: Watch, written: bytes) -> None:
        (folder / "job.yaml").write_bytes(written)
        watch.command(["tune", "job.yaml", "--dry-run"], folder, written)

    fuzzed("job_files", 30, job_files(), look)


def test_tables(folder: Path) -> None:
    fuzzed("tables", 20, tables.tables(), lambda watch, t: tables.look(watch, t, folder))


def test_command_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typer, "launch", lambda page: 0)  # thousands of browsers would be too many
    place = command_lines.prepared(folder)
    fuzzed(
        "command_lines",
        50,
        command_lines.command_lines(),
        lambda watch, words: command_lines.look(watch, words, place),
    )


def test_stores(folder: Path) -> None:
    place = command_lines.prepared(folder)
    fuzzed("stores", 20, stores.damages(), lambda watch, d: stores.look(watch, d, place))


def test_outputs(folder: Path) -> None:
    fuzzed("outputs", 30, hostile.outputs, lambda w, o: hostile.look_at_output(w, o, folder))


def test_urls(folder: Path) -> None:
    fuzzed("urls", 40, hostile.url_lines, lambda w, u: hostile.look_at_url(w, u, folder))


def test_names(folder: Path) -> None:
    given = st.tuples(hostile.names, hostile.texts, hostile.texts)
    fuzzed("names", 10, given, lambda w, g: hostile.look_at_name(w, g, folder))


def test_examples(folder: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs tunewise[tasks]")
    from tests.fuzz import examples

    fed = examples.Fed(folder)
    fuzzed("examples", 40, examples.files(), fed.look)


def test_models() -> None:
    pytest.importorskip("onnxruntime", reason="needs tunewise[tasks]")
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")
    from tests.fuzz import models

    assert all(map(models.content_of, models.KINDS))  # trained before anything is drawn
    fuzzed("models", 40, models.damaged(), models.look)


def test_programs() -> None:
    def look(watch: Watch, text: str) -> None:
        def same() -> None:
            program = parse(text)
            assert parse(str(program)) == program == parse(program.long())

        watch.call(same, text)

    fuzzed("programs", 200, programs(), look)
