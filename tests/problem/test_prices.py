"""Prices: what makes a cost of seconds, and what is said where they fail."""

from collections.abc import Callable
from typing import Any

import pytest

import tunewise as tw
from tunewise.errors import ProblemError
from tunewise.problem.listed import listed

SPACE = tw.Space(
    tw.Choice("kind", ["cpu", "gpu"]), tw.Ordinal("gpus", [1, 2], when={"kind": "gpu"})
)


def priced(price: Callable[[dict[str, Any]], Any], **more: Any) -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", price=price, **more)


def test_a_cost_is_the_price_of_the_seconds_as_they_are_billed() -> None:
    problem = priced(lambda config: 36.0, billing=tw.Billing(tick=60.0, minimum=120.0))
    config = {"kind": "cpu"}
    assert problem.cost(config, 10.0) == pytest.approx(1.2)
    assert problem.cost(config, 121.0) == pytest.approx(1.8)
    assert tw.Problem(SPACE, maximize="accuracy").cost(config, 10.0) is None


def test_a_cost_is_filled_in_only_where_time_alone_was_told_and_has_a_price() -> None:
    problem, config = priced(lambda config: 3600.0), {"kind": "cpu"}
    assert problem.priced(config, {"time": 2.0}) == pytest.approx({"time": 2.0, "cost": 2.0})
    for told in ({"time": 2.0, "cost": 7.0}, {"accuracy": 0.5}):
        assert problem.priced(config, told) == told
    free = tw.Problem(SPACE, maximize="accuracy")
    assert free.priced(config, {"time": 2.0}) == {"time": 2.0}


def test_a_price_that_reads_an_absent_parameter_is_told_what_to_write() -> None:
    problem = priced(lambda config: 1.0 * config["gpus"])
    assert problem.hourly({"kind": "gpu", "gpus": 2}) == 2.0
    with pytest.raises(ProblemError, match=r"price reads 'gpus', .* with config.get\('gpus', 0\)"):
        problem.hourly({"kind": "cpu"})


def raising(error: Exception) -> Callable[[dict[str, Any]], float]:
    def price(config: dict[str, Any]) -> float:
        raise error

    return price


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("zone"), r"price failed on the config kind=cpu: KeyError\('zone'\)"),
        (KeyError(), r"price failed on the config kind=cpu: KeyError\(\)"),
        (KeyError("kind"), r"price failed on the config kind=cpu: KeyError\('kind'\)"),
        (ValueError("gpus"), r"price failed on the config kind=cpu: ValueError\('gpus'\)"),
        (ProblemError("no price today"), "price failed on the config kind=cpu: no price today"),
    ],
)
def test_a_price_that_fails_otherwise_is_quoted(error: Exception, said: str) -> None:
    with pytest.raises(ProblemError, match=said):
        priced(raising(error)).hourly({"kind": "cpu"})


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -0.01])
def test_a_price_is_finite_and_not_below_nothing(wrong: float) -> None:
    with pytest.raises(ProblemError, match="price gave .* expected 0 or more"):
        priced(lambda config: wrong).hourly({"kind": "cpu"})


def test_shipped_machines_count_as_ones_own_once_they_differ() -> None:
    shipped = tw.Catalogue.shipped()["t2.small"]
    space = tw.Space(tw.Choice("vm", ["t2.small", "t2.medium"]))
    assert not len(listed(space, tw.Catalogue([shipped])))
    cheaper = tw.VM("t2.small", shipped.vcpus, shipped.memory, price=0.01)
    assert listed(space, tw.Catalogue([cheaper])).names == ["t2.small"]
    unknown = tw.VM("t2.tiny", 1, 1, price=0.01)
    assert listed(space, tw.Catalogue([unknown])).names == ["t2.tiny"]
