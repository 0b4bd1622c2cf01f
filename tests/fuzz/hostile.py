"""Output of jobs, URLs and names from people who mean harm."""

import io
import json
import re
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, cast

from hypothesis import strategies as st
from typer.main import get_command

import tunewise as tw
from tests.fuzz.watch import Watch
from tunewise.cli.app import app
from tunewise.execution.command.output import Transcript, measurement, report_of
from tunewise.screen import Guard

COMMAND = get_command(app)
"""Built once: that takes as long as a command."""
PASSWORD = "hunter2xyz"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

ESCAPES = [
    "\x1b[2J",
    "\x1b]0;x\x07",
    "\x9b31m",
    "\u202e",
    "\r",
    "\x08",
    "\x00",
    "\x7f",
    "\n",
    "=1+1",
]
texts = st.lists(st.one_of(st.sampled_from(ESCAPES), st.text(max_size=6)), max_size=6).map("".join)
names = texts.filter(lambda text: text.strip() != "")
_numbers = st.one_of(
    st.floats(), st.integers(), st.booleans(), st.none(), texts, st.just(10**400), st.just("1e999")
)
_keys = st.one_of(
    st.sampled_from(["accuracy", "cost", "time", "fraction", "metrics", "snapshots", "\ud800"]),
    texts,
)
_objects = st.recursive(
    st.dictionaries(_keys, _numbers, max_size=6),
    lambda inner: st.dictionaries(_keys, st.one_of(_numbers, inner), max_size=4),
    max_leaves=6,
)
_lines = st.one_of(
    _objects.map(json.dumps),
    _objects.map(lambda told: json.dumps({**told, "accuracy": 0.5})),
    texts,
    st.sampled_from(["{" * 2000, '{"a":' * 500 + "1" + "}" * 500, "NaN", '{"accuracy": NaN}']),
)
outputs = st.lists(_lines, max_size=8).map("\n".join)

PROBLEM = tw.Problem(tw.Space(tw.Choice("x", [1])), maximize="accuracy", fractions=(0.5, 1.0))


def look_at_output(watch: Watch, output: str, folder: Path) -> None:
    """A trial with this output is kept, and the study stays readable."""

    def tell() -> None:
        transcript = Transcript(lambda found: cast(None, report_of(found, 1.0)))
        transcript.add(output)
        transcript.close()
        found = measurement(transcript, 1.0)
        if found is None:
            return
        url = f"sqlite:///{folder}/outputs.db"
        with tw.Study(PROBLEM, "random", 0, url, "s") as study:
            trial = study.enqueue({"x": 1})
            try:
                study.tell(trial, found)
            finally:
                history = study.history
                study.store.delete("s")
        assert len(history) == 1

    watch.call(tell, output)


_passwords = st.just(PASSWORD)
urls = st.builds(
    "{}{}{}:{}@{}{}".format,
    st.sampled_from(["postgresql", "postgres", "mysql", "sqlite", "", "PostgreSQL", "pg"]),
    st.sampled_from(["://", ":/", "//", ":", ":///", ""]),
    st.sampled_from(["tw", "", "a%40b", "a@b"]),
    _passwords,
    st.sampled_from(["127.0.0.1:1", "h h", "", "[::1", "127.0.0.1:port", "x.db"]),
    st.one_of(
        st.sampled_from(["/tw", "/tw.db", "", "?", f"/d?options={PASSWORD}", f"/d?{PASSWORD}"]),
        st.sampled_from([f"/d?password={PASSWORD}&x", "/d?connect_timeout=0&sslmode=bad"]),
    ),
)
_commands = st.sampled_from([["list"], ["show", "s"], ["export", "s"], ["work", "--study", "s"]])
url_lines = st.tuples(_commands, urls)


def look_at_url(watch: Watch, given: tuple[list[str], str], folder: Path) -> None:
    """No password is printed."""
    words, url = given
    _look(watch, [*words, "--storage", url], folder, url)


def look_at_name(watch: Watch, given: tuple[str, str, str], folder: Path) -> None:
    """Nothing is printed that a terminal obeys."""
    name, value, reason = given
    url = f"sqlite:///{folder}/names.db"
    problem = tw.Problem(tw.Space(tw.Choice("x", [value, "other"])), maximize="accuracy")
    with tw.Study(problem, "random", 0, url, name) as study:
        study.tell(study.ask(), tw.Failure(reason, {"time": 1.0}))
    for command, named in (
        (["list"], []),
        (["show"], ["--", name]),
        (["export"], ["--", name]),
        (["delete", "--yes"], ["--", name]),
    ):
        _look(watch, [*command, "--storage", url, *named], folder, given)


def _look(watch: Watch, words: list[str], folder: Path, given: Any) -> None:
    out = Guard(io.StringIO())

    def run() -> None:
        streams = redirect_stdout(cast(Any, out)), redirect_stderr(cast(Any, out))
        with streams[0], streams[1], chdir(folder):
            try:
                COMMAND(words)
            except SystemExit as end:
                assert end.code in (0, 1, 2, 3), end.code

    watch.call(run, given)
    printed = out.unguarded.getvalue()  # type: ignore[attr-defined] # it is a StringIO
    watch.refuse("a control character", OBEYED.search(printed) is not None, given)
    watch.refuse("a password", PASSWORD in printed, given)
    watch.refuse("an internal error", "this should not happen" in printed, f"{given!r} {printed}")
