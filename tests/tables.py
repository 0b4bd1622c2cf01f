"""Where the measured tables are, or a clear reason why a test is skipped."""

import os
from pathlib import Path

import pytest

SHARED = Path(
    os.environ.get("TUNEWISE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


def table_path(name: str) -> Path:
    """The path of a measured table; skips the test where the tables are absent."""
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"measured table {name} is not here: set TUNEWISE_DATA to its folder")
    return path
