"""Command lines: words that a command knows, in the wrong places, with the wrong values."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st
from typer.main import get_command

from tests.cli.shell import tunewise
from tests.fuzz.job_files import SOUND
from tests.fuzz.nasty import NUMBERS, TEXTS
from tests.fuzz.watch import Watch
from tunewise.cli import app

NAMES = [
    "plain",
    "plan",
    "job.yaml",
    "none.yaml",
    "0",
    "x=0.5",
    "y=2",
    "z=a",
    "y=9",
    "x=nan",
    "x=1e400",
]
LONGEST = 5_000
"""Letters of a word: the system itself takes none that is longer than 128 kB."""

words = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from([text[:LONGEST] for text in [*NUMBERS, *TEXTS]]),
    st.text(max_size=8),
    st.integers().map(str),
    st.floats().map(str),
).map(lambda word: word.replace("\0", "0"))


@cache
def _options() -> dict[str, list[tuple[str, bool]]]:
    """By command, its options, and whether each takes a value."""
    found: dict[str, list[tuple[str, bool]]] = {}
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined] # it is a group
    for name, command in commands.items():
        if name in _ENDLESS:
            continue
        options = [p for p in command.params if p.param_type_name == "option"]
        found[name] = [(o.opts[0], not o.is_flag) for o in options]
    return found


_ENDLESS = ("serve", "ui")
"""Commands that go on until somebody ends them."""

_STUDY = ["plain"]
_ARGUMENTS = {
    "tune": ["job.yaml"],
    "enqueue": ["plain", "x=0.5", "y=2", "z=a"],
    **dict.fromkeys(("show", "report", "export", "stop", "delete"), _STUDY),
}


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """The words after `tunewise`."""
    name = draw(st.sampled_from([*_options(), *_options(), "tun", ""]))
    given = [name]
    if draw(st.integers(0, 4)):
        given += _ARGUMENTS.get(name, [])
    else:
        given += [draw(words) for _ in range(draw(st.integers(0, 3)))]
    for _ in range(draw(st.integers(0, 3))):
        option, valued = draw(st.sampled_from(_options().get(name) or [("--json", False)]))
        given += [option, draw(words)] if valued else [option]
    if name == "tune":
        given.append("--dry-run")
    if name == "stop":
        given += ["--wait", "0"]
    if name == "replay":
        given += ["--table", "table.csv", "--trials", "2", "--seeds", "1", "--strategies", "random"]
        given += ["--jobs", "1"]
    return given


def prepared(folder: Path) -> Path:
    """A folder with a study, a job file and a table."""
    from tests.fuzz.tables import _trials

    place = folder / "prepared"
    place.mkdir()
    said = {**SOUND[0], "python": "train.py:train", "parallel": 1, "trials": 3}
    for left_out in ("command", "target", "min_gain", "min_trials", "storage", "report", "env"):
        del said[left_out]
    (place / "job.yaml").write_text(yaml.safe_dump(said))
    (place / "train.py").write_text(
        'def train(trial):\n    return {"accuracy": trial.config["x"], "time": 1.0, "cost": 0.01}\n'
    )
    (place / "table.csv").write_text("\n".join(",".join(row) for row in _trials()))
    assert tunewise("tune", "job.yaml", "-q", cwd=place).returncode == 0
    return place


def look(watch: Watch, given: list[str], place: Path) -> None:
    """Run the command in a fresh copy of the folder."""
    scene = place.with_name("scene")
    shutil.rmtree(scene, ignore_errors=True)
    shutil.copytree(place, scene, ignore=shutil.ignore_patterns("*.runs"))
    watch.command(given, scene, given)
