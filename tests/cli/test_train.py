"""`tunewise train` runs a training that tunes itself, and goes on after a crash."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.shell import PATIENCE, invoke, running, tunewise
from tests.execution.processes import alive, eventually, gone
from tunewise.errors import ExecutionError
from tunewise.storage import open_store

JOB = """
name: small
paramserver:
  data: {rows: 400, features: 8}
  rate: 0.5
  machines: {nodes: 12, per_iteration: 0.01}
space:
  servers: [1, 2]
  workers: [2, 4, 8]
  consistency: [bsp, asp]
default: {servers: 1, workers: 2, consistency: bsp}
until: loss <= 0.55
price: 0.10 * (servers + workers)
"""


def test_a_simulated_training_ends_and_leaves_its_page(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    done = tunewise("train", "job.yaml", "--json", "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["done"] and end["seconds"] > 0 and end["cost"] > 0
    page = (tmp_path / "page.html").read_text()
    for words in ("Loss over time", "What was believed", "First setting alone", "Settings"):
        assert words in page
    again = tunewise("train", "job.yaml", "--json", cwd=tmp_path)
    assert json.loads(again.stdout.splitlines()[-1]) == end
    shown = json.loads(tunewise("show", "small", "--json", cwd=tmp_path).stdout)
    assert shown["cost"] == pytest.approx(end["cost"])
    assert " USD, loss " in tunewise("show", "small", cwd=tmp_path).stdout
    assert tunewise("report", "small", cwd=tmp_path).returncode == 0
    for written in (page, (tmp_path / "small-report.html").read_text()):
        assert "USD" in written
    (tmp_path / "tunewise.db.runs" / "small.training" / "price.json").write_text("[]")
    assert json.loads(tunewise("show", "small", "--json", cwd=tmp_path).stdout)["cost"] is None


def test_a_killed_training_goes_on_where_it_was_left(tmp_path: Path) -> None:
    # However long it runs before it is killed: its time is simulated, and goes by quickly.
    never = JOB.replace("0.55", "0.0001").replace("0.5", "1e-6") + "checkpoint: 1000000 h\n"
    (tmp_path / "job.yaml").write_text(never)
    with running("train", "job.yaml", "--json", cwd=tmp_path) as begun:
        assert begun.stdout is not None
        for _ in range(3):
            begun.stdout.readline()
        begun.kill()
        begun.communicate(timeout=PATIENCE)
    store = open_store(f"sqlite:///{tmp_path}/tunewise.db")
    before = store.runs().events("small")
    with running("train", "job.yaml", "--json", cwd=tmp_path) as again:
        assert again.stdout is not None
        again.stdout.readline()
        again.kill()
        again.communicate(timeout=PATIENCE)
    after = store.runs().events("small")
    store.close()
    assert after[: len(before)] == before
    assert after[len(before)] == {"resumed": 0.0}, "there was no checkpoint yet"
    assert len(after) > len(before) + 1


def test_a_corrected_job_file_goes_on_under_the_same_name(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    text = "name: a\ncommand: {}\nspace: {{batch: [8, {}]}}\nuntil: samples >= 100\n"
    file.write_text(text.format("no-such-program", 9))
    planned = tunewise("train", "job.yaml", "--dry-run", cwd=tmp_path)
    assert planned.returncode == 1
    assert "the program 'no-such-program' was not found; expected a path" in planned.stderr
    refused = tunewise("train", "job.yaml", cwd=tmp_path)
    assert refused.returncode == 1 and "'no-such-program' cannot be started" in refused.stderr
    report = "import time; [print(chr(123) + chr(34) + 'samples' + chr(34) + ': 8}', flush=True)"
    (tmp_path / "loop.py").write_text(f"{report} for _ in range(20)]; time.sleep(60)")
    file.write_text(text.format(f"{sys.executable} loop.py", 16) + "restart: true\n")
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a: done after" in done.stdout


@pytest.mark.long
def test_a_silent_command_is_told_of_on_the_terminal(tmp_path: Path) -> None:
    text = f"command: {sys.executable} -c 'import time; time.sleep(600)'\n"
    (tmp_path / "job.yaml").write_text(text + "space: {batch: [8, 9]}\nuntil: samples >= 100\n")
    told = "nothing was reported yet, after 10 s"
    with running("train", "job.yaml", cwd=tmp_path) as waiting:
        assert waiting.stderr is not None
        line = next(line for line in waiting.stderr if told in line)
        waiting.send_signal(signal.SIGINT)
        waiting.communicate(timeout=PATIENCE)
    assert '{"loss": 0.41' in line and "job.training/stderr.log" in line


def test_what_init_writes_runs(tmp_path: Path) -> None:
    written = tunewise("init", "--train", "job.yaml", cwd=tmp_path)
    assert "wrote job.yaml and loop.py; run it with: tunewise train job.yaml" in written.stdout
    text = (tmp_path / "job.yaml").read_text()
    (tmp_path / "job.yaml").write_text(text.replace("loss <= 0.12", "loss <= 0.8"))
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "example-training: done after" in done.stdout
    assert "USD" in done.stdout


def test_mistakes_are_told_with_line_and_field(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB.replace("loss <= 0.55", "loss < 0.55").replace("rate:", "rte:"))
    refused = invoke("train", file)
    assert refused.exit_code == 1
    assert "job.yaml:5: paramserver.rte: unknown field" in refused.stderr
    file.write_text(JOB.replace("loss <= 0.55", "loss < 0.55") + "manager: pcae\nminimize: cost\n")
    refused = invoke("train", file)
    assert "until: until is 'loss < 0.55'; expected" in refused.stderr
    assert "manager is 'pcae'; expected one of pace, selftf" in refused.stderr


def test_an_option_is_not_blamed_on_the_job_file(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB)
    refused = invoke("train", file, "--manager", "selftfx")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("unknown manager 'selftfx'; did you mean 'selftf'")


def test_a_plan_names_the_first_setting(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("".join(each for each in JOB.splitlines(True) if "default" not in each))
    plan = json.loads(invoke("train", file, "--dry-run", "--json").stdout)
    assert plan["first"] == {"servers": 1, "workers": 2, "consistency": "bsp"}
    assert "begins under servers=1, workers=2, consistency=bsp" in (
        invoke("train", file, "--dry-run").stdout
    )


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://x", "unknown storage 'mysql'; did you mean 'sqlite'?"),
        ("sqlite:////nowhere/x.db", "the store '/nowhere/x.db' has no place: there is no folder"),
        ("broken.db", "the file is not a SQLite database"),
    ],
)
def test_a_dry_run_tells_of_a_storage_that_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "broken.db").write_text("no database " * 100)
    refused = invoke("train", "job.yaml", "--dry-run", "--storage", url)
    assert refused.exit_code == 1 and told in refused.stderr
    assert invoke("train", "job.yaml", "--dry-run").exit_code == 0
    assert not (tmp_path / "tunewise.db").exists()


def test_a_report_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "folder").mkdir()
    for options in ((), ("--dry-run",)):
        refused = tunewise("train", "job.yaml", "--report", "folder", *options, cwd=tmp_path)
        assert refused.returncode == 1 and not refused.stdout
        assert "the report 'folder' is a folder; expected an HTML file" in refused.stderr
    assert not (tmp_path / "tunewise.db").exists()


@pytest.mark.parametrize("fails", [False, True])
def test_a_report_that_fails_at_the_end_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tunewise.report.training.write", full)
    (tmp_path / "job.yaml").write_text(JOB)
    if fails:
        monkeypatch.setattr("tunewise.job.training.run.follow", _failing)
    done = tunewise("train", "job.yaml", "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 1
    assert "the report 'page.html' was not written: [Errno 28] No space left" in done.stderr
    assert ("the nodes are gone" in done.stderr) == fails
    assert ("small: done after" in done.stdout) != fails


def _failing(*_: object, **__: object) -> None:
    raise ExecutionError("the nodes are gone")


def test_a_price_that_fails_in_a_large_space_hides_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where it fails for settings that were not looked at before.
    monkeypatch.setattr("tunewise.job.training.file.looked_at", lambda _, first: [first])
    large = JOB.replace("default:", "  batch_size: {integer: [100, 4000]}\ndefault:")
    begun = large.replace("bsp}", "bsp, batch_size: 100}")
    text = begun.replace("0.10 * (servers + workers)", "101 - batch_size")
    (tmp_path / "job.yaml").write_text(text)
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert "small: done after" in done.stdout
    assert "price: '101 - batch_size' gives no price" in done.stderr


def test_money_is_saved_under_a_deadline_only_with_prices(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    cheap = JOB.replace("price: 0.10 * (servers + workers)", "minimize: cost")
    file.write_text(cheap)
    assert "expected what an hour of a setting costs" in invoke("train", file).stderr
    file.write_text(JOB + "minimize: cost\nsubject_to: [time <= 2 h]\n")
    plan = invoke("train", file, "--dry-run", "--json")
    assert json.loads(plan.stdout)["deadline"] == 7200


def test_a_deadline_is_watched_where_time_is_to_be_small(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB + "subject_to: time <= 50 ms\n")
    assert "least time, within 50 ms" in invoke("train", file, "--dry-run").stdout
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [each.getMessage()[:22] for each in caplog.records] == ["the deadline of 50 ms "]
    assert "the deadline of 50 ms was missed" in tunewise("show", "small", cwd=tmp_path).stdout


def test_a_missed_deadline_is_told_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB + "minimize: cost\nsubject_to: [time <= 50 ms]\n")
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "small: the deadline of 50 ms was missed." in done.stdout


LINGERING = """
import json, os, time
with open("pids", "a") as file:
    file.write(f"{os.getpid()}\\n")
