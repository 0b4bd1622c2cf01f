"""Every example of the README and the documentation runs as it is written.

A page says in comments of its own what its examples need, so that others run without it:
`<!-- examples need: torch -->` names packages (or `fashion-mnist`, the pictures) without which they
are skipped.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import blocks, script

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = 200
PICTURES = Path("/usr/share/datasets/fashion-mnist")


QUICK = ("README.md", "getting-started.md")
"""Pages whose examples every `make test` runs; the checks of a change run those of all others."""


def is_long(page: Path) -> bool:
    return page.name not in QUICK and bool(blocks(page.read_text(encoding="utf-8")))


def missing(page: Path) -> list[str]:
    """What the page says that its examples need, and that is not here."""
    found = re.search(r"<!-- examples need: (.+?) -->", page.read_text(encoding="utf-8"))
    needs = found[1].split(", ") if found else []
    here = {"fashion-mnist": PICTURES.is_dir()}
    return [name for name in needs if not here.get(name, importlib.util.find_spec(name))]


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.long if is_long(p) else ()) for p in PAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path) -> None:
    if missing(page):
        pytest.skip(f"its examples need {' and '.join(missing(page))}")
    for folder in ("benchmarks", "examples"):  # pages speak from the root of a clone
        (tmp_path / folder).symlink_to(ROOT / folder)
    program = tmp_path / "page.py"
    program.write_text(script(page.read_text(encoding="utf-8")), encoding="utf-8")
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-W",
            "ignore:no config was found that keeps all",
            program.name,
        ],
        cwd=tmp_path,
        env={**os.environ, "PATH": commands, "COLUMNS": "100", "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=3 * SECONDS if is_long(page) else SECONDS,
        check=False,
    )
    where = page.relative_to(ROOT)
    assert done.returncode == 0, f"{where} (same line numbers):\n{done.stdout}\n{done.stderr}"


def test_the_pages_have_examples() -> None:
    runnable = [
        block
        for page in PAGES
        for block in blocks(page.read_text(encoding="utf-8"))
        if block.language in ("python", "bash")
    ]
    assert len(runnable) >= 10


def test_a_script_keeps_the_line_numbers_of_its_page() -> None:
    page = "# Title\n\n```python\nx = 1\n```\n\nMore.\n\n```python\ny = x / 0\n```\n"
    lines = script(page).splitlines()
    assert lines[3] == "x = 1"
    assert lines[9] == "y = x / 0"


def test_a_block_with_a_title_becomes_a_file(tmp_path: Path) -> None:
    page = '```yaml title="job.yaml"\na: 1\n```\n\n```bash\ngrep -q "a: 1" job.yaml\n```\n'
    subprocess.run([sys.executable, "-c", script(page)], cwd=tmp_path, check=True)
    assert (tmp_path / "job.yaml").read_text() == "a: 1\n"


@pytest.mark.parametrize("block", ["```\nx\n```\n", "```yaml\nx: 1\n```\n", "```ruby\nx\n```\n"])
def test_a_block_that_would_not_run_is_refused(block: str) -> None:
    with pytest.raises(AssertionError, match="line 2"):
        script(block)


def test_a_set_up_block_may_not_hide_other_commands() -> None:
    with pytest.raises(AssertionError, match="is not run"):
        script("```console\ntunewise tune job.yaml\n```\n")
