"""What every surrogate must do, as tests to inherit from.

```python
class TestMine(SurrogateConformance):
    def build(self, **options):
        return Mine(**options)
```
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from tunewise.errors import MeasurementError, StrategyError
from tunewise.surrogate import Array, Normal, Surrogate

FRACTIONS = np.array([1 / 60, 0.1, 0.25, 0.5, 1.0])


class Data(NamedTuple):
    """Measurements: encoded configs (n, d), fractions (n,), values (n,)."""

    x: Array
    s: Array
    y: Array


def measured(n: int, seed: int = 0, noise: float = 0.05) -> Data:
    """A made-up metric over three parameters, better with more data."""
    rng = np.random.default_rng(seed)
    x, s = rng.random((n, 3)), rng.choice(FRACTIONS, n)
    y = np.sin(4 * x[:, 0]) + x[:, 1] - (1 - s) ** 2 * (1 + x[:, 0])
    return Data(x, s, y + noise * rng.standard_normal(n))


def places(m: int, seed: int = 9) -> tuple[Array, Array]:
    """Where to ask: encoded configs (m, 3) and fractions (m,)."""
    rng = np.random.default_rng(seed)
    return rng.random((m, 3)), rng.choice(FRACTIONS, m)


def is_sane(belief: Normal) -> bool:
    """Whether all means are finite and all deviations finite and positive."""
    mean, std = np.asarray(belief.mean), np.asarray(belief.std)
    return bool(np.isfinite(mean).all() and np.isfinite(std).all() and (std > 0).all())


def agree(one: Normal, other: Normal) -> bool:
    """Whether two beliefs are the same but for rounding: where memory lies may change a digit."""
    pairs = ((one.mean, other.mean), (one.std, other.std))
    return all(np.allclose(a, b, rtol=1e-9, atol=1e-9) for a, b in pairs)


class SurrogateConformance(ABC):
    """Inherit, write `build`, and pytest finds the rest."""

    @abstractmethod
    def build(self, **options: object) -> Surrogate:
        """The surrogate under test; the options are `basis` and `spread`, or none."""

    def test_answers_have_the_promised_shapes(self) -> None:
        """For beliefs, samples and fantasies."""
        surrogate = self.build().fit(*measured(12))
        belief = surrogate.predict(*places(7))
        assert np.shape(belief.mean) == np.shape(belief.std) == (7,)
        assert surrogate.sample(*places(7), 4, np.random.default_rng(0)).shape == (4, 7)
        fantasy = surrogate.fantasize(places(7), places(5))
        assert fantasy.mean.shape == fantasy.std.shape == fantasy.noise.shape == (7,)
        assert fantasy.gain.shape == fantasy.std_after().shape == (7, 5)
        assert fantasy.target_mean.shape == fantasy.target_var.shape == (5,)
        outcomes = np.stack([fantasy.mean, fantasy.mean + fantasy.std])
        assert fantasy.mean_after(outcomes).shape == (2, 7, 5)
        assert np.shape(fantasy.after(outcomes).std) == (2, 7, 5)

    def test_one_fraction_stands_for_all(self) -> None:
        """As a number instead of an array."""
        x, _, y = measured(12)
        surrogate, (where, _) = self.build().fit(x, 1.0, y), places(5)
        assert agree(surrogate.predict(where, 0.5), surrogate.predict(where, np.full(5, 0.5)))

    @pytest.mark.parametrize("basis", ["none", "accuracy", "cost", "log"])
    def test_takes_what_strategies_say_about_a_metric(self, basis: str) -> None:
        """A surrogate may make nothing of it."""
        assert is_sane(self.build(basis=basis, spread=1.0).fit(*measured(12)).predict(*places(9)))

    def test_the_same_data_give_the_same_answers(self) -> None:
        """Nobody looks at the global random state."""
        first = self.build().fit(*measured(20))
        np.random.seed(1)  # noqa: NPY002 - to show that nobody looks at it
        again = self.build().fit(*measured(20))
        assert agree(first.predict(*places(9)), again.predict(*places(9)))
        one, other = (s.sample(*places(9), 3, np.random.default_rng(2)) for s in (first, again))
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9)

    def test_fitting_again_forgets(self) -> None:
        """A surrogate can be used twice."""
        used = self.build().fit(*measured(30, seed=4)).fit(*measured(20))
        fresh = self.build().fit(*measured(20))
        assert agree(used.predict(*places(9)), fresh.predict(*places(9)))

    def test_learns_the_metric(self) -> None:
        """Far better than its mean would tell, and with about the doubt it deserves."""
        truth = measured(300, seed=1, noise=0.0)
        surrogate = self.build(basis="accuracy").fit(*measured(100))
        belief = surrogate.predict(truth.x, truth.s)
        error = belief.mean - truth.y
        assert np.sqrt(np.mean(error**2)) < 0.5 * truth.y.std()
        assert 0.8 < np.mean(np.abs(error) < 2 * np.asarray(belief.std)) <= 1.0

    @pytest.mark.parametrize(("scale", "shift"), [(1000.0, 0.0), (1e-3, 7.0), (-2.0, 3.0)])
    def test_answers_follow_a_change_of_units(self, scale: float, shift: float) -> None:
        """Where nothing is expected of the targets' spread."""
        x, s, y = measured(25)
        plain = self.build().fit(x, s, y)
        other = self.build().fit(x, s, scale * y + shift)
        before, after = plain.predict(*places(10)), other.predict(*places(10))
        assert np.allclose(after.mean, scale * before.mean + shift, atol=1e-4 * abs(scale))
        assert np.allclose(after.std, abs(scale) * before.std, atol=1e-4 * abs(scale))
        here, there = (p.fantasize(places(6), places(4, seed=3)).gain for p in (plain, other))
        assert np.allclose(here, there, atol=1e-4)

    def test_says_how_much_targets_differ_and_how_noisy_they_are(self) -> None:
        """In units of the targets."""
        data = measured(40)
        surrogate = self.build(basis="accuracy").fit(*data)
        assert 0.5 * data.y.std() < surrogate.scale_ < 2 * data.y.std()
        assert 0 <= surrogate.noise_ < data.y.std()
        noise = surrogate.fantasize(places(4), places(3)).noise
        assert np.allclose(noise, surrogate.noise_)

    def test_conditioning_leaves_the_original_as_it_was(self) -> None:
        """It returns a copy."""
        surrogate = self.build().fit(*measured(15))
        before = surrogate.predict(*places(8))
        surrogate.condition(*measured(3, seed=5))
        assert agree(surrogate.predict(*places(8)), before)

    def test_conditioning_in_one_go_equals_conditioning_one_by_one(self) -> None:
        """In whatever order."""
        surrogate, more = self.build().fit(*measured(15)), measured(3, seed=5)
        at_once, one_by_one = surrogate.condition(*more), surrogate
        for i in (2, 0, 1):
            one_by_one = one_by_one.condition(*(part[i : i + 1] for part in more))
        together, apart = at_once.predict(*places(8)), one_by_one.predict(*places(8))
        assert np.allclose(together.mean, apart.mean, rtol=0, atol=1e-8)
        assert np.allclose(together.std, apart.std, rtol=0, atol=1e-6)

    def test_what_was_observed_as_expected_is_doubted_less(self) -> None:
        """At the place of the observation."""
        surrogate, (x, s) = self.build().fit(*measured(15)), places(12)
        before = surrogate.predict(x, s)
        for i in range(12):
            here = x[i : i + 1], s[i : i + 1]
            after = surrogate.condition(*here, before[i : i + 1].mean).predict(*here)
            assert np.asarray(after.std)[0] <= before[i].std + 1e-12

    def test_fantasies_start_from_the_prediction(self) -> None:
        """At candidates and at targets."""
        surrogate = self.build().fit(*measured(20))
        candidates, targets = places(7), places(5, seed=3)
        fantasy = surrogate.fantasize(candidates, targets)
        here, there = surrogate.predict(*candidates), surrogate.predict(*targets)
        assert np.allclose(fantasy.mean, here.mean)
        assert np.allclose(fantasy.std**2, np.square(here.std) + fantasy.noise**2)
        assert fantasy.observation() == Normal(fantasy.mean, fantasy.std)
        assert np.allclose(fantasy.target_mean, there.mean)
        assert np.allclose(fantasy.target_var, np.square(there.std))

    @pytest.mark.parametrize("n", [1, 2, 5, 40])
    def test_fantasies_equal_conditioning(self, n: int) -> None:
        """For all candidates at once what `condition` does for one, whatever is observed."""
        surrogate = self.build().fit(*measured(n, seed=n))
        (x, s), targets = places(4), places(6, seed=2)
        fantasy = surrogate.fantasize((x, s), targets)
        y = fantasy.mean + fantasy.std * np.array([0.0, 0.3, -2.0, 1.0])
        after = fantasy.after(y)
        assert np.allclose(fantasy.mean_after(y), after.mean)
        for i in range(4):
            known = surrogate.condition(x[i : i + 1], s[i : i + 1], y[i : i + 1]).predict(*targets)
            assert np.allclose(after[i].mean, known.mean, rtol=0, atol=1e-8)
            assert np.allclose(np.square(after[i].std), np.square(known.std), rtol=0, atol=1e-8)

    def test_means_after_move_by_the_gain(self) -> None:
        """The gain is what a unit of the observation moves."""
        fantasy = self.build().fit(*measured(20)).fantasize(places(7), places(5, seed=3))
        moved = fantasy.mean_after(fantasy.mean + 1) - fantasy.mean_after(fantasy.mean)
        assert np.allclose(moved, fantasy.gain, rtol=0, atol=1e-10)

    @pytest.mark.parametrize("chosen", [[4, 1], slice(2, 5), np.arange(7) % 2 == 0])
    def test_a_part_of_a_fantasy_is_the_fantasy_of_a_part(
        self, chosen: list[int] | slice | Array
    ) -> None:
        """By indices, a slice or a mask."""
        surrogate, (x, s) = self.build().fit(*measured(20)), places(7)
        part = surrogate.fantasize((x, s), places(5))[chosen]
        alone = surrogate.fantasize((x[chosen], s[chosen]), places(5))
        assert np.allclose(part.gain, alone.gain, rtol=0, atol=1e-12)
        one, other = part.after(part.mean + 0.5), alone.after(alone.mean + 0.5)
        assert np.allclose(one.mean, other.mean, rtol=0, atol=1e-12)
        assert np.allclose(one.std, other.std, rtol=0, atol=1e-7)

    def test_samples_have_the_predicted_mean_and_spread(self) -> None:
        """In the long run."""
        surrogate = self.build().fit(*measured(15))
        draws = surrogate.sample(*places(6), 20_000, np.random.default_rng(1))
        belief = surrogate.predict(*places(6))
        assert np.allclose(draws.mean(0), belief.mean, atol=0.04 * np.max(belief.std))
        assert np.allclose(draws.std(0), belief.std, rtol=0.05)

    def test_samples_at_the_same_place_agree(self) -> None:
        """A sample is a function."""
        (x, s), surrogate = places(3), self.build().fit(*measured(15))
        draws = surrogate.sample(np.vstack([x, x]), np.append(s, s), 5, np.random.default_rng(0))
        assert np.allclose(draws[:, :3], draws[:, 3:], atol=1e-9)

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_a_few_observations_are_enough_to_answer(self, n: int) -> None:
        """Also for samples and fantasies."""
        surrogate = self.build().fit(*measured(n))
        assert is_sane(surrogate.predict(*places(20)))
        fantasy = surrogate.fantasize(places(8), places(5))
        assert is_sane(fantasy.after(fantasy.mean))
        assert np.isfinite(surrogate.sample(*places(8), 5, np.random.default_rng(0))).all()

    @pytest.mark.parametrize("value", [0.0, 1.0, -3e7])
    def test_constant_targets_are_predicted(self, value: float) -> None:
        """With a doubt that is a number."""
        x, s = places(12)
        surrogate = self.build().fit(x, s, np.full(12, value))
        assert np.allclose(surrogate.predict(x, s).mean, value, atol=1e-6 + 1e-9 * abs(value))
        assert is_sane(surrogate.predict(*places(30)))
        assert is_sane(surrogate.fantasize(places(8), places(5)).after(np.full(8, value + 1.0)))

    def test_repeated_measurements_of_a_config_are_averaged(self) -> None:
        """Roughly: a surrogate may lean towards what it expects."""
        rng = np.random.default_rng(6)
        x = np.repeat([[0.3, 0.3], [0.7, 0.1]], 40, axis=0)
        y = np.repeat([1.0, 2.0], 40) + 0.2 * rng.standard_normal(80)
        belief = self.build().fit(x, 1.0, y).predict(x[[0, 40]], 1.0)
        assert np.allclose(belief.mean, [y[:40].mean(), y[40:].mean()], atol=0.05)

    @pytest.mark.parametrize("factor", [1e140, 1e-140])
    def test_huge_and_tiny_targets_stay_finite(self, factor: float) -> None:
        """Also when squared on the way."""
        x, s, y = measured(10)
        belief = self.build().fit(x, s, factor * y).predict(x, s)
        assert np.isfinite(belief.mean).all()
        assert np.isfinite(belief.std).all()

    @pytest.mark.parametrize("wrong", [np.nan, np.inf])
    def test_targets_that_are_no_numbers_are_refused(self, wrong: float) -> None:
        """When fitting and when conditioning."""
        x, s, y = measured(5)
        surrogate = self.build().fit(x, s, y)
        bad = np.where(np.arange(5) == 3, wrong, y)
        for learn in (self.build().fit, surrogate.condition):
            with pytest.raises(MeasurementError):
                learn(x, s, bad)

    def test_wrong_input_is_refused(self) -> None:
        """Fractions outside (0, 1], lengths that do not agree, nothing at all."""
        x, s, y = measured(5)
        for arguments in (
            (x, np.zeros(5), y),
            (x, s, y[:4]),
            (x, s[:2], y),
            (np.full((5, 3), np.nan), s, y),
            (np.empty((0, 3)), np.empty(0), np.empty(0)),
        ):
            with pytest.raises(MeasurementError):
                self.build().fit(*arguments)

    @pytest.mark.parametrize("width", [2, 6])
    def test_configs_of_another_width_are_refused(self, width: int) -> None:
        """Wherever a fitted surrogate is asked about them."""
        surrogate, (x, s) = self.build().fit(*measured(5)), places(4)
        wrong = np.hstack([x, x])[:, :width]
        for question in _questions(surrogate, wrong, s):
            with pytest.raises(StrategyError, match=f"{width} columns; expected 3"):
                question()
        with pytest.raises(StrategyError, match=f"{width} columns; expected 3"):
            surrogate.fantasize((x, s), (wrong, s))

    def test_nothing_is_answered_before_fitting(self) -> None:
        """With a sentence that says so."""
        surrogate = self.build()
        for question in _questions(surrogate, *places(4)):
            with pytest.raises(StrategyError, match="fit it first"):
                question()
        with pytest.raises(StrategyError, match="fit it first"):
            _ = surrogate.scale_

    def test_no_samples_are_an_empty_array(self) -> None:
        """Of as many columns as there are points."""
        surrogate = self.build().fit(*measured(5))
        assert surrogate.sample(*places(4), 0, np.random.default_rng(0)).shape == (0, 4)


def _questions(surrogate: Surrogate, x: Array, s: Array) -> list[Callable[[], object]]:
    """All that can be asked of a surrogate about places."""
    return [
        lambda: surrogate.predict(x, s),
        lambda: surrogate.predict_grid(x, FRACTIONS),
        lambda: surrogate.sample(x, s, 2, np.random.default_rng(0)),
        lambda: surrogate.condition(x, s, np.ones(len(x))),
        lambda: surrogate.fantasize((x, s), (x, s)),
    ]
