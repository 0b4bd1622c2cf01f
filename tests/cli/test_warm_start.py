"""`tunewise tune` learns from studies of the same storage."""

from pathlib import Path

from tests.cli.shell import job, tunewise
from tunewise.storage import open_store


def test_a_job_file_or_an_option_names_the_studies_to_learn_from(tmp_path: Path) -> None:
    first = tunewise("tune", job(tmp_path), "--name", "old", "--trials", "6", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    said = tunewise("tune", job(tmp_path, warm_start="old"), "--name", "said", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert "learning from old" in said.stderr
    job(tmp_path)
    given = ("tune", tmp_path / "job.yaml", "--name", "given", "--warm-start", "old")
    assert "learning from old" in tunewise(*given, cwd=tmp_path).stderr
    store = open_store(tmp_path / "tunewise.db")
    try:
        for study in ("said", "given"):
            assert store.load(study).notes["prior"]["sources"] == ["old"]
    finally:
        store.close()


def test_an_unknown_study_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    tunewise("tune", job(tmp_path), "--name", "old", cwd=tmp_path)
    path = tmp_path / "job.yaml"
    done = tunewise("tune", path, "--name", "new", "--warm-start", "odl", cwd=tmp_path)
    assert done.returncode == 1
    assert "there is no study 'odl'; did you mean 'old'" in done.stderr


def test_a_study_with_little_to_say_is_mentioned(tmp_path: Path) -> None:
    tunewise("tune", job(tmp_path), "--name", "old", "--trials", "2", cwd=tmp_path)
    path = tmp_path / "job.yaml"
    done = tunewise("tune", path, "--name", "new", "--warm-start", "old", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "study 'old' teaches nothing: only 2 of its values" in done.stderr.replace("\n", " ")


def test_a_dry_run_refuses_what_the_run_would(tmp_path: Path) -> None:
    plan = ("--name", "new", "--dry-run", "--warm-start")
    path = job(tmp_path)
    missing = tunewise("tune", path, *plan, "nostudy", cwd=tmp_path)
    assert missing.returncode == 1 and "there is no study 'nostudy'" in missing.stderr
    assert not (tmp_path / "tunewise.db").exists()
    tunewise("tune", path, "--name", "old", cwd=tmp_path)
    misspelt = tunewise("tune", path, *plan, "odl", cwd=tmp_path)
    assert misspelt.returncode == 1 and "did you mean 'old'" in misspelt.stderr
    assert tunewise("tune", path, *plan, "old", cwd=tmp_path).returncode == 0
    tunewise("tune", path, "--name", "new", cwd=tmp_path)
    other = tunewise("tune", path, *plan, "old", cwd=tmp_path)
    assert other.returncode == 1 and "exists with warm start from" in other.stderr
