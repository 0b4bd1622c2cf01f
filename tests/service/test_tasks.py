"""Tasks by HTTP: declared, fed, looked at, asked, taken away."""

import importlib
import io
import os
import re
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import tunewise as tw
from tests.service.conftest import PROGRAM, pairs
from tests.service.server import Server
from tunewise.declarative.task import Task

API = "/api/v1"


@pytest.fixture
def task(local: TestClient) -> str:
    given = {"name": "points", "program": PROGRAM}
    assert local.post(f"{API}/tasks", json=given).status_code == 201
    return f"{API}/tasks/points"


def trained(url: str, name: str = "points", namespace: str = "") -> None:
    task = Task(name=name, storage=url, namespace=namespace)
    task.train(30.0, models=1)
    task.close()


def test_a_declared_task_is_listed_and_says_what_it_waits_for(local: TestClient, task: str) -> None:
    listed = local.get(f"{API}/tasks").json()
    assert [one["name"] for one in listed["tasks"]] == ["points"] and listed["next"] is None
    status = local.get(task).json()
    assert status["program"] and status["examples"] == 0
    assert "feed at least" in status["next"]


def test_a_task_is_declared_once(local: TestClient, task: str) -> None:
    again = local.post(f"{API}/tasks", json={"name": "points", "program": PROGRAM})
    assert again.status_code == 409 and "already" in again.json()["detail"]


def test_a_program_that_is_wrong_is_said_in_our_words(local: TestClient) -> None:
    answer = local.post(f"{API}/tasks", json={"name": "x", "program": "image(28 -> 10 classes"})
    assert answer.status_code == 422
    checked = local.post(f"{API}/programs/check", json={"program": "image(28 -> 10 classes"}).json()
    assert checked["ok"] is False and checked["sentence"] == answer.json()["detail"]
    fine = local.post(f"{API}/programs/check", json={"program": PROGRAM}).json()
    assert fine["ok"] and fine["template"] == "tables" and "boosting" in fine["models"]


def test_fed_pairs_are_kept_once_and_what_does_not_fit_is_said(
    local: TestClient, task: str
) -> None:
    given = [*pairs(20), {"input": [1, 2], "output": "low"}]
    fed = local.post(f"{task}/examples", json={"pairs": given}).json()
    assert (fed["added"], fed["known"], len(fed["refused"])) == (20, 0, 1)
    again = local.post(f"{task}/examples", json={"pairs": pairs(25)}).json()
    assert (again["added"], again["known"]) == (5, 20)
    assert local.get(task).json()["examples"] == 25


def test_pages_of_examples_follow_one_another(local: TestClient, task: str) -> None:
    local.post(f"{task}/examples", json={"pairs": pairs(25)})
    first = local.get(f"{task}/examples?limit=10").json()
    assert [one["id"] for one in first["examples"]] == [f"e{i}" for i in range(1, 11)]
    second = local.get(f"{task}/examples?limit=20&after={first['next']}").json()
    assert len(second["examples"]) == 15 and second["next"] is None


def test_examples_are_turned_off_and_on_again_by_ids_and_rules(
    local: TestClient, task: str
) -> None:
    local.post(f"{task}/examples", json={"pairs": pairs(14)})
    done = local.patch(f"{task}/examples", json={"off": ["e1", "e2"]}).json()
    assert done["off"] == ["e1", "e2"]
    assert local.get(task).json()["on"] == 12
    assert len(local.patch(f"{task}/examples", json={"off": 'label == "high"'}).json()["off"]) == 6
    undone = local.patch(f"{task}/examples", json={"undo": True}).json()
    assert len(undone["on"]) == 6
    wrong = local.patch(f"{task}/examples", json={"off": ["e99"]})
    assert wrong.status_code == 422 and "no example e99" in wrong.json()["detail"]


def test_files_are_fed_with_the_folders_in_their_names(local: TestClient) -> None:
    local.post(f"{API}/tasks", json={"name": "notes", "program": "text -> [good, bad]"})
    files = [
        ("files", (f"{kind}/{i}.txt", f"{kind} text number {i}".encode()))
        for kind in ("good", "bad")
        for i in range(5)
    ]
    fed = local.post(f"{API}/tasks/notes/uploads", files=files)
    assert fed.status_code == 200 and fed.json()["added"] == 10
    one = local.get(f"{API}/tasks/notes/examples/e1").json()
    assert one["output"] in ("good", "bad") and one["input"].startswith(one["output"])
    listed = local.get(f"{API}/tasks/notes/examples").json()["examples"]
    assert "upload/good/0.txt" in {example["source"] for example in listed}


