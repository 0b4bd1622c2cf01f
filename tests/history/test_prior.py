"""What other studies teach a strategy, and how much of it is believed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tunewise as tw
from tunewise.belief.adjustments import OtherStudies
from tunewise.belief.candidates import Candidates
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.model import Model
from tunewise.belief.prior_mean import PriorMeans
from tunewise.errors import StudyError
from tunewise.history.prior import LEAST, Prior
from tunewise.testing.strategies import StrategyConformance, problem
from tunewise.testing.strategies import drawn as drawn_trials

HILL = tw.Space(tw.Real("x", 0.0, 1.0), tw.Real("y", 0.0, 1.0))


def hill(config: dict[str, float]) -> float:
    return 0.9 - 0.5 * (config["x"] - 0.8) ** 2 - 0.3 * (config["y"] - 0.3) ** 2


def told(configs: list[dict[str, float]], values: list[float], fraction: float = 1.0) -> tw.History:
    return tw.History(
        tw.Trial(n, config, fraction).told(tw.Measurement({"accuracy": value, "cost": 0.1}))
        for n, (config, value) in enumerate(zip(configs, values, strict=True))
    )


def wanted(**more: object) -> tw.Problem:
    return tw.Problem(HILL, maximize="accuracy", **more)  # type: ignore[arg-type] # keywords


def drawn(count: int, seed: int) -> list[dict[str, float]]:
    return HILL.latin(count, np.random.default_rng(seed))


def believed(new: tw.History, *others: tw.History) -> MetricBelief:
    prior = Prior.of(wanted(), {str(n): other for n, other in enumerate(others)})
    means = PriorMeans(wanted(), prior)
    return Model().learn(wanted(), new, False, means).metrics["accuracy"]


HELPFUL = told(drawn(20, 1), [hill(c) for c in drawn(20, 1)])
TURNED = told(drawn(20, 1), [1.2 - hill(c) for c in drawn(20, 1)])
UNRELATED = told(drawn(20, 1), np.random.default_rng(0).uniform(0.4, 0.9, 20).tolist())
HERE = drawn(12, 2)
NEW = told(HERE, [hill(c) - 0.1 for c in HERE])


def weights(belief: MetricBelief) -> np.ndarray:
    """How much each of the other studies is believed."""
    [others] = [a for a in belief.adjustments if isinstance(a, OtherStudies)]
    return others.weights


def test_a_study_that_foretells_what_is_measured_is_believed() -> None:
    assert weights(believed(NEW, HELPFUL))[0] > 0.6


@pytest.mark.parametrize("misleading", [TURNED, UNRELATED])
def test_a_study_that_misleads_is_believed_less_and_less(misleading: tw.History) -> None:
    each = [weights(believed(NEW[:count], misleading))[0] for count in (1, 4, 12)]
    assert each[-1] <= min(each[0], 0.1)


def test_of_two_studies_the_better_one_is_believed_more() -> None:
    good, bad = weights(believed(NEW, HELPFUL, TURNED))
    assert good > 0.5 > 0.1 > bad


def test_a_helpful_study_makes_predictions_better_and_a_misleading_one_hardly_worse() -> None:
    few, far = NEW[:4], drawn(40, 3)
    truth = np.array([hill(c) - 0.1 for c in far])
    candidates = Candidates.of(wanted(), far)

    def error(belief: MetricBelief) -> float:
        return float(np.abs(belief.natural(candidates, 1.0).mean - truth).mean())

    alone = error(believed(few))
    assert error(believed(few, HELPFUL)) < 0.8 * alone
    assert error(believed(few, TURNED)) < 1.2 * alone


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 10), st.integers(0, 10), st.floats(-3, 3))
def test_weights_lie_between_0_and_1_whatever_is_measured(
    count: int, seed: int, slope: float
) -> None:
    rng = np.random.default_rng(seed)
    values = np.clip(0.5 + slope * rng.normal(0, 0.2, count), 0.01, 0.99).tolist()
    belief = believed(told(HERE[:count], values), HELPFUL, UNRELATED)
    assert ((weights(belief) >= 0) & (weights(belief) <= 1)).all()


def test_the_prior_moves_means_and_leaves_fantasies_exact() -> None:
    belief = believed(NEW[:6], HELPFUL)
    there = Candidates.of(wanted(), drawn(3, 5))
    one = there.at(np.array([0]))
    fantasy = belief.surrogate.fantasize((one.x, [1.0]), (there.x, np.ones(3)))
    outcome = float(np.asarray(belief.predict(one, 1.0).mean)[0]) + 0.3
    refit = belief.surrogate.condition(one.x, 1.0, outcome - belief.offset(one, 1.0))
    moved = fantasy.target_mean + fantasy.gain[0] * (
        outcome - belief.offset(one, 1.0) - fantasy.mean[0]
    )
    np.testing.assert_allclose(moved, refit.predict(there.x, 1.0).mean, atol=1e-8)


def test_only_configs_of_the_new_space_are_kept_and_the_rest_is_noted() -> None:
    narrow = tw.Problem(
        tw.Space(tw.Real("x", 0.0, 0.5), tw.Real("y", 0.0, 1.0)), maximize="accuracy"
    )
    prior = Prior.of(narrow, {"wide": HELPFUL})
    assert all(t.config["x"] <= 0.5 for t in prior.studies["wide"])
    assert LEAST <= len(prior.studies["wide"]) < 20
    assert "study 'wide': 10 of 20 configs are not in the space" in prior.notes[0]


def test_spaces_that_share_nothing_are_refused_with_the_reason() -> None:
    other = tw.Problem(tw.Space(tw.Real("z", 0.0, 1.0)), maximize="accuracy")
    with pytest.raises(StudyError, match="none of its 20 measured configs .* 'x'"):
        Prior.of(other, {"hill": HELPFUL})


def test_a_study_with_little_to_say_is_left_out_with_a_note() -> None:
    prior = Prior.of(wanted(), {"young": HELPFUL[: LEAST - 1]})
    assert not prior and "only 4 of its values" in prior.notes[0]


OTHER = tw.History([tw.Trial(0, HERE[0]).told(tw.Measurement({"loss": 0.3, "cost": 0.1}))])
RUNNING = tw.History([tw.Trial(0, HERE[0])])


@pytest.mark.parametrize(
    ("nothing", "reason"),
    [
        (tw.History(), "study 'new' cannot be learned from: it has no complete trial; let it"),
        (RUNNING, "study 'new' cannot be learned from: it has no complete trial; let it"),
        (OTHER, "no complete trial measured accuracy; they measured cost, loss"),
    ],
)
def test_a_study_that_measured_nothing_of_use_is_refused_with_the_reason(
    nothing: tw.History, reason: str
) -> None:
    with pytest.raises(StudyError, match=reason):
        Prior.of(wanted(), {"young": HELPFUL[:1], "new": nothing})


def test_the_first_trial_is_the_config_that_the_other_study_believes_best() -> None:
    built = tw.strategy("eic").build(wanted(), 3, Prior.of(wanted(), {"a": HELPFUL}))
    first = built.suggest(tw.History(), 4)
    assert hill(first[0].config) == pytest.approx(max(map(hill, drawn(20, 1))), abs=0.02)
    alone = tw.strategy("eic").build(wanted(), 3).suggest(tw.History(), 4)
    assert [s.config for s in first[1:]] == [s.config for s in alone[:3]]


def test_what_is_best_in_most_studies_is_tried_first() -> None:
    studies = {"odd": TURNED, "one": HELPFUL, "two": HELPFUL}
    built = tw.strategy("eic").build(wanted(), 3, Prior.of(wanted(), studies))
    first, second = built.suggest(tw.History(), 4)[:2]
    assert hill(first.config) == pytest.approx(max(map(hill, drawn(20, 1))), abs=0.02)
    assert hill(second.config) == pytest.approx(min(map(hill, drawn(20, 1))), abs=0.02)


def test_a_description_gives_the_same_prior_again() -> None:
    snapshots = tw.Measurement({"accuracy": 0.8}, {0.1: {"accuracy": 0.5}}, {"accuracy": 0.01})
    trials = [tw.Trial(n, config).told(snapshots) for n, config in enumerate(HERE)]
    prior = Prior.of(wanted(), {"a": tw.History(trials)})
    again = Prior.from_description(prior.describe())
    assert again == prior
    assert Prior.from_description(None) == Prior()


class _WithPrior(StrategyConformance):
    """All that holds without a prior holds with one, but that it is the same for all seeds."""

    def build(self, asked: tw.Problem, seed: int = 0) -> tw.Strategy:
        return self.spec.build(asked, seed, Prior.of(asked, {"before": drawn_trials(asked, 8)}))

    def test_other_seeds_begin_elsewhere(self) -> None:
        starts = [self.build(problem(), seed).suggest(tw.History(), 1)[0] for seed in range(3)]
        assert starts[0] == starts[1] == starts[2]


class TestCherryPickWithPrior(_WithPrior):
    spec = tw.strategy("cherrypick")


class TestTrimTunerWithPrior(_WithPrior):
    spec = tw.strategy("trimtuner", candidates=150)


class TestTrimTunerTreesWithPrior(_WithPrior):
    spec = tw.strategy("trimtuner", surrogate="trees", candidates=150)
