"""`tw.Client` and `--server`: the same by HTTP."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

import tunewise as tw
from tests.cli.shell import invoke
from tests.docs.markdown import blocks
from tests.service.conftest import PROGRAM, pairs
from tests.service.server import Server
from tests.service.test_tasks import trained
from tunewise.declarative.task.told import TrainedModel
from tunewise.service.client import RemoteTask
from tunewise.storage.tasks import open_tasks

ROOT = Path(__file__).resolve().parents[2]


def test_a_task_from_afar_has_the_methods_of_one_here(running: Server, tmp_path: Path) -> None:
    client = tw.Client(running.url)
    task = client.task("afar", PROGRAM)
    inputs = np.array([pair["input"] for pair in pairs(60)])
    outputs = [pair["output"] for pair in pairs(60)]
    outputs[5:8] = ["low" if output == "high" else "high" for output in outputs[5:8]]  # wrong
    fed = task.feed(inputs, outputs)
    assert (fed.added, fed.known, fed.version) == (60, 0, 1)
    assert task.feed([([1, 2], "low")]).refused[0].where == "pair 0"
    with pytest.raises(tw.NotReady, match="no model yet"):
        task.infer(inputs[0])
    trained(running.storage, "afar")
    alone = task.infer(inputs[0])
    here = tw.Task(name="afar", storage=running.storage)
    assert alone == here.infer(inputs[0])
    assert task.infer(inputs[:3]) == here.infer(inputs[:3])
    assert task.quality == here.quality and task.program == here.program
    assert [m.name for m in task.models()] == [m.name for m in here.models()]
    assert task.examples() == here.examples()
    assert task.suspects() == here.suspects()
    task.confirm([example.id for example in task.examples()])
    assert task.suspects() == here.suspects() == []
    assert task.refine(off=["e1"]).off == ["e1"]
    assert task.status()["on"] == 59
    assert (task.export(tmp_path / "model") / "card.json").is_file()
    assert "afar" in client.tasks()
    with pytest.raises(tw.TunewiseError, match="no task 'nobody'; did you|no task 'nobody'"):
        client.task("nobody").status()


def test_equal_rows_are_as_many_examples_in_however_many_requests_they_come(
    running: Server,
) -> None:
    client = tw.Client(running.url)
    task = client.task("survey", "table(2) -> [ill, well]")
    inputs = [[1.0, float(at % 3)] for at in range(2400)]
    outputs = ["ill" if at % 7 else "well" for at in range(2400)]
    assert task.feed(inputs, outputs).added == 2400
    again = task.feed(inputs, outputs)
    assert (again.added, again.known) == (0, 2400)


def test_a_downloaded_client_names_files_and_ends_in_silence_when_nobody_reads(
    running: Server, tmp_path: Path
) -> None:
    client = tw.Client(running.url).task("named", PROGRAM)
    client.feed([(pair["input"], pair["output"]) for pair in pairs(40)])
    trained(running.storage, "named")
    folder = client.client(tmp_path / "client")
    for name in ("one", "two"):
        (tmp_path / "ask").mkdir(exist_ok=True)
        (tmp_path / "ask" / f"{name}.jsonl").write_text("[1, 2, 3, 4]\n" * 300)
    command = [sys.executable, "-I", str(folder / "infer"), str(tmp_path / "ask")]
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import named; "
    run = f"{code}sys.exit(named.command('infer', [{command[3]!r}]))"
    done = subprocess.run([sys.executable, "-I", "-c", run], capture_output=True, text=True)
    told = json.loads(done.stdout)
    assert [each["file"] for each in told] == ["one.jsonl"] * 300 + ["two.jsonl"] * 300
    piped = f"'{sys.executable}' -I -c \"{run}\" | head -n 1"
    head = subprocess.run(piped, shell=True, capture_output=True, text=True)  # noqa: S602
    assert (head.stdout, head.stderr) == ("[\n", "")


def test_a_downloaded_client_works_with_the_standard_library_alone(
    running: Server, tmp_path: Path
) -> None:
    client = tw.Client(running.url).task("tiny", PROGRAM)
    folder = client.client(tmp_path / "client")
    table = tmp_path / "more.csv"
    rows = [",".join(map(str, (*pair["input"], pair["output"]))) for pair in pairs(12)]
    table.write_text("a,b,c,d,label\n" + "\n".join(rows))

    def run(*words: Any) -> "subprocess.CompletedProcess[str]":
        words = (sys.executable, "-I", "-S", *words)
        return subprocess.run(words, capture_output=True, text=True, cwd=folder)

    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import tiny; "
    done = run("-c", f"{code}print(tiny.feed([({pairs(1)[0]['input']}, 'low')])['added'])")
    assert done.stdout == "1\n", done.stderr
    done = run("-c", f"{code}print(tiny.command('feed', [{str(table)!r}]))")
    assert done.returncode == 0, done.stderr
    done = run("-c", f"{code}tiny.command('infer', ['[1, 2, 3, 4]'])")
    assert "no model yet" in done.stderr
    done = run("-c", f"{code}sys.exit(tiny.command('infer', ['nofile']))")
    assert done.stderr == "there is no file 'nofile', and it is no JSON\n"
    assert "python infer PATH|JSON" in (folder / "README.md").read_text()


def test_commands_speak_to_a_service(running: Server, tmp_path: Path) -> None:
    def said(*words: str) -> str:
        result = invoke(*words, "--server", running.url)
        assert result.exit_code == 0, result.output
        return result.output

    assert "PROGRAM" not in said("task", "create", "byhand", PROGRAM)
    lines = tmp_path / "pairs.jsonl"
    lines.write_text("\n".join(json.dumps(pair) for pair in pairs(10)))
    assert "10 new examples" in said("task", "feed", "byhand", str(lines))
    assert "byhand" in said("task", "status")
    assert "1 example is off, 0 are on" in said("task", "refine", "byhand", "--off", "e3")
    assert "e10" in said("task", "refine", "byhand")
    assert "deleted" in said("task", "delete", "byhand", "--yes")
    assert invoke("task", "models", "byhand", "--server", running.url).exit_code != 0


def test_a_task_of_a_service_keeps_the_rates_and_the_quota_that_were_said(
    running: Server, tmp_path: Path
) -> None:
    tw.Client(running.url).task("afarquota", PROGRAM, rates="paper", quota=100)
    words = (PROGRAM, "--rates", "adam", "--quota", "1000000", "--server", running.url)
    assert invoke("task", "create", "handquota", *words).exit_code == 0
    store = open_tasks(running.storage)
    found = [store.load(name).settings for name in ("afarquota", "handquota")]
    store.close()
    assert [(s["rates"], s["quota"]) for s in found] == [("paper", 100), ("adam", 1_000_000)]
    with pytest.raises(tw.TunewiseError, match="quota of 100 bytes"):
        tw.Client(running.url).task("afarquota").feed([([1, 2, 3, 4], "low")] * 50)


def test_what_a_service_cannot_take_of_a_new_task_is_refused_in_a_sentence(
    running: Server, tmp_path: Path
) -> None:
    client = tw.Client(running.url)
    with pytest.raises(tw.TunewiseError, match="unknown rates 'papers'; did you mean 'paper'"):
        client.task("none", PROGRAM, rates="papers")
    with pytest.raises(tw.TunewiseError, match="quota: .* greater than or equal to 1"):
        client.task("none", PROGRAM, quota=0)
    with pytest.raises(tw.TunewiseError, match="quota can be said of a new task alone"):
        client.task("none", quota=10)
    vectors = tmp_path / "glove.txt"
    vectors.write_text("a 1 2\n")
    words = ("text -> [a, b]", "--word-vectors", str(vectors), "--server", running.url)
    refused = invoke("task", "create", "none", *words)
    assert refused.exit_code == 1 and "is not sent to the service" in refused.output
    assert "none" not in client.tasks()


def test_studies_of_a_service_are_listed_shown_and_reported(
    running: Server, tmp_path: Path
) -> None:
    problem = tw.Problem(tw.Space(tw.Ordinal("x", [1, 2, 3])), minimize="loss")
    study = tw.Study(problem, strategy="random", storage=running.storage, name="there", seed=0)
    study.optimize(lambda trial: {"loss": float(trial.config["x"])}, trials=3)
    here = invoke("show", "there", "--json", "--storage", running.storage)
    there = invoke("show", "there", "--json", "--server", running.url)
    assert there.exit_code == 0 and there.output == here.output
    assert "there" in invoke("list", "--server", running.url).output
    page = tmp_path / "report.html"
    written = invoke("report", "there", "-o", str(page), "--server", running.url)
    assert written.exit_code == 0 and "there" in page.read_text()
    what_if = ["report", "--what-if", "--limits", "loss,time", "-o", str(tmp_path / "w.html")]
    for command in (["export"], ["show", "--follow", "--json"], what_if):
        words = [command[0], "there", *command[1:]]
        here = invoke(*words, "--storage", running.storage)
        there = invoke(*words, "--server", running.url)
        assert (there.exit_code, there.output) == (here.exit_code, here.output) and here.output
        assert command is what_if or here.exit_code == 0
    waits = invoke("enqueue", "there", "x=3", "--json", "--server", running.url)
    assert waits.exit_code == 0 and json.loads(waits.output)["config"] == {"x": 3}
    assert study.history[-1].config == {"x": 3} and study.history[-1].state.pending
    client = tw.Client(running.url)
    assert "no running trial" in client.stop("there")
    stopped = invoke("stop", "there", "--server", running.url)
    assert stopped.exit_code == 0 and "no running trial" in stopped.output
    assert invoke("stop", "there", "--trial", "1", "--server", running.url).exit_code == 2
    with pytest.raises(tw.TunewiseError, match="no job of a study 'there'|not submitted"):
        client.resume("there")
    client.note("there", "a small one")
    assert study.store.load("there").notes["remark"] == "a small one"
    study.close()
    assert "--yes" in invoke("delete", "there", "--server", running.url).output
    assert invoke("delete", "there", "--yes", "--server", running.url).exit_code == 0
    assert "there" not in {row["name"] for row in client.studies()}
    job = tmp_path / "job.yaml"
    job.write_text("name: x\nspace: {a: [1, 2]}\nmaximise: b\ncommand: echo {a}\n")
    wrong = invoke("tune", str(job), "--server", running.url)
    assert wrong.exit_code != 0 and "maximize" in wrong.output
    job.write_text("name: x\ncommand: python -c 'a': b: c\n")
    broken = invoke("tune", str(job), "--server", running.url)
    assert broken.exit_code == 1 and "job.yaml:2:" in broken.output


def test_whoever_waits_for_a_service_hears_of_the_models_that_it_has_trained(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, looked, real = tw.Client(running.url).task("waited", PROGRAM), Event(), RemoteTask.models

    def models(self: RemoteTask) -> list[TrainedModel]:
        found = real(self)
        looked.set()
        return found

    task.feed([(pair["input"], pair["output"]) for pair in pairs(60)])
    monkeypatch.setattr(RemoteTask, "models", models)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(task.wait, None, models=1, every=0.05)
        assert looked.wait(60)  # what is trained before it looks for the first time is not news
        trained(running.storage, "waited")
        assert waiting.result(60) == 1
    said = invoke("task", "train", "waited", "--seconds", "0.01", "--server", running.url)
    assert said.exit_code == 0 and "serves:" in said.output
    assert f"no model was trained meanwhile: {task.outlook()}" in said.output


def test_a_batch_that_is_refused_says_what_was_kept_before(
    running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tunewise.service.client.task.MOST_FILES", 1)
    task = tw.Client(running.url).task("half", "text -> [a, b]")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.txt").write_text(f"text of {name}")
    (tmp_path / "b" / ("x" * 250 + ".txt")).write_text("its name is too long for the service")
    with pytest.raises(tw.TunewiseError, match="is no name of a file; 2 examples .* are kept"):
        task.feed(tmp_path)
    assert task.status()["examples"] == 2


def test_a_service_that_is_not_there_is_said_in_a_sentence() -> None:
    with pytest.raises(tw.TunewiseError, match="cannot be reached"):
        tw.Client("http://127.0.0.1:1").tasks()
    with pytest.raises(tw.TunewiseError, match="expected http"):
        tw.Client("tunewise.db")


@pytest.mark.parametrize("scheme", ["http://", "htp://", ""])
def test_a_password_in_the_address_of_a_service_is_refused_and_not_said(scheme: str) -> None:
    with pytest.raises(tw.TunewiseError, match="TUNEWISE_TOKEN") as refused:
        tw.Client(f"{scheme}anna:hun@ter2@127.0.0.1:1/x")
    assert "ter2" not in str(refused.value) and "hun" not in str(refused.value)


def test_an_operator_adds_tenants_and_invites_in_python(running: Server) -> None:
    client = tw.Client(running.url)
    assert client.tenant("botanists", seconds=60.0)["seconds"] == 60.0
    assert client.tenant("botanists", usd=2.0)["seconds"] == 60.0  # what is not said stays
    with pytest.raises(tw.TunewiseError, match="no accounts"):
        client.invite("viewer")
    assert "/invitations/" in client.invite("admin", tenant="botanists")


def test_what_the_docs_show_from_afar_works(
    running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    (block,) = (block for block in blocks(page) if block.title == "from_afar.py")
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(
        "name: from-the-docs\nspace: {x: [1, 2]}\nminimize: cost\nprice: 1\n"
        "trials: 1\ncommand: [echo, '{x}']\n"
    )
    exec(block.text.replace("http://127.0.0.1:8700", running.url).replace("tw_…", "tw_a"), {})
    with urlopen(f"{running.url}/api/v1/jobs/from-the-docs") as answer:
        assert json.load(answer)["state"] == "waiting"
    assert tw.Client(running.url).tenant("botanists")["seconds"] == 36_000


def test_a_line_end_after_a_token_does_no_harm(running: Server) -> None:
    assert isinstance(tw.Client(running.url, token="tw_x\r\n").tasks(), list | dict)