def test_a_program_is_proposed_from_an_upload(local: TestClient) -> None:
    table = "a,b,kind\n" + "\n".join(f"{i},{i * 2},{'x' if i % 2 else 'y'}" for i in range(30))
    given = {"files": ("data.csv", table.encode())}
    found = local.post(f"{API}/programs/propose", files=given, data={"label": "kind"}).json()
    assert "[x, y]" in found["program"] or "2 classes" in found["program"]


def test_a_proposal_says_which_columns_may_be_the_answer_and_which_one_was_taken(
    local: TestClient,
) -> None:
    table = "label,site\n" + "\n".join(f"{'xy'[i % 2]},{'uvw'[i % 3]}" for i in range(30))
    given = {"files": ("clinic.csv", table.encode())}
    found = local.post(f"{API}/programs/propose", files=given).json()
    assert (found["columns"], found["answer"]) == (["label", "site"], "label")
    page = local.get("/tasks/new", headers={"accept": "text/html"}).text
    assert "the one called label, class, target, output, y, kind or category; else the last" in page


def test_files_that_no_program_can_read_are_not_shown_among_a_proposals_examples(
    local: TestClient,
) -> None:
    content = io.BytesIO()
    pytest.importorskip("PIL.Image").new("L", (4, 4)).save(content, "PNG")
    kept = [(f"{name}/2.png", content.getvalue()) for name in ("cat", "dog")]
    files = [("files", (name, each, "image/png")) for name, each in kept]
    files.append(("files", ("cat/1.png", b"no picture", "image/png")))
    shown = local.post(f"{API}/programs/propose", files=files).json()["shown"]
    assert sorted(where for where, _ in shown) == ["cat/2.png", "dog/2.png"]


def test_an_upload_that_proposes_nothing_says_why_without_a_folder_of_the_service(
    local: TestClient,
) -> None:
    files = [("files", (f"cells/{n}.txt", b"a b", "text/plain")) for n in range(3)]
    answer = local.post(f"{API}/programs/propose", files=files)
    said = "what was sent has one folder with files; expected one for each class, so two or more"
    assert (answer.status_code, answer.json()["detail"]) == (422, said)


def test_before_the_first_model_an_answer_says_when_one_is_expected(
    local: TestClient, task: str
) -> None:
    answer = local.post(f"{task}/infer", json={"input": [1, 2, 3, 4]})
    assert answer.status_code == 409 and "no model yet" in answer.json()["detail"]


def test_the_model_answers_and_goes_with_its_client(
    local: TestClient, task: str, url: str, tmp_path: Path
) -> None:
    local.post(f"{task}/examples", json={"pairs": pairs(60)})
    trained(url)
    answer = local.post(f"{task}/infer", json={"input": [1, 0.1, 1, 0]}).json()["answers"][0]
    assert answer["value"] == "low" and answer["model"] and answer["quality"]["value"] > 0.5
    many = local.post(f"{task}/infer", json={"inputs": [[1, 0.1, 1, 0], [6, 0.1, 1, 0]]}).json()
    assert [one["value"] for one in many["answers"]] == ["low", "high"]
    models = local.get(f"{task}/models").json()
    assert any(one["serves"] for one in models["models"]) and models["quality"]["value"] > 0.5
    trained(url)
    page = local.get("/tasks/points/standing", headers={"accept": "text/html"}).text
    qualities = [float(one) for one in re.findall(r"<b>([0-9.]+)</b></td>", page)]
    assert len(qualities) == 2 and qualities == sorted(qualities, reverse=True)
    onnx = local.get(f"{task}/export?form=onnx")
    assert onnx.status_code == 200 and len(onnx.content) > 100
    assert onnx.headers["content-disposition"] == 'attachment; filename="points.onnx"'
    client = zipfile.ZipFile(io.BytesIO(local.post(f"{task}/client").content))
    client.extractall(tmp_path / "client")
    assert {"README.md", "points.py", "feed", "refine", "infer"} == set(client.namelist())
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import points; print(points.TASK, points.SERVER)"],
        cwd=tmp_path / "client",
        capture_output=True,
        text=True,
    )
    assert done.stdout == "points http://127.0.0.1:8700\n", done.stderr


