"""Where the measured tables are, or the made ones that stand in for them."""

import os
from pathlib import Path

import pytest

SHARED = Path(
    os.environ.get("TUNEWISE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
MADE = Path(__file__).parent / "data"

_STAND_INS = {
    "trimtuner/cnn.csv": "cnn.csv",
    "lynceus/cnn.csv": "cnn_full.csv",
    "scout/join_bigdata_spark.csv": "clusters.csv",
    "scout/terasort_bigdata_hadoop.csv": "clusters.csv",
    "prices/gcp.csv": "vms.csv",
}


def table_path(name: str) -> Path:
    """The path of a measured table; of one made to resemble it where the measured one is absent."""
    if name not in _STAND_INS or (SHARED / name).is_file():
        return published_path(name)
    return MADE / _STAND_INS[name]


def published_path(name: str) -> Path:
    """The path of a measured table of which facts are known; skips the test where it is absent."""
    path = SHARED / name
    if not path.is_file():
        pytest.skip(
            f"what was published of {name} can be checked on the measured table alone:"
            " set TUNEWISE_DATA to its folder"
        )
    return path
