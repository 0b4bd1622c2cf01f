"""The files of the plugin page install as they are written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws.source import ROOT


@pytest.mark.long
def test_the_files_of_the_plugin_page_install_and_are_found_by_name(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    source = tmp_path / "source"
    source.mkdir()
    for name, text in re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', page, re.M | re.S):
        (source / name).write_text(text, encoding="utf-8")
    place = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    install += ["--target", str(place), str(source)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if "No matching distribution found for setuptools" in done.stderr:
        pytest.skip("the page's build needs setuptools, and no index is at hand")
    assert done.returncode == 0, done.stderr
    code = (
        "from tunewise.strategy.spec import STRATEGIES; print(STRATEGIES.load('frugal').__name__)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(place)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == "Frugal\n", found.stderr
