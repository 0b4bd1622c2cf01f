import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.machines.features import MachineFeatures
from tunewise.belief.machines.prices import PriceBelief
from tunewise.space import Space
from tunewise.surrogate import Normal

CONFIGS = [
    {"vm": vm, "vms": vms} for vm in ("c4.large", "r4.large", "x1.large") for vms in (1, 2, 8)
]


def believed(billed: dict[int, float], price: float | None = None) -> Normal:
    space = Space.of(CONFIGS)
    known = None if price is None else (lambda config: price * config["vms"])
    problem = tw.Problem(space, minimize="cost", price=known)
    belief = PriceBelief(problem, CONFIGS, MachineFeatures.of(problem, CONFIGS))
    at, usd = np.array(list(billed), np.intp), np.array(list(billed.values()))
    return belief.given(at, np.log(usd / 3600))


def test_before_any_bill_list_prices_are_believed() -> None:
    price = believed({})
    assert np.exp(price.mean)[[0, 1, 2, 3]] * 3600 == pytest.approx([0.1, 0.2, 0.8, 0.133])


def test_one_bill_of_twice_the_list_price_doubles_all_prices() -> None:
    price = believed({0: 0.2})
    hourly = np.exp(price.mean) * 3600
    assert hourly[0] == pytest.approx(0.2)
    assert hourly[[1, 2, 3]] == pytest.approx([0.4, 1.6, 0.266], rel=0.1)


def test_a_family_without_a_list_price_is_doubted_until_it_was_billed() -> None:
    listed, unlisted = 3, 6
    before, after = believed({0: 0.1}), believed({0: 0.1, 7: 1.0})
    assert float(before[unlisted].std) > 2 * float(before[listed].std)
    assert float(after[unlisted].std) < 0.2
    assert np.exp(after[unlisted].mean) * 3600 == pytest.approx(0.5, rel=0.1)


def test_a_price_that_the_problem_knows_is_certain_whatever_was_billed() -> None:
    price = believed({0: 9.0}, price=3.0)
    assert np.exp(price.mean)[:3] * 3600 == pytest.approx([3.0, 6.0, 24.0])
    assert price.std == pytest.approx(np.zeros_like(price.std), abs=1e-12)
