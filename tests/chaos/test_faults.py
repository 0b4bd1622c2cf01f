"""A short version of `make faults`."""

from pathlib import Path

import pytest

from tests.chaos.faults import MEMORY, play
from tests.postgres import binaries, stoppable_server
from tunewise.execution import ProcessExecutor

pytestmark = pytest.mark.postgres


def test_a_study_accounts_for_all_trials_and_money_whatever_breaks(tmp_path: Path) -> None:
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    with stoppable_server(programs) as server:
        found = play(server, ProcessExecutor(2, memory=MEMORY, grace=1.0), tmp_path, away=4.0)
    assert not found.wrong
    assert found.trials == 8
    assert found.states["complete"] >= 5  # all but what leaks and what never ends
