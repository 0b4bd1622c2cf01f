"""Models times fractions: which arm is which, and what a log says of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tunewise.belief.usual.slopes import PER_DECADE
from tunewise.errors import TenancyError
from tunewise.tenancy import Log, Scheduler
from tunewise.tenancy.arms import Arms
from tunewise.tenancy.checks import fractions, names, number, orders, whole
from tunewise.tenancy.latent import LOGIT
from tunewise.tenancy.priors.learned import slices_at
from tunewise.tenancy.priors.prior import AccuracyPrior

MODELS = ["a", "b", "c"]


def log(users: int = 12, **more: object) -> Log:
    accuracy = np.random.default_rng(0).uniform(0.5, 0.9, (users, 3))
    return Log(accuracy, **more)  # type: ignore[arg-type] # a test's own options


def arms(known: Log | None = None, parts: tuple[float, ...] = (0.1, 0.5)) -> Arms:
    return Arms(MODELS, parts, known, LOGIT, spread=True, features=True)


def test_arms_go_by_fraction_then_by_model() -> None:
    made = arms()
    assert len(made) == 9
    assert [made.of("b", f) for f in (0.1, 0.5, 1.0)] == [1, 4, 7] and made.of("b") == 7
    for arm in range(9):
        assert made.of(made.model(arm), made.fraction(arm)) == arm
    with pytest.raises(TenancyError, match="unknown model 'bb'; did you mean 'b'"):
        made.of("bb")
    with pytest.raises(TenancyError, match=r"fraction 0.2 is none of \[0.1, 0.5, 1.0\]"):
        made.of("b", 0.2)


@pytest.mark.parametrize("users", [0, 3, 12])
def test_a_users_prior_comes_from_those_who_ran_any_of_the_users_models(users: int) -> None:
    rng = np.random.default_rng(1)
    both = np.full((20 + users, 5), np.nan)
    both[:20, :3] = rng.uniform(0.8, 0.82, (20, 3))
    both[20:, 3:] = rng.uniform(0.1, 0.9, (users, 2))
    names_, slices = [*MODELS, "d", "e"], both[:, None] - 0.05
    whole_ = Log(both, slices=slices, fractions=(0.1,), models=names_)
    alone = Log(both[20:, 3:], slices=slices[20:, :, 3:], fractions=(0.1,), models=["d", "e"])
    options: dict[str, Any] = {"spread": True, "features": True}
    shared = Arms(names_, (0.1,), whole_, LOGIT, **options)
    own = Arms(["d", "e"], (0.1,), alone, LOGIT, **options).prior
    of_user = shared.prior_of(["d", "e"])
    at = shared.among(["d", "e"])
    assert of_user.belief.mean[at] == pytest.approx(own.belief.mean)
    assert of_user.belief.covariance[np.ix_(at, at)] == pytest.approx(own.belief.covariance)
    assert of_user.noise[at] == pytest.approx(own.noise) and of_user.spread == own.spread
    assert not of_user.belief.covariance[np.ix_(at, ~at)].any()
    assert shared.prior_of(None) is shared.prior
    assert shared.prior_of(["e", "d"]) is of_user


def test_some_models_are_chosen_at_all_their_fractions() -> None:
    made = arms()
    assert made.among(None).all()
    assert np.flatnonzero(made.among(["c", "a"])).tolist() == [0, 2, 3, 5, 6, 8]
    assert not made.among([]).any()


def test_models_that_an_order_leaves_out_come_last() -> None:
    assert arms(parts=(0.1,)).ranks(["c", "a"]).tolist() == [1, 2, 0, 1, 2, 0]


def test_seconds_are_given_by_model_or_by_model_and_fraction() -> None:
    said: Mapping[Any, float] = {"a": 3, ("b", 0.1): 0.5}
    row = arms(parts=(0.1,)).given(said)
    np.testing.assert_array_equal(row, [np.nan, 0.5, np.nan, 3.0, np.nan, np.nan])


def test_without_looks_the_prior_is_that_of_the_log_alone() -> None:
    known = log()
    plain = AccuracyPrior.learn(LOGIT.of(known.accuracy), None, LOGIT.default)
    made = arms(known, ())
    np.testing.assert_allclose(made.prior.belief.mean, plain.belief.mean)
    np.testing.assert_allclose(made.prior.noise, plain.noise)
    assert made.prior.slices == 1 and arms(known).prior.slices == 3


def test_looks_are_taken_from_the_nearest_fraction_that_a_log_has() -> None:
    slices = np.stack([np.full((12, 3), 0.3), np.full((12, 3), 0.6)], axis=1)
    known = log(slices=slices, fractions=(0.1, 0.5))
    assert slices_at(known, (0.05, 0.2, 0.25, 0.9))[0, :, 0].tolist() == [0.3, 0.3, 0.6, 0.6]
    nothing = log(slices=np.empty((12, 0, 3)))
    assert slices_at(nothing, (0.05, 0.2)).shape == (12, 2, 3)
    assert np.isnan(slices_at(nothing, (0.05, 0.2))).all()
    scheduler = Scheduler(MODELS, log=nothing, fractions=(0.1,))
    scheduler.join("anna")
    assert scheduler.next() is not None


def test_less_data_is_believed_to_lose_where_no_log_has_curves() -> None:
    mean = arms(log()).prior.belief.mean.reshape(3, 3)
    usual = PER_DECADE["share"]
    np.testing.assert_allclose(mean[2] - mean[1], usual * np.log10(2))
    np.testing.assert_allclose(mean[2] - mean[0], usual)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Log([[0.5]], [[np.inf]]), "a log's seconds holds infinite values; use NaN"),
        (lambda: Log([[0.5]], features=[1.0]), "features has 1 axes; expected 2"),
        (lambda: Log([[0.5]], slices=[[[0.1]]]), r"slices has the shape \(1, 1, 1\)"),
        (lambda: Log([[0.5, -0.1]]), "a log's accuracy goes from -0.1 to 0.5"),
        (lambda: names(3), "models is 3; expected a list of names$"),
        (lambda: fractions([0.0, 0.5]), "above 0 and below 1"),
        (lambda: fractions([0.5, 0.5]), "ascending"),
        (lambda: number(0.0, "it is 0", above=0), "it is 0; expected a finite number above 0"),
        (lambda: number(-1, "it is -1", least=0), "expected a finite number, 0 or above"),
        (lambda: whole(True, "it is true"), "expected a whole number, 1 or above"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(call, said: str) -> None:  # type: ignore[no-untyped-def]  # a lambda
    with pytest.raises(TenancyError, match=said):
        call()


def test_numbers_at_their_limits_are_kept() -> None:
    assert number(0, "", least=0) == 0.0 and number(np.float32(0.5), "", above=0) == 0.5
    assert whole(np.int64(1), "") == 1
    assert fractions([0.1, 0.5]) == (0.1, 0.5) and fractions([]) == ()


def test_orders_without_a_name_are_that_of_the_models_or_the_given_one() -> None:
    assert orders(None, MODELS) == {"": MODELS}
    assert orders(["c"], MODELS) == {"": ["c"]}
    assert orders({"cited": ["b", "a"]}, MODELS) == {"": MODELS, "cited": ["b", "a"]}


def test_a_log_takes_the_former_name_of_slices() -> None:
    former = Log([[0.5]], looks=[[[0.1]]], fractions=(0.5,))  # type: ignore[call-arg] # as it was
    assert former.slices is not None and former.slices.tolist() == [[[0.1]]]
