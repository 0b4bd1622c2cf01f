"""Short versions of `make chaos`, `budget-chaos`, `work-chaos`, `service-chaos` and `faults`."""

from pathlib import Path

import pytest

from tests.chaos import budgets, kills, service, work
from tests.chaos.faults import MEMORY, play
from tests.postgres import binaries, private_server, stoppable_server
from tunewise.execution import ProcessExecutor


@pytest.fixture
def programs() -> Path:
    """The programs of a PostgreSQL server."""
    found = binaries()
    if found is None:
        pytest.skip("no PostgreSQL server is installed")
    return found


@pytest.mark.parametrize("count", [2, pytest.param(16, marks=pytest.mark.long)])
def test_random_searches_in_real_processes_keep_their_budget(tmp_path: Path, count: int) -> None:
    results = budgets.chaos(count, count // 2, seed=1, folder=tmp_path)
    assert len(results) == count and sum(r.trials for r in results) > count
    assert [r for r in results if r.over > 1.0] == []


@pytest.mark.parametrize("count", [3, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "store",
    [
        pytest.param("sqlite", marks=pytest.mark.long),
        pytest.param("postgres", marks=pytest.mark.postgres),
    ],
)
def test_random_kills_lose_double_and_change_nothing(
    tmp_path: Path, request: pytest.FixtureRequest, store: str, count: int
) -> None:
    if store == "postgres":
        request.getfixturevalue("programs")
    strategies = ["random"] if count < 10 else ["random", "cherrypick"]
    found = kills.chaos(count, 2, seed=3, stores=[store], folder=tmp_path, strategies=strategies)
    assert found.kills >= count and found.studies >= 1
    assert found.clean, found


@pytest.mark.postgres
@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("count", [1, pytest.param(4, marks=pytest.mark.long)])
def test_four_processes_on_postgresql_keep_their_budget_and_every_trial(
    tmp_path: Path, count: int
) -> None:
    found = work.chaos(count, 2, seed=11, folder=tmp_path)
    assert found.scenarios == count and found.kills >= count and found.trials > 5 * count
    assert found.clean, found


@pytest.mark.postgres
def test_a_study_accounts_for_all_trials_and_money_whatever_breaks(
    tmp_path: Path, programs: Path
) -> None:
    with stoppable_server(programs) as server:
        found = play(server, ProcessExecutor(2, memory=MEMORY, grace=1.0), tmp_path, away=4.0)
    assert not found.wrong
    assert found.trials == 8
    assert found.states["complete"] >= 5  # all but what leaks and what never ends


@pytest.mark.long
@pytest.mark.postgres
def test_a_service_that_is_killed_all_the_time_loses_and_doubles_nothing(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the files of tasks are looked for where one is
    with private_server(programs) as storage:
        found = service.chaos(tmp_path, storage, seconds=0.0, tenants=2, seed=1, pause=0.2)
    assert set(found.kills) == set(service.KINDS) and found.fed > 0
    assert found.clean, found
