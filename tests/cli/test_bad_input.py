"""Whatever a person gets wrong, they get a sentence and an exit code, never a traceback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import tunewise as tw
from tests.cli.shell import Done, invoke, job, tunewise
from tests.cli.test_tune import history

PYTHON = sys.executable


def refused(done: Done, sentence: str, code: int = 1) -> None:
    assert done.returncode == code, done.stdout + done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"strategy": "cherypick"}, "strategy: unknown strategy 'cherypick'; did you mean 'cherr"),
        ({"command": "train {z}"}, "command: the command has an unknown field {z}"),
        ({"where": "z > 1"}, "where: 'z > 1' has an unknown parameter 'z'"),
        ({"python": None}, "command or python is missing"),
        ({"python": "wrk.py:train"}, "wrk.py cannot be read: No such file"),
        ({"python": "work.py:tran"}, "has no function 'tran'; did you mean 'train'"),
        ({"storage": "mysql://host/db"}, "storage: unknown storage 'mysql'"),
        ({"command": "echo {x:zz}"}, "command: {x:zz} has an unknown format 'zz'"),
        ({"command": "echo {x:d}"}, "command: {x:d} does not fit the value"),
        (
            {"strategy": {"name": "cherrypick", "initial": "lots"}},
            "strategy: initial is 'lots'; expected a whole number",
        ),
        ({"where": "x > 300"}, "where: 'x > 300' holds for no config: x is 0 to 1"),
        ({"report": "a/b/c.html"}, "report: the report "),
        ({"report": "."}, "is a folder; expected an HTML file"),
        ({"name": "n" * 300}, "name has 300 characters; expected a name of at most 100"),
        (
            {"command": "echo {trial}", "space": {"trial": [1, 2]}, "price": 1},
            "command: {trial} is the trial's own, and a parameter has this name too",
        ),
    ],
)
@pytest.mark.parametrize("dry", [["--dry-run"], []], ids=["dry", "real"])
def test_a_wrong_job_file_is_refused(
    tmp_path: Path, fields: dict[str, object], sentence: str, dry: list[str]
) -> None:
    path = job(tmp_path, **fields)
    before = sorted(tmp_path.iterdir())
    refused(tunewise("tune", path, *dry, cwd=tmp_path), sentence)
    assert sorted(tmp_path.iterdir()) == before


def test_malformed_yaml_is_refused_with_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("name: x\nspace: {a: [1, 2}\n")
    refused(tunewise("tune", "job.yaml", cwd=tmp_path), "job.yaml:2:17: not valid YAML: a [list]")


def test_a_job_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(tunewise("tune", "job.yml", cwd=tmp_path), "no job file job.yml; `tunewise init`")
    job(tmp_path)
    refused(
        tunewise("tune", "job.yml", cwd=tmp_path), "no job file job.yml; did you mean 'job.yaml'?"
    )
    refused(tunewise("tune", ".", cwd=tmp_path), ". is a folder; expected a job file")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--strategy", "rndom"], "unknown strategy 'rndom'; did you mean 'random'"),
        (["--budget", "cheap"], "'cheap' is not a number for 'cost'"),
        (["--budget", "-1"], "budget is '-1'; expected an amount of USD above 0"),
        (["--timeout", "soon"], "'soon' is not a number for 'time'"),
        (["--timeout", "0"], "timeout is '0'; expected seconds above 0"),
        (["--storage", "nowhere/deep.db"], "is not there"),
        (["--storage", "postgresql://nobody@127.0.0.1:1/none"], "no server answers there"),
        (["--storage", "htp://x"], "'htp'"),
        (["--report", "work.py/report.html"], "work.py"),
        (["--report", "no/such/report.html"], "there is no folder"),
        (["--name", "n" * 101], "the name has 101 characters; expected at most 100"),
    ],
)
def test_a_wrong_option_is_refused(tmp_path: Path, options: list[str], sentence: str) -> None:
    refused(tunewise("tune", job(tmp_path), *options, cwd=tmp_path), sentence)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("print('no result')", "the command gave no result"),
        ("pass", "it printed nothing"),
        ("import os; os.kill(os.getpid(), 9)", "the command was killed by SIGKILL"),
        ("import os; os.kill(os.getpid(), 11)", "the command was killed by SIGSEGV"),
        ("raise SystemExit(3)", "the command ended with exit code 3"),
        ("print('{\"accuracy\": NaN}')", "metric 'accuracy' is nan; expected a finite number"),
        ("print('{\"accuracy\": Infinity}')", "metric 'accuracy' is inf; expected a finite number"),
        ('print(\'{"accuracy": "high"}\')', "metric 'accuracy' is 'high'; expected a number"),
        ("print('{\"acuracy\": 0.9}')", "the measurement has no 'accuracy', which the problem"),
        ("print('{}')", "a measurement needs at least one metric"),
    ],
)
def test_a_job_without_a_sound_result_fails_its_trials_in_a_sentence(
    tmp_path: Path, code: str, sentence: str
) -> None:
    path = job(tmp_path, command=[PYTHON, "-c", code.replace("{", "{{").replace("}", "}}")])
    done = tunewise("tune", path, "--trials", 1, cwd=tmp_path)
    refused(done, sentence)
    assert [t.state for t in history(tmp_path)] == ["failed"]


def test_a_program_that_is_not_there_fails_in_a_sentence(tmp_path: Path) -> None:
    path = job(tmp_path, command="no-such-program {x}")
    refused(tunewise("tune", path, cwd=tmp_path), "the program 'no-such-program' was not found")
    assert not (tmp_path / "tunewise.db").exists()
    dry = tunewise("tune", path, "--dry-run", cwd=tmp_path)
    assert dry.returncode == 0
    assert "the program 'no-such-program' was not found" in dry.stderr


def test_the_last_output_stands_beside_the_reason(tmp_path: Path) -> None:
    path = job(tmp_path, command=[PYTHON, "-c", "print('out of luck\\n\\n'); raise SystemExit(3)"])
    done = tunewise("tune", path, "--trials", 1, cwd=tmp_path)
    assert "the command ended with exit code 3; its last output: out of luck" in done.stdout


def test_a_function_that_raises_fails_in_a_sentence(tmp_path: Path) -> None:
    path = job(tmp_path, trials=1)
    (tmp_path / "work.py").write_text("def train(trial):\n    return 1 / 0\n")
    done = tunewise("tune", path, cwd=tmp_path)
    assert done.returncode == 1
    assert "ZeroDivisionError: division by zero (work.py line 2, in train" in done.stderr
    traced = (done.stdout + done.stderr).partition("Traceback")[2]
    assert "work.py" in traced and "tunewise" not in traced.partition("ZeroDivisionError")[0]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, where this process may have one."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this process may not mount a disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_storage_that_may_not_be_written_is_refused(disk: Path) -> None:
    path = job(disk)
    assert tunewise("tune", path, "-q", "--trials", 1, cwd=disk).returncode == 0
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    refused(tunewise("tune", path, cwd=disk), "cannot use the store")
    refused(tunewise("report", "quick", cwd=disk), "may not be written")
    # What only reads does as ever.
    place = ("--storage", f"sqlite:///{disk}/tunewise.db")
    for command in (("list",), ("show", "quick"), ("export", "quick")):
        done = invoke(*command, *place)
        assert done.exit_code == 0 and "0.8143" in done.stdout, done.stderr


def test_a_full_disk_is_said_so_and_what_was_told_is_kept(disk: Path) -> None:
    path = job(disk, trials=2)
    assert tunewise("tune", path, "-q", cwd=disk).returncode == 0
    told = history(disk)
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 4096)
    refused(tunewise("tune", path, "--trials", 4, cwd=disk), "disk full")
    (disk / "filler").unlink()
    assert tunewise("tune", path, "-q", "--trials", 4, cwd=disk).returncode == 0
    assert history(disk)[:2] == told
    assert len(history(disk).complete) == 4


def test_a_file_that_is_no_storage_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tunewise.db").write_text("this is not a database at all, it is text\n" * 100)
    refused(tunewise("tune", job(tmp_path), cwd=tmp_path), "is not a SQLite database")
    refused(tunewise("list", cwd=tmp_path), "is not a SQLite database")


def test_a_folder_is_no_storage(tmp_path: Path) -> None:
    (tmp_path / "tunewise.db").mkdir()
    refused(tunewise("tune", job(tmp_path), cwd=tmp_path), "is a folder; expected a file")


def test_an_export_onto_a_full_disk_is_said_so(tmp_path: Path) -> None:
    if not os.access("/dev/full", os.W_OK):
        pytest.skip("this system has no /dev/full")
    path = job(tmp_path)
    assert tunewise("tune", path, "-q", cwd=tmp_path).returncode == 0
    refused(tunewise("export", "quick", "-o", "/dev/full", cwd=tmp_path), "No space left on device")


def test_an_unknown_study_is_refused_with_the_nearest(tmp_path: Path) -> None:
    assert tunewise("tune", job(tmp_path), "-q", "--trials", 1, cwd=tmp_path).returncode == 0
    storage = ("--storage", tmp_path / "tunewise.db")
    for words in (
        ["show", "quik"],
        ["report", "quik"],
        ["export", "quik"],
        ["delete", "quik", "--yes"],
        ["stop", "quik"],
        ["enqueue", "quik", "x=1"],
    ):
        done = invoke(*words, *storage)
        assert done.exit_code == 1, words
        assert "there is no study 'quik'; did you mean 'quick'?" in done.stderr


def test_a_trial_told_twice_is_refused(tmp_path: Path) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    with tw.Study(problem, "random", storage=tmp_path / "s.db", name="twice") as study:
        trial = study.ask()
        study.tell(trial, {"accuracy": 0.5})
        with pytest.raises(tw.TunewiseError, match=r"trial 0 .*"):
            study.tell(trial, {"accuracy": 0.6})
        assert study.history[0].metrics == {"accuracy": 0.5}
