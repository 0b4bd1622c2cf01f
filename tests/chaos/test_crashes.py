"""A short version of `make crashes`."""

import random
from pathlib import Path

import pytest

from tests.chaos.crashes import Found, Play
from tests.postgres import binaries, stoppable_server


@pytest.mark.postgres
def test_a_study_goes_on_after_its_server_has_crashed(tmp_path: Path) -> None:
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    found = Found()
    with stoppable_server(programs) as server:
        play = Play(server, tmp_path / "study", "tune", trials=12, pauses=(0.1, 0.4))
        play.run(1, random.Random(0), found)
    assert found.clean, [*found.stalled, *found.lost, *found.doubled]
    assert found.restarts == 1 and found.trials == 12
