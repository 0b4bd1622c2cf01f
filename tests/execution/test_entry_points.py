"""Commands of packages: those of one's own take any value, those of others only numbers."""

import json
import sys
from pathlib import Path

import pytest

from tunewise.errors import ExecutionError
from tunewise.execution import Command
from tunewise.history import Trial
from tunewise.space import Choice, Space

SCRIPT = f"""#!{sys.executable}
import json, sys
print(json.dumps({{"accuracy": len(sys.argv[2])}}))
"""
VALUE = "--eval=__import__('os')"
SPACE = Space(Choice("x", [VALUE]))


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with commands, installed from its folder into an environment on PATH."""
    sources, environment = tmp_path / "my trainer", tmp_path / "env"
    about = environment / "lib" / "python3.11" / "site-packages" / "my_trainer-1.0.dist-info"
    for folder in (sources, environment / "bin", about):
        folder.mkdir(parents=True)
    for name in ("my-trainer", "ipython", "other"):
        (environment / "bin" / name).write_text(f"{SCRIPT}# {name}: no copy of another\n")
        (environment / "bin" / name).chmod(0o755)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-trainer\nVersion: 1.0\n")
    commands = "my-trainer = t:main\nipython = t:main\n"
    (about / "entry_points.txt").write_text(f"[console_scripts]\n{commands}")
    (about / "direct_url.json").write_text(json.dumps({"url": sources.as_uri(), "dir_info": {}}))
    monkeypatch.setenv("PATH", str(environment / "bin"), prepend=":")
    return sources


def refused(program: str, cwd: Path) -> bool:
    try:
        Command([program, "--opt", "{x}"], cwd=cwd).over(SPACE)
    except ExecutionError as error:
        assert "pip install -e ." in str(error)
        return True
    return False


def test_a_command_of_ones_own_package_takes_any_value(sources: Path, tmp_path: Path) -> None:
    command = Command(["my-trainer", "--opt", "{x}"], cwd=tmp_path).over(SPACE)
    assert command(Trial(0, {"x": VALUE})).metrics == {"accuracy": len(VALUE)}


@pytest.mark.parametrize("program", ["ipython", "other"])
def test_an_interpreter_or_a_command_of_no_package_takes_numbers_only(
    program: str, sources: Path, tmp_path: Path
) -> None:
    assert refused(program, tmp_path)


def test_a_package_whose_sources_are_not_here_is_somebody_elses(
    sources: Path, tmp_path: Path
) -> None:
    sources.rmdir()
    assert refused("my-trainer", tmp_path)


@pytest.mark.parametrize("url", [None, "https://example.org/t.whl", 7])
def test_a_package_from_an_index_is_somebody_elses(
    url: object, sources: Path, tmp_path: Path
) -> None:
    about = next(tmp_path.glob("env/lib/*/*/*.dist-info")) / "direct_url.json"
    about.write_text("[]" if url is None else json.dumps({"url": url}))
    assert refused("my-trainer", tmp_path)
