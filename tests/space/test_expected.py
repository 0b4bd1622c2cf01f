"""What somebody expects of a parameter."""

from pathlib import Path

import numpy as np
import pytest

import tunewise as tw
from tunewise.errors import SpaceError
from tunewise.problem.changes import changes

RATE = tw.Real("rate", 1e-5, 1e-1, log=True, prior=1e-3, confidence="high")
SPACE = tw.Space(
    RATE,
    tw.Integer("layers", 1, 9, prior=4),
    tw.Choice("optimizer", ["adam", "sgd"], prior="sgd", confidence="low"),
    tw.Ordinal("width", [8, 16, 32], prior=16),
    tw.Real("decay", 0, 1),
)


def test_a_parameter_keeps_its_prior_and_is_of_medium_confidence_if_nothing_is_said() -> None:
    assert [(p.prior, p.confidence) for p in SPACE.parameters[:4]] == [
        (1e-3, "high"),
        (4, "medium"),
        ("sgd", "low"),
        (16, "medium"),
    ]
    assert SPACE.parameters[4].prior is None


def test_it_is_described_and_made_again() -> None:
    again = tw.Space.from_description(SPACE.describe())
    assert again.describe() == SPACE.describe()
    assert again.parameters[0].confidence == "high" and again.parameters[2].prior == "sgd"
    assert "prior" not in SPACE.parameters[4].describe()
    assert tw.Real("rate", 1e-5, 1e-1, log=True) != RATE


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            lambda: tw.Real("rate", 0, 1, prior=3),
            "the prior rate = 3 is not valid: expected a number from 0.0 to 1.0; the nearest is"
            " 1.0",
        ),
        (
            lambda: tw.Choice("kind", ["adam", "sgd"], prior="adan"),
            "the prior kind = 'adan' is not valid: expected one of the listed values; did you mean"
            " 'adam'? Valid: adam, sgd",
        ),
        (
            lambda: tw.Integer("layers", 1, 4, prior=2, confidence="hihg"),
            "'layers' has confidence = 'hihg': expected one of three words; did you mean 'high'?"
            " Valid: low, medium, high",
        ),
        (
            lambda: tw.Integer("layers", 1, 4, confidence="low"),
            "'layers' has confidence = 'low' and no prior: expected the value that you believe in,"
            " such as prior=0.001",
        ),
    ],
)
def test_what_cannot_be_expected_is_refused_in_words(made: object, said: str) -> None:
    with pytest.raises(SpaceError) as refused:
        made()  # type: ignore[operator]
    assert str(refused.value) == said


def test_the_first_config_of_a_design_has_the_expected_values() -> None:
    drawn = SPACE.latin(5, np.random.default_rng(0))
    assert {name: drawn[0][name] for name in ("rate", "layers", "optimizer", "width")} == {
        "rate": 1e-3,
        "layers": 4,
        "optimizer": "sgd",
        "width": 16,
    }
    assert len({SPACE.key(config) for config in drawn}) == 5


def test_what_where_refuses_is_not_drawn_although_it_is_expected() -> None:
    space = tw.Space(*SPACE.parameters, where=lambda c: c["layers"] != 4)
    assert all(c["layers"] != 4 for c in space.latin(5, np.random.default_rng(0)))


def test_a_resumed_study_expects_the_same_and_another_expectation_is_another_problem(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    wanted = tw.Problem(SPACE, maximize="accuracy")
    with tw.Study(wanted, seed=0, storage=url, name="rates") as study:
        begun = study.ask()
    assert begun.config["rate"] == 1e-3
    with tw.Study(wanted, seed=0, storage=url, name="rates") as study:
        assert study.problem.space.parameters[0].prior == 1e-3
    other = tw.Space(tw.Real("rate", 1e-5, 1e-1, log=True, prior=1e-2), *SPACE.parameters[1:])
    said = changes(wanted.describe(), tw.Problem(other, maximize="accuracy").describe())
    assert said == [
        "rate was expected near 0.001 (confidence high) and is expected near 0.01 (confidence"
        " medium)"
    ]
