"""`tunewise work` joins a study that another process began."""

import json
from contextlib import closing
from pathlib import Path

import tunewise as tw
from tests.cli.shell import job, process, started, tunewise
from tunewise.storage import open_store


def test_it_goes_on_with_a_study_by_what_the_storage_knows(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    url = f"sqlite:///{tmp_path}/shared.db"
    file = job(here, trials=2)
    assert tunewise("tune", file, "--storage", url, cwd=here).returncode == 0
    file.unlink()
    with closing(open_store(url)) as store:
        notes = store.notes("quick")
        text = notes["job"]["text"].replace("trials: 2", "trials: 5")
        store.annotate("quick", {"job": {**notes["job"], "text": text}})
    done = process("work", "--storage", url, "--study", "quick", "--json", cwd=there)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["number"] for line in lines if line["event"] == "trial"] == [2, 3, 4]
    # Logs are beside those of the first process, since this machine can write there.
    assert (tmp_path / "shared.db.runs" / "quick" / "4" / "log.txt").is_file()


def test_it_goes_on_until_the_study_has_as_many_trials_as_it_is_told(tmp_path: Path) -> None:
    assert tunewise("tune", job(tmp_path), "--trials", 2, cwd=tmp_path).returncode == 0
    done = tunewise("work", "--study", "quick", "--trials", 4, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["number"] for line in lines if line["event"] == "trial"] == [2, 3]


def test_on_another_machine_it_finds_the_jobs_files_in_the_folder_it_is_told(
    tmp_path: Path,
) -> None:
    here, there, copy = tmp_path / "here", tmp_path / "there", tmp_path / "copy"
    for folder in (here, there, copy):
        folder.mkdir()
    url = f"sqlite:///{tmp_path}/shared.db"
    assert tunewise("tune", job(here, trials=1), "--storage", url, cwd=here).returncode == 0
    with closing(open_store(url)) as store:
        notes = store.notes("quick")
        text = notes["job"]["text"].replace("trials: 1", "trials: 3")
        gone = {"path": "/nowhere/job.yaml", "text": text, "changes": {}}
        store.annotate("quick", {"job": gone, "folder": "/nowhere/runs"})
    job(copy)
    words = ("work", "--storage", url, "--study", "quick", "--folder", copy, "--parallel", "2")
    done = process(*words, cwd=there)
    assert done.returncode == 0, done.stderr
    with closing(open_store(url)) as store:
        assert len(store.history("quick").complete) == 3
        assert store.notes("quick")["folder"] == "/nowhere/runs"


def test_two_of_them_share_the_trials_of_a_namespace(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shared.db"
    path = job(tmp_path, trials=12)
    with tw.Study(
        tw.Problem(tw.Space(tw.Choice("z", [1])), maximize="accuracy"),
        storage=url,
        name="quick",
    ):
        pass  # a study of this name outside of the namespace has nothing to do with it
    from tunewise.job.jobfile import load
    from tunewise.study.record import JobText, Notes

    file = load(path)
    with tw.Study(
        file.problem, file.strategy, 7, storage=url, name="quick", namespace="team"
    ) as study:
        notes = Notes(job=JobText(str(path), file.text, {}))
        study.store.annotate("quick", notes.changed("job"))
    words = ("work", "--storage", url, "--study", "quick", "--namespace", "team", "-q")
    workers = [started(*words, cwd=tmp_path) for _ in range(2)]
    for worker in workers:
        out, err = worker.communicate(timeout=300)
        assert worker.returncode == 0, err
    with closing(open_store(url)) as store:
        assert len(store.within("team").history("quick").complete) == 12
        assert len(store.history("quick")) == 0


def test_a_study_without_a_job_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shared.db"
    space = tw.Space(tw.Choice("z", [1]))
    with tw.Study(tw.Problem(space, maximize="accuracy"), storage=url, name="plain"):
        pass
    done = tunewise("work", "--storage", url, "--study", "plain", cwd=tmp_path)
    assert done.returncode == 1
    assert "was not made from a job file; join it from Python" in done.stderr
    done = tunewise("work", "--storage", url, "--study", "plian", cwd=tmp_path)
    assert done.returncode == 1 and "'plain'" in done.stderr