open("begun", "w").close()
print(json.dumps({"samples": 8}), flush=True)
time.sleep(600)
"""


@pytest.fixture
def lingering(tmp_path: Path) -> Iterator[Path]:
    """A folder with a job whose command reports once and then only sleeps."""
    (tmp_path / "loop.py").write_text(LINGERING)
    text = f"name: a\ncommand: {sys.executable} loop.py\nspace: {{batch: [8, 9]}}\n"
    (tmp_path / "job.yaml").write_text(text + "until: samples >= 100\n")
    yield tmp_path
    for pid in pids(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def pids(folder: Path) -> list[int]:
    """The commands that were started there, in order."""
    file = folder / "pids"
    return [int(each) for each in file.read_text().split()] if file.exists() else []


def test_a_training_that_is_asked_to_end_takes_its_command_along(lingering: Path) -> None:
    with running("train", "job.yaml", cwd=lingering) as train:
        assert train.stderr is not None
        assert any("begins under" in line for line in train.stderr), "it knows of its command"
        assert eventually(lambda: len(pids(lingering)) == 1)
        train.send_signal(signal.SIGTERM)
        said = train.communicate(timeout=PATIENCE)[1]
    assert train.returncode == 130
    assert "Go on with: tunewise train job.yaml" in said
    assert not alive(pids(lingering)[0])


def test_it_ends_when_asked_though_it_was_started_where_ctrl_c_is_ignored(lingering: Path) -> None:
    before = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # as a shell does with what it starts by &
    try:
        with running("train", "job.yaml", cwd=lingering) as train:
            signal.signal(signal.SIGINT, before)
            assert eventually(lambda: len(pids(lingering)) == 1)
            train.send_signal(signal.SIGTERM)
            train.communicate(timeout=PATIENCE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert train.returncode == 130
    assert gone(pids(lingering))


def test_a_training_that_was_killed_leaves_no_second_command(lingering: Path) -> None:
    for before in (0, 1):
        assert len(pids(lingering)) == before
        with running("train", "job.yaml", cwd=lingering) as train:
            assert eventually((lingering / "begun").exists)
            (lingering / "begun").unlink()
            assert list(filter(alive, pids(lingering))) == pids(lingering)[-1:]
            train.kill()
            train.communicate(timeout=PATIENCE)
    assert alive(pids(lingering)[-1]), "nobody has ended it yet"
    assert invoke("delete", "a", "--yes", "--storage", lingering / "tunewise.db").exit_code == 0
    assert not alive(pids(lingering)[-1])
