"""`tunewise serve`: one command, and what dies is started again."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.service.conftest import PROGRAM, pairs
from tests.service.pages.studies import filled
from tests.service.server import Server, await_answer, started
from tunewise.errors import TunewiseError
from tunewise.service.accounts.secret import hashed
from tunewise.service.context import Context
from tunewise.service.running import Plan
from tunewise.service.running.chores import sweep
from tunewise.service.running.supervisor import Child, prepare


def call(server: Server, method: str, path: str, data: Any = None) -> Any:
    body = None if data is None else json.dumps(data).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{server.url}{path}", body, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(each) for each in found]


@pytest.mark.long
def test_a_fed_task_is_trained_and_answers_although_every_process_dies_once(
    tmp_path: Path,
) -> None:
    with started(tmp_path, "--no-accounts") as server:
        call(server, "POST", "/api/v1/tasks", {"name": "t", "program": PROGRAM})
        fed = call(server, "POST", "/api/v1/tasks/t/examples", {"pairs": pairs(40)})
        assert fed["added"] == 40
        before = children(server.process.pid)
        for child in before:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.3)
        await_answer(f"{server.url}/ready")
        assert call(server, "GET", "/api/v1/tasks/t")["examples"] == 40
        deadline = time.monotonic() + 60
        while call(server, "GET", "/api/v1/tasks/t")["model"] is None:
            assert time.monotonic() < deadline, server.log.read_text()[-2000:]
            time.sleep(0.2)
        answer = call(server, "POST", "/api/v1/tasks/t/infer", {"input": [1, 0.1, 1, 0]})
        assert answer["answers"][0]["value"] in ("low", "high")
        assert len(children(server.process.pid)) == len(before)


def test_nothing_outlives_the_first_process(tmp_path: Path) -> None:
    with started(tmp_path, "--no-accounts", "--processes", "2") as server:
        running = children(server.process.pid)
        assert len(running) == 4  # two that answer, one that trains, one that runs jobs
        server.process.kill()
        server.process.wait()
        deadline = time.monotonic() + 120
        while any(Path(f"/proc/{each}/cmdline").exists() and _alive(each) for each in running):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def _alive(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_the_first_start_lets_an_admin_in_and_says_counts_and_numbers_of_requests(
    tmp_path: Path,
) -> None:
    with started(tmp_path, "--workers", "0") as server:
        assert server.link is not None
        token = server.link.rpartition("/")[2]
        joined = call(
            server,
            "POST",
            f"/api/v1/invitations/{token}/join",
            {"name": "root", "password": "a long password"},
        )
        assert joined["role"] == "admin"
        with urllib.request.urlopen(f"{server.url}/metrics") as answer:
            counts = answer.read().decode()
            number = answer.headers["x-request-id"]
        assert 'route="/api/v1/invitations/{token}/join",status="201"} 1.0' in counts
    # Once it has ended: a request is logged after its answer is sent.
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if line[0] == "{"]
    assert number in {line["request"] for line in lines}
    assert token not in server.log.read_text()
    done = subprocess.run(
        [sys.executable, "-m", "tunewise", "serve", "--host", "0.0.0.0", "--no-accounts"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode and "people must sign in" in done.stderr


def test_whoever_lost_the_last_admin_lets_a_new_one_in(tmp_path: Path) -> None:
    plan = Plan(url=f"sqlite:///{tmp_path}/s.db")
    (_, first) = prepare(plan, "http://here")
    token = first.rpartition("/")[2]
    context = Context.open(plan.url, accounts=True)
    context.members.join(hashed(token), "root", "no password")
    assert len(prepare(plan, "http://here")) == 1
    (_, again) = prepare(replace(plan, invite=True), "http://here")
    assert again.startswith("An admin joins here: http://here/invitations/")
    assert context.members.invitation(hashed(again.rpartition("/")[2])) == ("", "admin")
    context.close()
    with pytest.raises(TunewiseError, match="leave --invite out"):
        replace(plan, invite=True, accounts=False).check()


JOB = """
name: tried
space: {x: [1, 2, 3, 4]}
maximize: score
command: [python, -c, "import json, sys; print(json.dumps(dict(score=int(sys.argv[1]))))", "{x}"]
trials: 3
strategy: random
"""


def test_a_job_brings_the_files_that_it_runs_and_takes_them_when_it_is_resumed(
    running: Server, tmp_path: Path
) -> None:
    (tmp_path / "job.yaml").write_text(
        "name: brought\nspace: {x: [1, 2]}\nmaximize: score\nstrategy: random\ntrials: 2\n"
        "command: [python, train.py, '{x}']\n"
    )
    (tmp_path / "train.py").write_text(
        "import json, sys, model\nprint(json.dumps(dict(score=model.score(sys.argv[1]))))\n"
    )
    (tmp_path / "model.py").write_text("score = lambda x: float(x) + len(open('rows.csv').read())")
    (tmp_path / "rows.csv").write_text("four")
    client = tw.Client(running.url)
    client.submit(tmp_path / "job.yaml", files=[tmp_path / "rows.csv"])
    deadline = time.monotonic() + 60
    while call(running, "GET", "/api/v1/jobs/brought")["state"] in ("waiting", "running"):
        assert time.monotonic() < deadline, running.log.read_text()[-2000:]
        time.sleep(0.2)
    study = next(one for one in client.studies() if one["name"] == "brought")
    assert (study["complete"], study["best"]) == (2, 6.0)
    [sent] = running.log.parent.rglob("jobs/*/*.zip")
    assert sent.stat().st_mode & 0o077 == 0
    client.resume("brought")
    assert sent.exists()
    client.stop("brought")
    client.delete("brought")
    assert not sent.exists()


def test_what_is_left_of_deleted_studies_and_killed_trainings_is_swept(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/service.db"
    context = Context.open(url)
    filled(context.store, "there", 1)
    for name in ("there", "gone", "waits"):
        context.jobs.submit("", name, "name: x", {}, "anna")
    context.jobs.stop("", "gone")
    for left in ("service.db.jobs/1", "service.db.jobs/2", "service.db.jobs/3"):
        (tmp_path / left).mkdir(parents=True)
    for left in ("training-old", "training-new", "1"):
        (tmp_path / "service.db.tasks" / left).mkdir(parents=True)
    os.utime(tmp_path / "service.db.tasks/training-old", (0, 0))
    sweep(url, context.jobs)
    assert sorted(p.name for p in (tmp_path / "service.db.jobs").iterdir()) == ["1", "3"]
    assert not (tmp_path / "service.db.tasks/training-old").exists()
    assert (tmp_path / "service.db.tasks/training-new").exists()
    context.close()


def test_a_submitted_job_file_is_run(running: Server) -> None:
    job = call(running, "POST", "/api/v1/jobs", {"text": JOB})
    assert (job["study"], job["state"]) == ("tried", "waiting")
    deadline = time.monotonic() + 60
    while call(running, "GET", "/api/v1/jobs/tried")["state"] in ("waiting", "running"):
        assert time.monotonic() < deadline, running.log.read_text()[-2000:]
        time.sleep(0.2)
    assert call(running, "GET", "/api/v1/jobs/tried")["state"] == "done"
    listed = call(running, "GET", "/api/v1/studies")["studies"]
    (study,) = [one for one in listed if one["name"] == "tried"]
    assert study["complete"] == 3 and study["best"] is not None


@pytest.mark.parametrize(
    "words, pauses",
    [
        ("import os; os.kill(os.getpid(), 9)", [0.2, 0.2, 0.2]),
        ("raise SystemExit(1)", [0.4, 0.8, 1.6]),
    ],
)
def test_what_others_killed_is_started_at_once_and_what_fails_after_ever_longer_pauses(
    words: str, pauses: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    child, now, found = Child([sys.executable, "-S", "-c", words], signal.SIGTERM), 0.0, []
    for _ in range(3):
        child.attend(now)
        assert child.process is not None
        child.process.wait()
        child.attend(now)
        found.append(round(child.again_at - now, 3))
        now = child.again_at
    assert found == pauses
    assert capsys.readouterr().err.count("it is started again") == 3
