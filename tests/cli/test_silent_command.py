"""A command that only has to be cheap or quick need not write any metric."""

from pathlib import Path

from tests.cli.shell import job, parsed, tunewise


def test_a_command_that_prints_nothing_is_measured_by_its_time(tmp_path: Path) -> None:
    path = job(
        tmp_path,
        command="sleep 0.0{y}",
        space={"y": [1, 2, 4]},
        maximize=None,
        minimize="cost",
        subject_to=["time <= 10"],
    )
    done = tunewise("tune", path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = parsed(tunewise("show", "quick", "--json", cwd=tmp_path).stdout)
    assert [trial["state"] for trial in shown["trials"]] == ["complete"] * 3
    assert all(trial["metrics"]["cost"] > 0 for trial in shown["trials"])
