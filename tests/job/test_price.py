"""What an hour of a config costs, as a job file says it."""

import math
from pathlib import Path
from typing import Any

import pytest

from tunewise.errors import JobFileError, ProblemError, SpaceError
from tunewise.job.fields import PriceFields
from tunewise.job.price import CataloguePrice, price
from tunewise.space import Catalogue

NAMES = ("vm", "vms")
CONFIG = {"vm": "small", "vms": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prices.csv").write_text(
        "name,price,spot_price\nbox-small,0.5,0.25\nbox-large,2.0,1.0\nserver,10.0,4.0\n"
    )
    return tmp_path


def listed(folder: Path, **said: Any) -> CataloguePrice:
    fields = PriceFields(catalogue="prices.csv", **{"vm": "box-{vm}", **said})
    found = price(fields, NAMES, folder)
    assert isinstance(found, CataloguePrice)
    return found


@pytest.mark.parametrize(("said", "usd"), [(0.5, 0.5), ("0.1 * vms", 0.3), (0.0, 0.0), ("0", 0.0)])
def test_a_price_is_a_number_or_an_expression(said: float | str, usd: float) -> None:
    found = price(said, NAMES, Path())(CONFIG)
    assert found == pytest.approx(usd) and isinstance(found, float)


@pytest.mark.parametrize("said", [math.inf, math.nan])
def test_a_price_that_is_no_amount_is_refused_at_once(said: float) -> None:
    with pytest.raises(ProblemError, match="expected USD per hour, 0 or above"):
        price(said, NAMES, Path())


@pytest.mark.parametrize("said", ["0 - vms", "vm", "vms > 1", "null", "1e308 * 1e308"])
def test_an_expression_that_gives_no_amount_is_refused_with_its_config(said: str) -> None:
    with pytest.raises(ProblemError, match="gives no price for the config vm=small, vms=3"):
        price(said, NAMES, Path())(CONFIG)


@pytest.mark.parametrize(
    ("said", "usd"),
    [
        ({}, 0.5),
        ({"count": 4}, 2.0),
        ({"count": "vms"}, 1.5),
        ({"count": "2 * vms", "vm": "server"}, 60.0),
        ({"count": "vms", "helpers": ["server"]}, 11.5),
        ({"count": "vms", "helpers": ["same", "same"]}, 2.5),
        ({"count": "vms", "spot": True}, 0.75),
    ],
)
def test_a_price_out_of_a_catalogue_is_that_of_all_machines(
    folder: Path, said: dict[str, Any], usd: float
) -> None:
    found = listed(folder, **said)
    assert found(CONFIG) == pytest.approx(usd)
    # The second answer comes from memory, and is the same.
    assert found(CONFIG) == pytest.approx(usd)


def test_each_type_and_count_has_a_price_of_its_own(folder: Path) -> None:
    found = listed(folder, count="vms")
    configs = [{"vm": vm, "vms": n} for vm in ("small", "large") for n in (1, 2)]
    assert [found(config) for config in configs] == pytest.approx([0.5, 1.0, 2.0, 4.0])


def test_what_a_price_names_must_be_there(folder: Path) -> None:
    with pytest.raises(ProblemError, match="vm names an unknown parameter 'wm'; did you mean 'vm'"):
        listed(folder, vm="box-{wm}")
    with pytest.raises(JobFileError, match="unknown parameter 'vmss'"):
        listed(folder, count="vmss")
    with pytest.raises(SpaceError, match="unknown VM type 'box-tiny'"):
        listed(folder)({"vm": "tiny", "vms": 1})
    with pytest.raises(JobFileError, match="'box-{vm}' needs 'vm', which does not apply"):
        listed(folder)({"vms": 1})


def test_without_a_catalogue_all_known_prices_count(folder: Path) -> None:
    found = price(PriceFields.model_validate({"vm": "t2.small", "count": 2}), NAMES, folder)
    assert found(CONFIG) == pytest.approx(2 * Catalogue.shipped()["t2.small"].price)
