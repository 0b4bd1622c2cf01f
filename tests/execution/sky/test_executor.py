"""Whatever `sky` does, the trial is accounted for and no cluster is left up unseen."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import tunewise as tw
from tests.cli.shell import tunewise
from tunewise.errors import ExecutionError
from tunewise.execution import Command
from tunewise.execution.sky import Leases, SkyExecutor
from tunewise.execution.sky.command import Sky
from tunewise.history import Cancelled, Failure, Measurement, Outcome, Preempted, TimedOut, Trial
from tunewise.space import VM, Fleet
from tunewise.study.executor import Allowance, Report

FAKE = Path(__file__).with_name("fake.py")
SKY = shlex.join([sys.executable, str(FAKE)])
GOOD = "echo training; echo '{{\"accuracy\": 0.9}}'"


@pytest.fixture(autouse=True)
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the fake cloud."""
    monkeypatch.setenv("FAKE_SKY", str(tmp_path / "cloud"))
    monkeypatch.setenv("TUNEWISE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("FAKE_SKY_WAYS", raising=False)
    yield tmp_path / "cloud"


def executor(spot: bool = False, helpers: tuple[str, ...] = (), **options: Any) -> SkyExecutor:
    def machines(config: dict[str, Any]) -> Fleet:
        return Fleet.of("t2.medium", config["vms"], helpers, spot)

    return SkyExecutor(2, machines=machines, sky=SKY, teardown=0.2, **options)


def ran(script: str, **request: Any) -> Outcome:
    options = {name: request.pop(name) for name in ("spot", "helpers", "bucket") if name in request}
    with executor(**options) as pool:
        job = Command(script, shell=True)
        outcome: Outcome = pool.submit(job, Trial(3, {"vms": 2}, 0.5), **request).result()
    return outcome


def up(cloud: Path) -> list[str]:
    return sorted(file.stem for file in cloud.glob("*.up"))


def calls(cloud: Path) -> list[list[str]]:
    return [json.loads(line) for line in (cloud / "calls").read_text().splitlines()]


def test_a_trial_becomes_a_task_file_and_its_json_line_the_measurement(
    cloud: Path, tmp_path: Path
) -> None:
    outcome = ran(GOOD, folder=tmp_path / "trial")
    assert isinstance(outcome, Measurement)
    assert outcome.metrics["accuracy"] == 0.9
    assert outcome.metrics["time"] > 0
    (file,) = cloud.glob("*.yaml")
    task = yaml.safe_load(file.read_text())
    assert task["resources"] == {"instance_type": "t2.medium", "use_spot": False}
    assert task["num_nodes"] == 2
    assert task["envs"]["TUNEWISE_TRIAL"] == "3" and task["envs"]["TUNEWISE_FRACTION"] == "0.5"
    assert [call[0] for call in calls(cloud)] == ["launch", "down"]
    assert "--down" in calls(cloud)[0]
    assert up(cloud) == [] and list(Leases()) == []
    assert "training" in (tmp_path / "trial" / "log.txt").read_text()


def test_snapshots_are_reported_while_it_runs() -> None:
    heard: list[Report] = []
    script = 'echo \'{{"fraction": 0.1, "accuracy": 0.4}}\'; echo \'{{"accuracy": 0.9}}\''
    outcome = ran(script, report=heard.append)
    assert [report.fraction for report in heard] == [0.1]
    assert isinstance(outcome, Measurement) and outcome.snapshots == {0.1: {"accuracy": 0.4}}


@pytest.mark.parametrize(
    ("ways", "script", "kind", "said"),
    [
        ("no machines", GOOD, Failure, "exit code 1; its last output: sky.exceptions.Resources"),
        ("dies", GOOD, Failure, "exit code -9"),
        ("noise", GOOD, Measurement, ""),
        ("quiet", GOOD, Failure, "gave no result"),
        ("", "echo oh no; exit 3", Failure, "exit code 100; its last output: oh no"),
        ("", 'echo \'{{"accuracy": "high"}}\'', Failure, "metric 'accuracy' is 'high'"),
        ("down fails once", GOOD, Measurement, ""),
        ("down lies", GOOD, Measurement, ""),
    ],
)
def test_whatever_becomes_of_it_the_cluster_is_torn_down(
    cloud: Path,
    monkeypatch: pytest.MonkeyPatch,
    ways: str,
    script: str,
    kind: type[Outcome],
    said: str,
) -> None:
    monkeypatch.setenv("FAKE_SKY_WAYS", ways)
    outcome = ran(script)
    assert type(outcome) is kind, outcome
    assert said in getattr(outcome, "reason", "")
    assert outcome.metrics["time"] > 0
    assert up(cloud) == [] and list(Leases()) == []


def test_spot_machines_that_are_taken_away_preempt_the_trial(
    cloud: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_SKY_WAYS", "taken away")
    monkeypatch.setattr(VM, "hourly", lambda self, spot=False: self.price)
    outcome = ran(GOOD, spot=True)
    assert type(outcome) is Preempted
    (file,) = cloud.glob("*.yaml")
    assert yaml.safe_load(file.read_text())["resources"]["use_spot"] is True


RESUMING = """\
if [ -e "$TUNEWISE_CHECKPOINTS/steps" ]; then echo '{{"accuracy": 0.9, "resumed": 3}}'
else echo 3 > "$TUNEWISE_CHECKPOINTS/steps"; fi
"""


def test_checkpoints_in_a_bucket_outlive_machines_that_are_taken_away(
    cloud: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VM, "hourly", lambda self, spot=False: self.price)
    monkeypatch.setenv("FAKE_SKY_WAYS", "taken away")
    wanted: dict[str, Any] = {"spot": True, "checkpoints": tmp_path / "digits/checkpoints/a1"}
    assert type(ran(RESUMING, bucket="s3://kept", **wanted)) is Preempted
    assert (cloud / "kept/digits/a1/steps").read_text() == "3\n"
    monkeypatch.delenv("FAKE_SKY_WAYS")
    outcome = ran(RESUMING, bucket="s3://kept", **wanted)
    assert outcome.metrics["resumed"] == 3
    tasks = [yaml.safe_load(file.read_text()) for file in cloud.glob("*.yaml")]
    assert tasks[0]["file_mounts"] == {"/tunewise": {"source": "s3://kept", "mode": "MOUNT"}}


def test_a_bucket_that_is_none_is_refused() -> None:
    with pytest.raises(ExecutionError, match="the bucket is 'kept'; expected its address"):
        executor(bucket="kept")


@pytest.mark.parametrize("ways", ["", pytest.param("launch hangs", marks=pytest.mark.long)])
def test_limits_and_stops_end_the_command_and_the_cluster(
    cloud: Path, monkeypatch: pytest.MonkeyPatch, ways: str
) -> None:
    monkeypatch.setenv("FAKE_SKY_WAYS", ways)
    limited = ran("sleep 600", limit=1.0)
    assert type(limited) is TimedOut and limited.reason == "time limit of 1 s reached"
    poor = ran("sleep 600", allowance=Allowance(0.5, 1.2))
    assert type(poor) is TimedOut and "the 0.5 USD of the budget" in poor.reason
    with executor() as pool:
        future = pool.submit(Command("sleep 600", shell=True), Trial(0, {"vms": 1}))
        while not cloud.exists() or not up(cloud):
            time.sleep(0.01)
        pool.stop(future, Cancelled("not needed"), at_once=True)
        stopped = future.result()
    assert type(stopped) is Cancelled and stopped.metrics["time"] > 0
    assert up(cloud) == [] and list(Leases()) == []


def test_a_cluster_that_cannot_be_torn_down_is_listed_with_what_it_costs(
    cloud: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FAKE_SKY_WAYS", "down fails")
    assert isinstance(ran(GOOD, folder=tmp_path / "trial"), Measurement)
    (lease,) = Leases()
    assert [lease.name] == up(cloud)
    assert "may still be up" in (tmp_path / "trial" / "log.txt").read_text()
    assert lease.machines == "t2.medium:2" and lease.hourly == pytest.approx(
        Fleet.of("t2.medium", 2).price
    )
    assert lease.cost(lease.since + 1800) == pytest.approx(lease.hourly / 2)
    shown = tunewise("clusters", cwd=tmp_path).stdout
    assert lease.name in shown and "t2.medium:2" in shown and "left behind" in shown
    (listed,) = json.loads(tunewise("clusters", "--json", cwd=tmp_path).stdout)
    assert listed["name"] == lease.name and listed["in_use"] is False
    monkeypatch.delenv("FAKE_SKY_WAYS")
    assert tunewise("clusters", "--down", "--sky", SKY, cwd=tmp_path).returncode == 0
    assert up(cloud) == [] and list(Leases()) == []


def test_a_study_says_aloud_that_a_cluster_could_not_be_torn_down(
    cloud: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("FAKE_SKY_WAYS", "down fails")
    job = tmp_path / "job.yaml"
    job.write_text(
        f"""
command: ['echo', '{{{{"accuracy": 0.9}}}}']
space: {{cluster: {{cluster: {{types: [t2.medium], counts: [1, 2]}}}}}}
maximize: accuracy
strategy: random
trials: 1
executor: {{name: sky, sky: {json.dumps(SKY)}, teardown: 0.2}}
"""
    )
    done = tunewise("tune", job, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (name,) = up(cloud)
    last = done.stderr.splitlines()[-1]
    assert f"the cluster {name}" in last and "tunewise clusters --down --sky" in last
    assert last in caplog.text
    failed = tunewise("clusters", "--down", "--sky", SKY, cwd=tmp_path)
    assert failed.returncode == 1 and f"{name} may still be up" in failed.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "tunewise-d"}', "\0"])
def test_a_cluster_whose_lease_is_unreadable_is_listed_and_torn_down(
    cloud: Path, tmp_path: Path, text: str
) -> None:
    cloud.mkdir()
    (cloud / "tunewise-d.up").touch()
    Leases().folder.mkdir(parents=True)
    (Leases().folder / "tunewise-d.json").write_text(text)
    shown = tunewise("clusters", cwd=tmp_path).stdout
    assert "tunewise-d" in shown and "unreadable lease" in shown
    (listed,) = json.loads(tunewise("clusters", "--json", cwd=tmp_path).stdout)
    assert listed["unreadable"] is True
    assert isinstance(ran(GOOD), Measurement) and up(cloud) == ["tunewise-d"]  # it may be in use
    assert tunewise("clusters", "--down", "--sky", SKY, cwd=tmp_path).returncode == 0
    assert up(cloud) == [] and list(Leases()) == []


CRASH = """
import os, sys
from tunewise.execution import Command
from tunewise.execution.sky import SkyExecutor
from tunewise.history import Trial
from tunewise.space import VM, Fleet
pool = SkyExecutor(machines=lambda c: Fleet.of("t2.medium", 1), sky=sys.argv[1], teardown=0.2)
pool.submit(Command("sleep 600", shell=True), Trial(0, {})).result()
"""


def test_a_crash_leaves_a_lease_that_the_next_start_cleans_up(cloud: Path, tmp_path: Path) -> None:
    crashed = subprocess.Popen([sys.executable, "-c", CRASH, SKY], start_new_session=True)
    deadline = time.monotonic() + 120
    while not cloud.exists() or not up(cloud):
        assert time.monotonic() < deadline and crashed.poll() is None
        time.sleep(0.01)
    os.kill(crashed.pid, signal.SIGKILL)
    crashed.wait()
    (left,) = Leases()
    assert not left.in_use and up(cloud) == [left.name]
    assert "left behind" in tunewise("clusters", cwd=tmp_path).stdout
    assert isinstance(ran(GOOD), Measurement)
    assert up(cloud) == [] and list(Leases()) == []
    assert tunewise("clusters", cwd=tmp_path).stdout == "no rented cluster is up\n"


def test_clusters_down_tears_down_what_was_left_behind(cloud: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    from tunewise.execution.sky import Lease
    from tunewise.testing.stores import dead_owner

    (cloud / "x").mkdir(parents=True)
    for name in ("tunewise-a", "tunewise-b"):
        (cloud / f"{name}.up").touch()
        lease = Lease(name, "t2.medium:1", 0.096, time.time(), str(dead_owner()), 0)
        Leases().add(lease)
    Leases().add(replace(lease, name="tunewise-c", owner=str(tw.study.Owner.here())))
    done = tunewise("clusters", "--down", "--sky", SKY, cwd=tmp_path)
    assert done.returncode == 0
    assert up(cloud) == [] and [lease.name for lease in Leases()] == ["tunewise-c"]


def test_helpers_of_the_same_type_start_too_and_others_are_refused(cloud: Path) -> None:
    assert isinstance(ran(GOOD, helpers=("same",)), Measurement)
    (file,) = cloud.glob("*.yaml")
    assert yaml.safe_load(file.read_text())["num_nodes"] == 3
    with pytest.raises(ExecutionError, match=r"'t2.small' is of another type than the workers"):
        ran(GOOD, helpers=("t2.small",))


def test_what_cannot_run_on_rented_machines_is_refused(tmp_path: Path) -> None:
    with executor() as pool, pytest.raises(ExecutionError, match="expected a command"):
        pool.submit(lambda trial: {}, Trial(0, {"vms": 1}))
    with pytest.raises(ExecutionError, match="'no-such-sky' was not found"):
        SkyExecutor(machines=lambda c: Fleet.of("t2.medium", 1), sky="no-such-sky").prepare(
            Command("true")
        )


def test_an_interrupted_study_leaves_no_cluster_up(cloud: Path, tmp_path: Path) -> None:
    job = tmp_path / "job.yaml"
    job.write_text(
        f"""
command: sleep 600
space: {{cluster: {{cluster: {{types: [t2.medium], counts: [1, 2]}}}}}}
minimize: cost
parallel: 2
executor: {{name: sky, sky: {json.dumps(SKY)}, teardown: 0.2}}
"""
    )
    from tests.cli.shell import started

    run = started("tune", job, cwd=tmp_path)
    deadline = time.monotonic() + 120
    while not cloud.exists() or len(up(cloud)) < 2:
        assert time.monotonic() < deadline and run.poll() is None, run.communicate()
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 130, err
    assert up(cloud) == [] and list(Leases()) == []


@pytest.mark.parametrize("command", ["", "sky 'launch", '"'])
def test_a_command_that_is_none_is_refused(command: str) -> None:
    with pytest.raises(ExecutionError, match="the command of SkyPilot is .*; expected"):
        Sky(command)
