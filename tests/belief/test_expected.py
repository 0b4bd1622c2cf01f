"""What somebody expects of a parameter, and how it is forgotten."""

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.candidates import Candidates
from tunewise.belief.machines.pool import MachinePool
from tunewise.belief.machines.wanted import Wanted
from tunewise.belief.model import Model
from tunewise.belief.usual.bowl import DIP, Bowl
from tunewise.history import History, Trial

SPACE = tw.Space(tw.Real("rate", 0, 1, prior=0.2, confidence="high"), tw.Choice("kind", ["a", "b"]))
PROBLEM = tw.Problem(SPACE, maximize="accuracy")


def places(*rates: float) -> Candidates:
    return Candidates.of(PROBLEM, [{"rate": rate, "kind": "a"} for rate in rates])


def bowl(wanted: tw.Problem = PROBLEM) -> Bowl:
    found = Bowl.expected(wanted, wanted.objective, 1.0)
    assert found is not None
    return found


def test_away_from_what_is_expected_a_config_loses_as_a_normal_does() -> None:
    # A deviation of an eighth of the range: 1 - exp(-1/2) of the dip at one of them.
    lost = bowl().offset(places(0.2, 0.325, 1.0), 1.0)
    assert lost == pytest.approx([0.0, -DIP * (1 - np.exp(-0.5)), -DIP], abs=1e-6)


def test_less_confidence_reaches_further() -> None:
    lost = []
    for confidence in ("high", "medium", "low"):
        space = tw.Space(tw.Real("rate", 0, 1, prior=0.2, confidence=confidence))
        wanted = tw.Problem(space, maximize="accuracy")
        at = Candidates.of(wanted, [{"rate": 0.5}])
        lost.append(float(bowl(wanted).offset(at, 1.0)[0]))
    assert lost[0] < lost[1] < lost[2] < 0


def test_another_choice_than_the_expected_one_loses_nearly_all() -> None:
    space = tw.Space(tw.Choice("kind", ["a", "b", "c"], prior="b"), tw.Real("rate", 0, 1))
    wanted = tw.Problem(space, maximize="accuracy")
    configs = [{"kind": kind, "rate": 0.5} for kind in "abc"]
    lost = bowl(wanted).offset(Candidates.of(wanted, configs), 1.0)
    assert lost == pytest.approx([-DIP, 0.0, -DIP], abs=0.01)


def test_nobody_expects_anything_of_limits_or_of_parameters_without_a_prior() -> None:
    assert Bowl.expected(PROBLEM, "time", 1.0) is None
    plain = tw.Problem(tw.Space(tw.Real("rate", 0, 1)), maximize="accuracy")
    assert Bowl.expected(plain, "accuracy", 1.0) is None


def test_it_is_forgotten_as_configs_are_tried() -> None:
    rates = np.linspace(0.1, 0.9, 40)
    few, many = (bowl().fit(places(*rates[:n]), np.ones(n), np.zeros(n)) for n in (5, 40))
    assert few.kept == 1 / 2 and many.kept == 1 / 9
    assert few.offset(places(1.0), 1.0)[0] < -0.3 < many.offset(places(1.0), 1.0)[0]


def test_where_it_is_forgotten_the_best_is_expected_inside_again() -> None:
    inside = Bowl.inside(PROBLEM, "accuracy", 1.0)
    assert inside is not None
    assert inside.offset(places(0.0, 1.0), 1.0) == pytest.approx([0.0, 0.0])
    later = inside.fit(places(*np.linspace(0, 1, 20)), np.ones(20), np.zeros(20))
    assert later.kept == 1 / 5 and later.dip > 0
    assert later.offset(places(0.0), 1.0)[0] == pytest.approx(-later.dip * (1 - 1 / 5))


@pytest.mark.parametrize("published", [False, True])
def test_a_model_knows_it_unless_it_is_published(published: bool) -> None:
    told = Trial(0, {"rate": 0.5, "kind": "a"}).told(tw.Measurement({"accuracy": 0.8, "time": 1.0}))
    belief = Model(published=published).learn(PROBLEM, History([told]), False, None)
    near, far = belief.metrics["accuracy"].offset(places(0.2, 0.9), 1.0)
    assert near - far == pytest.approx(0.0 if published else DIP / (1 + 1 / 5), abs=1e-4)


def test_machines_that_are_expected_to_be_best_are_believed_to_be_faster() -> None:
    kinds = ["machine 1", "machine 2", "machine 3"]
    space = tw.Space(tw.Choice("vm", kinds, prior="machine 2"), tw.Ordinal("vms", [1, 2]))
    wanted = tw.Problem(space, minimize="cost", subject_to=["time <= 100"])
    what = Wanted.of(wanted)
    assert what is not None
    pool = MachinePool(wanted, what, space.configs, 0)
    mean = np.asarray(pool.ensemble.given(np.empty(0, np.intp), np.empty(0)).moments().mean)
    at = {kind: pool.at({"vm": kind, "vms": 1}) for kind in kinds}
    assert mean[at["machine 2"]] < min(mean[at["machine 1"]], mean[at["machine 3"]]) - 0.5
