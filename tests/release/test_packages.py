"""What is released installs in a clean environment, and brings what it should, and nothing else."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.docs.markdown import script
from tests.docs.test_examples import PICTURES
from tests.laws.source import ROOT
from tunewise import __version__

VERSIONS = ("3.11", "3.12", "3.13")
OFFLINE = ("No matching distribution found", "Could not find a version")
PAGES = ("README.md", "docs/getting-started.md", "docs/tutorials/machines.md")
TUTORIALS = (
    "docs/tutorials/boosting.md",
    "docs/tutorials/first-task.md",
    "docs/tutorials/three-people.md",
)
IN_PYTORCH = ("docs/online.md", "docs/tutorials/fashion-mnist.md")

pytestmark = pytest.mark.long


def run(*words: object, cwd: Path, **environment: str) -> str:
    """Run a command to its end; what it printed. It skips the test where no index is at hand."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": "", "OMP_NUM_THREADS": "1", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    if any(sign in done.stderr for sign in OFFLINE):
        pytest.skip("no package index is at hand")
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def python_of(version: str) -> str | None:
    """A Python of that version that runs here, also one that pyenv keeps but did not choose."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    chosen = shutil.which(f"python{version}")
    others = [str(path) for path in kept.glob(f"{version}.*/bin/python{version}")]
    for place in [chosen, *others] if chosen else others:
        if subprocess.run([place, "-c", ""], capture_output=True, check=False).returncode == 0:
            return place
    return None


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


def wheel(released: Path) -> Path:
    return released / f"tunewise-{__version__}-py3-none-any.whl"


def test_the_wheel_holds_the_package_alone_with_its_types_and_licence(released: Path) -> None:
    with zipfile.ZipFile(wheel(released)) as found:
        names = found.namelist()
    assert {name.split("/")[0] for name in names} == {
        "tunewise",
        f"tunewise-{__version__}.dist-info",
    }
    assert "tunewise/py.typed" in names
    assert f"tunewise-{__version__}.dist-info/licenses/LICENSE" in names


def test_the_sdist_holds_what_is_needed_to_test_and_to_measure_again(released: Path) -> None:
    with tarfile.open(released / f"tunewise-{__version__}.tar.gz") as found:
        tops = {name.split("/")[1] for name in found.getnames() if "/" in name}
    wanted = {"src", "tests", "docs", "examples", "benchmarks", "Makefile", "LICENSE"}
    assert wanted <= tops
    assert not [name for name in tops if name.startswith(".venv") or name == "site"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_wheel_works_in_a_clean_environment(
    version: str, released: Path, tmp_path: Path
) -> None:
    if (python := python_of(version)) is None:
        pytest.skip(f"there is no Python {version} here")
    path = installed(python, str(wheel(released)), tmp_path)
    assert run("tunewise", "--version", cwd=tmp_path, PATH=path) == f"tunewise {__version__}\n"
    for page in PAGES:
        followed(page, tmp_path, path)


def test_tutorials_pass_with_the_wheel_and_the_extra_that_they_name(
    released: Path, tmp_path: Path
) -> None:
    path = installed(sys.executable, f"{wheel(released)}[examples,tasks]", tmp_path)
    for page in TUTORIALS:
        followed(page, tmp_path, path)


def test_tutorials_in_pytorch_pass_with_the_wheel(released: Path, tmp_path: Path) -> None:
    path = installed(sys.executable, f"{wheel(released)}[torch]", tmp_path)
    for page in IN_PYTORCH:
        if "fashion-mnist" not in page or PICTURES.is_dir():
            followed(page, tmp_path, path)


def installed(python: str, what: str, folder: Path) -> str:
    """A PATH whose first folder belongs to a new environment with this, and nothing else."""
    place = folder / "environment"
    run(python, "-m", "venv", "--without-pip", place, cwd=folder)
    pip = [sys.executable, "-m", "pip", "--python", place / "bin" / "python", "install", "--quiet"]
    run(*pip, what, cwd=folder)
    return f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"


def followed(page: str, folder: Path, path: str) -> None:
    """Do what the reader of a page does, in a folder of its own."""
    here = folder / page.replace("/", "-")
    here.mkdir()
    (here / "benchmarks").symlink_to(ROOT / "benchmarks")
    (here / "tests").symlink_to(ROOT / "tests")  # pages run `tunewise` by tests.docs.commands
    text = (ROOT / page).read_text(encoding="utf-8")
    (here / "page.py").write_text(script(text), encoding="utf-8")
    run("python", "page.py", cwd=here, PATH=path)
