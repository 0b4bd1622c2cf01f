"""The files that one begins with: as far as they can be checked without starting anything."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.cli.shell import invoke

DEPLOY = Path(__file__).parents[2] / "deploy"


def _options(words: list[str]) -> set[str]:
    return {word for word in words if word.startswith("--")}


def test_compose_starts_a_service_on_a_database_that_only_this_machine_reaches() -> None:
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    service, database = told["services"]["tunewise"], told["services"]["database"]
    assert service["depends_on"]["database"]["condition"] == "service_healthy"
    assert "healthcheck" in service and "healthcheck" in database
    assert service["environment"]["TUNEWISE_STORAGE"].endswith("@database/tunewise")
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert "ports" not in database
    named = {each.partition(":")[0] for one in (service, database) for each in one["volumes"]}
    assert named == set(told["volumes"])
    assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    known = invoke("serve", "--help").output
    assert service["command"][0] == "serve"
    assert all(option in known for option in _options(service["command"]))


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    unit = (DEPLOY / "tunewise.service").read_text()
    begins = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    assert begins.endswith("/tunewise serve")
    here = tmp_path / "tunewise.service"
    here.write_text(unit.replace(begins, "ExecStart=/bin/true"))
    done = subprocess.run([program, "verify", here], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if here.name in line]) == (
        0,
        [],
    )


def test_what_the_service_needs_is_named_with_its_reason() -> None:
    """So that nothing comes in unnoticed; what these bring themselves is told beside them."""
    root = DEPLOY.parent
    needed = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    names = {re.split("[<>=]", each)[0] for each in needed["optional-dependencies"]["serve"]}
    told = (root / "docs" / "operate.md").read_text().partition("## What it brings")[2]
    rows = [line for line in told.splitlines() if line.startswith("| ")][1:]
    named = [word for row in rows for word in re.findall("[a-z0-9-]+", row.split("|")[1])]
    packages = [word for word in named if word not in ("with", "and")]
    assert names <= set(packages)
    assert len(packages) == len(set(packages)) == 22
