"""On the real curves of TrimTuner's runs, stops by reports save money and cost no quality."""

from dataclasses import replace

import pytest

from benchmarks import early_stop
from tunewise.benchmark.entrants import entrants
from tunewise.benchmark.race import Run, replayed

SEEDS = [(0,), pytest.param((1, 2), marks=pytest.mark.long)]


@pytest.fixture(scope="module", params=SEEDS, ids=str)
def runs(request: pytest.FixtureRequest) -> dict[bool, list[Run]]:
    found = [case for case in early_stop.cases() if case.name == "trimtuner/cnn"]
    if not found:
        pytest.skip("needs trimtuner/cnn_traces.csv: set TUNEWISE_DATA to the folder of tables")
    contest, (spec,) = found[0].contest(16), entrants("eic")
    return {
        stops: [
            replayed(replace(contest, stop_by_reports=stops), spec, seed) for seed in request.param
        ]
        for stops in (False, True)
    }


def test_as_many_trials_cost_much_less(runs: dict[bool, list[Run]]) -> None:
    for without, with_stops in zip(runs[False], runs[True], strict=True):
        assert with_stops.steps[-1].cost < 0.75 * without.steps[-1].cost


def test_what_is_found_is_as_good(runs: dict[bool, list[Run]]) -> None:
    for without, with_stops in zip(runs[False], runs[True], strict=True):
        assert with_stops.steps[-1].share >= without.steps[-1].share - 0.01