def test_a_downloaded_client_sends_files_in_batches_and_says_what_is_not_there(
    running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tw.Client(running.url).task("sounds", "series(1) -> [low, high]").client(tmp_path / "client")
    monkeypatch.syspath_prepend(tmp_path / "client")
    client = importlib.import_module("sounds")
    sent: list[int] = []
    monkeypatch.setattr(client, "_send", lambda place, files: sent.append(len(files)))
    for number in range(410):
        (tmp_path / "data" / "low").mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / "low" / f"{number}.json").write_text("[[1]]")
    (tmp_path / "data" / ".DS_Store").write_text("hidden")
    for number in range(3):  # of which two are too large for one request; nothing of them is read
        (tmp_path / "data" / f"{number}.json").touch()
        os.truncate(tmp_path / "data" / f"{number}.json", 13_000_000)
    monkeypatch.setattr(Path, "read_bytes", lambda path: b"")
    client.feed_files(tmp_path / "data")
    assert sent == [1, 1, 200, 200, 11]
    for lost in ("/nosuch.png", "nosuch.png", "data/nosuch"):
        with pytest.raises(RuntimeError, match="there is no file"):
            client._run("infer", [lost])
        with pytest.raises(RuntimeError, match="there is no file"):
            client._run("feed", [lost])


def test_an_input_is_never_taken_for_the_name_of_a_file(
    local: TestClient, task: str, url: str
) -> None:
    local.post(f"{task}/examples", json={"pairs": pairs(60)})
    trained(url)
    for given in ("/etc/passwd", ["/etc/passwd"], [["/etc/passwd"]]):
        answer = local.post(f"{task}/infer", json={"input": given})
        assert answer.status_code == 422 and "root:" not in answer.text


def test_a_deleted_task_is_gone_at_once(local: TestClient, task: str) -> None:
    assert local.delete(task).status_code == 204
    assert local.get(task).status_code == 404
    assert local.post(f"{task}/infer", json={"input": 1}).status_code == 404
    assert local.get(f"{API}/tasks").json()["tasks"] == []


def test_a_client_is_named_by_its_task_and_made_by_no_link(local: TestClient) -> None:
    name = 'Möbel "neu"'
    local.post(f"{API}/tasks", json={"name": name, "program": PROGRAM})
    assert local.get(f"{API}/tasks/{name}/client").status_code == 405
    kept = local.post(f"{API}/tasks/{name}/client").headers["content-disposition"]
    assert kept.startswith('attachment; filename="M_bel _neu_-client.zip"')
    assert kept.endswith("filename*=UTF-8''M%C3%B6bel%20%22neu%22-client.zip")


def test_a_name_cannot_put_code_into_the_client(local: TestClient, tmp_path: Path) -> None:
    name = '""" + open("hacked", "w").write("x") + """'
    local.post(f"{API}/tasks", json={"name": name, "program": PROGRAM})
    content = local.post(f"{API}/tasks/{name}/client").content
    zipfile.ZipFile(io.BytesIO(content)).extractall(tmp_path)
    for file in tmp_path.iterdir():
        subprocess.run([sys.executable, file, "--help"], cwd=tmp_path, capture_output=True)
    assert not (tmp_path / "hacked").exists()


def test_examples_of_one_label_or_that_are_off_are_shown_alone(
    local: TestClient, task: str
) -> None:
    shown = f"{task.removeprefix('/api/v1')}/examples"
    local.post(f"{task}/examples", json={"pairs": pairs(150)}).raise_for_status()
    local.patch(f"{task}/examples", json={"off": ["e1", "e5"]}).raise_for_status()
    off = local.get(f"{task}/examples", params={"on": False}).json()["examples"]
    assert [each["id"] for each in off] == ["e1", "e5"]
    low = local.get(f"{task}/examples", params={"label": "low"}).json()["examples"]
    assert low and {each["label"] for each in low} == {"low"}
    html = {"accept": "text/html"}
    page = local.get(f"{shown}?after=&label=low&state=on", headers=html).text
    assert page.count('class="thumb"') == 48 and ">high</b>" not in page and 'name="e1"' not in page
    (following,) = re.findall('rel="next" href="([^"]*)"', page)
    later = local.get(unescape(following), headers=html).text
    assert 0 < later.count('class="thumb"') < 48 and ">high</b>" not in later
    none = local.get(f"{shown}?label=low&state=off&after=e100", headers=html).text
    assert "No example is like this" in none
