import csv
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table_path
from tunewise.errors import SpaceError
from tunewise.space import Billing, Fleet

billings = st.builds(
    Billing,
    tick=st.sampled_from([0, 0.1, 1, 60, 3600]),
    minimum=st.sampled_from([0, 1, 60, 600]),
)
prices = st.floats(1e-4, 1e3)
amounts = st.floats(0, 1e4)


def test_the_exact_time_is_billed_by_default() -> None:
    assert Billing().charge(7.2, 1.5) == pytest.approx(0.003)


def test_a_begun_tick_is_billed_whole() -> None:
    assert Billing(tick=60).charge(60.0, 61) == pytest.approx(2.0)
    assert Billing(tick=60).charge(60.0, 120) == pytest.approx(2.0)
    assert Billing(tick=0.1).charge(3600.0, 1.1) == pytest.approx(1.1)


def test_a_short_run_pays_the_minimum_and_no_run_pays_nothing() -> None:
    assert Billing(minimum=60).charge(60.0, 1) == pytest.approx(1.0)
    assert Billing(minimum=60).charge(60.0, 0) == 0


def test_charges_are_vectorised() -> None:
    charged = Billing(tick=1, minimum=10).charge(np.array([3600.0, 7200.0]), np.array([2.5, 20.5]))
    assert charged == pytest.approx([10.0, 42.0])


@given(billings, prices, amounts)
def test_money_never_lasts_longer_than_it_pays_for(
    billing: Billing, hourly: float, usd: float
) -> None:
    assert billing.charge(hourly, billing.seconds_for(hourly, usd)) <= usd


@given(billings, prices, amounts)
def test_money_lasts_as_long_as_it_pays_for(billing: Billing, hourly: float, usd: float) -> None:
    seconds = billing.seconds_for(hourly, usd)
    longer = seconds + max(billing.tick, 1e-6, 1e-9 * seconds)
    assert billing.charge(hourly, longer) > usd


@given(billings, prices, st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_longer_run_is_never_cheaper(billing: Billing, hourly: float, a: float, b: float) -> None:
    assert billing.charge(hourly, min(a, b)) <= billing.charge(hourly, max(a, b))


def test_what_costs_nothing_lasts_forever() -> None:
    assert Billing().seconds_for(0.0, 1.0) == math.inf


def test_money_below_the_minimum_charge_buys_nothing() -> None:
    assert Billing(minimum=60).seconds_for(60.0, 0.99) == 0


@pytest.mark.parametrize("wrong", [-1, math.nan, math.inf, "60", True])
def test_wrong_seconds_are_refused(wrong: Any) -> None:
    with pytest.raises(SpaceError, match="expected"):
        Billing(minimum=wrong)


def test_a_fleet_bills_its_helpers_with_the_workers() -> None:
    fleet = Fleet.of("t2.small", 4, helpers=("t2.2xlarge", "same"))
    assert fleet.price == pytest.approx(5 * 0.023 + 0.3712)
    assert (fleet.cores, fleet.memory) == (4, 8)


def test_the_bill_of_a_measured_training_is_reproduced() -> None:
    with table_path("trimtuner/cnn.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    fleets = [Fleet.of(r["vm"], int(r["vms"]), helpers=("t2.2xlarge", "same")) for r in rows]
    hourly = np.array([fleet.price for fleet in fleets])
    billed = Billing().charge(hourly, np.array([float(r["time"]) for r in rows]))
    measured = np.array([float(r["cost"]) for r in rows])
    assert len(rows) == 1440
    assert billed == pytest.approx(measured, rel=1e-3)


@pytest.mark.parametrize(
    ("tick", "minimum", "seconds"), [(0, 0, 0), (60, 0, 60), (1, 60, 60), (60, 90, 90)]
)
def test_whatever_ran_is_billed_the_least_that_there_is(
    tick: float, minimum: float, seconds: float
) -> None:
    billing = Billing(tick, minimum)
    assert billing.least == seconds
    assert billing.billed(1e-6) == pytest.approx(max(seconds, 1e-6))
