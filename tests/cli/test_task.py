"""`tunewise task` from the shell, as a person would type it."""

import csv
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.cli.shell import Done, tunewise
from tests.extras import needs
from tunewise.cli.task.narration import narrated, said
from tunewise.declarative.training.work import Progress

needs("lightgbm", "tasks")
needs("onnxruntime", "tasks")


def _run(folder: Path, *words: str, text: str = "") -> Done:
    return tunewise("task", *words, cwd=folder, text=text)


def _process(folder: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tunewise", "task", *words]
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, and a task that was declared from it and trained."""
    folder = tmp_path_factory.mktemp("shell")
    rng = np.random.default_rng(0)
    with (folder / "churn.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["age", "city", "churned"])
        for _ in range(80):
            age, city = int(rng.integers(20, 60)), str(rng.choice(["Bern", "Genf"]))
            writer.writerow([age, city, "yes, gone" if age > 40 else "no"])
    made = _run(folder, "create", "churn", "--from", "churn.csv", "--label", "churned", "--yes")
    assert made.returncode == 0, made.stderr
    assert "table(age number, city category) -> [no, " in made.stdout
    assert "  the column 'churned' is the answer: 2 classes\n" in made.stdout
    trained = _process(folder, "train", "churn", "--models", "1", "--json")
    assert trained.returncode == 0, trained.stderr
    assert json.loads(trained.stdout)["trained"] == 1
    return folder


def test_it_answers_files_and_pipes(folder: Path) -> None:
    (folder / "some.csv").write_text("age;city\n25;Bern\n55;Genf\n")
    answers = _run(folder, "infer", "churn", "some.csv").stdout.splitlines()
    assert [line.split("\t")[0] for line in answers] == ["no", "yes, gone"]
    piped = _process(folder, "infer", "churn", "-", "--json", text='{"age": 55, "city": "Bern"}\n')
    assert json.loads(piped.stdout)["value"] == "yes, gone"  # one object a line
    alone = _run(folder, "infer", "churn", '{"age": 25, "city": "Genf"}')
    assert alone.stdout.startswith("no\t")


def test_an_empty_input_is_not_the_folder(folder: Path) -> None:
    for command in ("infer", "feed"):
        done = _run(folder, command, "churn", "")
        assert done.returncode == 1
        assert "the input is empty" in done.stderr


def test_a_label_that_is_right_is_kept_and_said(folder: Path) -> None:
    done = _run(folder, "refine", "churn", "--right", "e1,e2")
    assert (done.returncode, done.stderr) == (
        0,
        "2 labels are taken for right, and suspected no more\n",
    )
    done = _run(folder, "refine", "churn", "--right", "e9999")
    assert done.returncode == 1
    assert "there is no example e9999; they go from e1 to e" in done.stderr


def test_a_table_of_answers_says_what_was_asked(folder: Path) -> None:
    (folder / "ask.csv").write_text("score;age;city\n7;25;Bern\n8;old;Bern\n9;55;Genf\n;;\n")
    done = _run(folder, "infer", "churn", "ask.csv", "-o", "answers.csv")
    assert done.returncode == 1 and done.stderr.startswith("2 answers are in answers.csv\n")
    with (folder / "answers.csv").open(newline="") as file:
        first, refused, last = csv.DictReader(file)
    names = ["row", "score (given)", "age", "city", "value", "score"]
    assert list(first) == [*names, "score of no", "score of yes, gone", "refused"]
    assert [first[name] for name in names[:5]] == ["2", "7", "25", "Bern", "no"]
    assert float(first["score"]) == float(first["score of no"])
    assert (refused["row"], refused["age"], refused["value"]) == ("3", "old", "")
    assert (last["row"], last["value"]) == ("4", "yes, gone")
    lines = _run(folder, "infer", "churn", "some.csv", "--json").stdout.splitlines()
    assert [json.loads(line)["value"] for line in lines] == ["no", "yes, gone"]


def test_numbers_are_written_with_their_intervals(tmp_path: Path) -> None:
    rows = [f"{at},{at % 7},{3 * at + at % 5}" for at in range(60)]
    (tmp_path / "rent.csv").write_text("\n".join(["size,floor,rent", *rows]))
    assert _run(tmp_path, "create", "rent", "--from", "rent.csv", "--yes").returncode == 0
    assert _run(tmp_path, "train", "rent", "--models", "1", "-q").returncode == 0
    (tmp_path / "new.csv").write_text("size,floor\n20,1\nlarge,1\n")
    _run(tmp_path, "infer", "rent", "new.csv", "-o", "told.csv")
    with (tmp_path / "told.csv").open(newline="") as file:
        told, refused = csv.DictReader(file)
    assert float(told["low"]) < float(told["value"]) < float(told["high"])
    assert (refused["value"], refused["high"]) == ("", "") and "large" in refused["refused"]


def test_what_is_refused_is_told_when_a_task_is_made_and_answers_name_their_files(
    tmp_path: Path,
) -> None:
    for place in range(16):
        kind = tmp_path / "notes" / ("good news" if place % 2 else "bad news")
        kind.mkdir(parents=True, exist_ok=True)
        (kind / f"{place}.txt").write_text(f"{'yes' if place % 2 else 'no'} {place}")
    (tmp_path / "notes" / "bad news" / "a.xyz").write_text("")
    made = _run(tmp_path, "create", "mail", "--from", "notes", "--yes")
    assert "refused bad news/a.xyz: a file of an unknown kind" in made.stderr
    assert _run(tmp_path, "train", "mail", "--models", "1", "-q").returncode == 0
    asked = _run(tmp_path, "infer", "mail", "notes")
    lines = asked.stdout.splitlines()
    assert [lines[place].split("\t")[:2] for place in (0, 8, 9)] == [
        ["bad news/0.txt", "bad news"],
        ["bad news/a.xyz", "refused"],
        ["good news/1.txt", "good news"],
    ]
    assert asked.stderr.startswith("refused bad news/a.xyz: a file of an unknown kind")
    assert asked.returncode == 1  # though all others were answered
    assert _run(tmp_path, "infer", "mail", "yes " * 200).stdout.startswith("good news")


def test_a_feed_of_which_nothing_fits_ends_with_1(folder: Path) -> None:
    (folder / "wrong.csv").write_text("age;city;churned\nold;Bern;no\nyoung;Genf;no\n")
    done = _run(folder, "feed", "churn", "wrong.csv")
    assert (done.returncode, done.stdout) == (1, "0 new examples, 2 refused\n")
    (folder / "half.csv").write_text("age;city;churned\nold;Bern;no\n25;Bern;no\n")
    assert _run(folder, "feed", "churn", "half.csv", "--dry-run").returncode == 0


def test_a_long_name_leaves_room_for_what_is_said_of_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert _run(tmp_path, "create", "x" * 90, "table(3) -> [a, b]").returncode == 0
    told = _process(tmp_path, "status").stdout
    assert "table(3)" in told and "0 of 0" in told and max(map(len, told.splitlines())) <= 100


def test_a_generated_client_feeds_and_asks(folder: Path) -> None:
    assert _run(folder, "client", "churn", "-o", "client").returncode == 0
    code = (
        "import churn; print(churn.infer(churn.Input(25, 'Bern'))[0]['value']);"
        "print(churn.feed([(churn.Input(33, 'Basel'), churn.Output('no'))])['added'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder / "client", capture_output=True, text=True
    )
    assert done.stdout.split() == ["no", "1"], done.stderr


def test_a_proposal_is_agreed_to_by_whoever_answers(tmp_path: Path) -> None:
    rows = [f"{at},{'ab'[at % 2]}" for at in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["x,label", *rows]))
    words = ("create", "t", "--from", "t.csv")
    silent = _process(tmp_path, *words)
    assert silent.returncode == 1 and "add --yes to agree to this program" in silent.stderr
    assert _process(tmp_path, *words, text="n\n").returncode == 1
    agreed = _process(tmp_path, *words, text="y\n")
    assert agreed.returncode == 0 and "20 new examples" in agreed.stdout
    assert agreed.stderr.endswith("train it with: tunewise task train t\n")
    assert _run(tmp_path, "status").stderr == "train it with: tunewise task train t\n"


def test_mistakes_are_a_sentence(folder: Path) -> None:
    half = _run(folder, "infer", "churn", '{"age": 25}')
    assert half.stderr.strip().endswith(
        "the column 'city' is missing; write null where it is not known"
    )
    assert _run(folder, "infer", "churn", '{"age": null, "city": "Genf"}').returncode == 0
    assert "is no JSON (" in _run(folder, "infer", "churn", '{"age": 25').stderr
    (folder / "wert.csv").write_text("wert;ort\n1;Bern\n")
    said = _run(folder, "infer", "churn", "wert.csv").stderr
    assert "the column 'age' is missing; Valid: wert, ort" in said
    (folder / "t.xlsx").write_bytes(b"PK")
    for words in (("feed", "churn", "t.xlsx"), ("create", "x", "--from", "t.xlsx", "--yes")):
        assert "'t.xlsx' is a spreadsheet; save it as CSV" in _run(folder, *words).stderr
    wrong = _run(folder, "create", "x", "imge(28, 28) -> 10 classes")
    assert wrong.returncode == 1
    assert "did you mean 'image'?" in wrong.stderr
    assert "Traceback" not in wrong.stderr
    lost = _run(folder, "infer", "chrn", "some.csv")
    assert "did you mean 'churn'" in lost.stderr


def test_before_a_training_it_is_said_what_is_expected_of_it() -> None:
    told = Progress("picked", "churn", "ridge", 0.1, "the first, in 2 s", 2.0, None, 0.7, 0.9)
    assert said(told) == (
        "churn: training ridge on 10% of the data: the first, in 2 s, itself likely between 0.70"
        " and 0.90"
    )


def test_a_failure_is_said_though_little_else_is(capsys: pytest.CaptureFixture[str]) -> None:
    with narrated(quiet=True) as hear:
        hear(Progress("picked", "churn", "ridge", 1.0, "the first", 2.0))
        hear(Progress("failed", "churn", "ridge", 1.0, "the disk is full", 2.0))
    assert capsys.readouterr().err == "churn: failed ridge: the disk is full\n"


def test_without_pytorch_it_is_said_that_networks_are_left_out(folder: Path) -> None:
    # A package that cannot be imported, as where PyTorch is not installed.
    code = (
        "import importlib.util as u, sys; find = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest);"
        "from tunewise.cli import main; sys.argv[1:] = ['task', 'create', 'small', "
        "'table(2) -> number']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = "without PyTorch the networks are left out: pip install 'tunewise[torch]'"
    assert done.stderr.strip() == said


@pytest.mark.long
@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'tunewise[ray]'")
@pytest.mark.xdist_group("ray")
def test_trainings_run_on_a_ray_cluster_by_its_address(folder: Path) -> None:
    from tests.execution.ray.nodes import cluster

    made = _run(folder, "create", "far", "--from", "churn.csv", "--label", "churned", "--yes")
    assert made.returncode == 0, made.stderr
    with cluster((1,)) as ray:
        done = _process(folder, "work", "--ray", ray.address, "--once", "--quiet")
    assert done.returncode == 0, done.stderr
    listed = json.loads(_run(folder, "models", "far", "--json").stdout)
    assert any(model["serves"] for model in listed), done.stdout
    assert _run(folder, "infer", "far", "-", text='{"age": 55, "city": "Bern"}\n').stdout
