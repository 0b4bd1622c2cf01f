"""The real `sky`, as far as it goes without an account.

Usage: python -m tests.execution.sky.real ENVIRONMENT

The environment has SkyPilot from PyPI. It gets a HOME of its own, with a catalogue made of our
shipped prices, which it would else fetch from the network. Our task files must pass its schema and
mean the same to it, unknown types be refused, an hour cost what we say, and a dry run end with
NoCloudAccessError. Its server is stopped at the end.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tunewise.execution import Command
from tunewise.execution.sky.task_file import task_file
from tunewise.history import Trial
from tunewise.space import VM, Catalogue, Fleet

REGION = "us-east-1"
SCHEMA = "from sky.skylet import constants; print(constants.CATALOG_SCHEMA_VERSION)"
COLUMNS = [
    "InstanceType",
    "AcceleratorName",
    "AcceleratorCount",
    "vCPUs",
    "MemoryGiB",
    "GpuInfo",
    "Price",
    "SpotPrice",
    "Region",
    "AvailabilityZone",
    "Arch",
]


class Real:
    """The command of an environment, in a HOME of its own."""

    def __init__(self, environment: Path, home: Path) -> None:
        self._bin = environment.absolute() / "bin"
        self.env = {**os.environ, "HOME": str(home), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
        for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "PYTHONPATH"):
            self.env.pop(name, None)
        self.home = home

    def run(self, program: str, *words: object) -> "subprocess.CompletedProcess[str]":
        """A program of the environment, to its end."""
        return subprocess.run(
            [self._bin / program, *map(str, words)],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
            check=False,
        )

    def seed(self, catalogue: Catalogue) -> None:
        """Our prices as its catalogue of AWS."""
        version = self.run("python", "-c", SCHEMA).stdout.split()[-1]
        place = self.home / ".sky" / "catalogs" / version / "aws"
        place.mkdir(parents=True)
        with (place / "vms.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for vm in catalogue:
                writer.writerow(_row(vm))
        (place / "images.csv").write_text("Tag,Region,OS,OSVersion,ImageId,CreationDate\n")


def _row(vm: VM) -> list[object]:
    spot = "" if vm.spot_price is None else vm.spot_price
    zone = f"{REGION}a"
    sizes = (vm.accelerator, vm.accelerators or "", vm.vcpus or "", vm.memory or "", "")
    return [vm.name, *sizes, vm.price, spot, REGION, zone, "x86_64"]


def check(environment: Path, home: Path) -> list[str]:
    """What was found, a line each; raises AssertionError where it is not as it should be."""
    real, found = Real(environment, home), []
    shipped = Catalogue.shipped()
    real.seed(shipped)
    job = Command("python train.py --vm {cluster.vm} --text 'it''s {cluster}'")
    fleets = [Fleet.of(vm.name, count) for vm in shipped for count in (1, 4)]
    files = []
    for number, fleet in enumerate(fleets):
        script, env = job.elsewhere(Trial(number, {"cluster": str(fleet)}))
        file = home / f"{number}.yaml"
        file.write_text(task_file(f"t{number}", fleet, script, env, infra=f"aws/{REGION}"))
        files.append(file)
    unknown = home / "unknown.yaml"
    unknown.write_text(task_file("u", Fleet(VM("t9.none"), 1), "true", {}, infra="aws"))
    inside = Path(__file__).with_name("inside.py")
    said = real.run("python", inside, *files, unknown)
    *answers, refused = json.loads(said.stdout.splitlines()[-1])
    for fleet, answer in zip(fleets, answers, strict=True):
        assert "error" not in answer, (str(fleet), answer)
        assert (answer["instance_type"], answer["nodes"]) == (fleet.vm.name, fleet.count)
        assert abs(answer["hourly"] - fleet.price) < 1e-9, (str(fleet), answer, fleet.price)
        assert answer["envs"]["TUNEWISE_PARAM_CLUSTER"] == str(fleet)
    found.append(f"{len(fleets)} task files read, each hour costs what we say")
    assert "t9.none" in refused["error"], refused
    found.append(f"unknown type refused: {refused['error'].splitlines()[0][:100]}")
    dry = real.run("sky", "launch", "--dryrun", "-y", "-c", "tunewise-dry", files[0])
    assert dry.returncode != 0 and "NoCloudAccessError" in dry.stdout, dry.stdout[-2000:]
    found.append("dry run: NoCloudAccessError")
    return found


def main() -> int:
    """Check, say what was found, stop the server."""
    with tempfile.TemporaryDirectory(prefix="tunewise-sky-") as folder:
        home = Path(folder)
        try:
            for line in check(Path(sys.argv[1]), home):
                print(line)
        finally:
            stopped = Real(Path(sys.argv[1]), home).run("sky", "api", "stop")
            print(f"sky api stop: exit code {stopped.returncode}")
    return stopped.returncode


if __name__ == "__main__":
    raise SystemExit(main())
