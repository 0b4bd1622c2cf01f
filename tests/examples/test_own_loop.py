"""The example of a plain PyTorch loop tunes itself to its end."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")

SCRIPT = Path(__file__).parents[2] / "examples" / "own_loop" / "train.py"


def test_it_trains_to_its_end_and_says_what_staying_would_have_taken() -> None:
    asked = [sys.executable, str(SCRIPT), "--samples", "30000", "--no-compile"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "'precision':" in done.stdout and "the first setting:" in done.stdout
