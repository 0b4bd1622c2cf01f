"""What lies beyond a cliff counts as the worst on this side of it."""

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.cliff import without_cliff
from tunewise.belief.model import Model
from tunewise.history import History, Measurement, Trial


@pytest.mark.parametrize(
    ("losses", "pulled"),
    [
        # 3 is 2 from the best, 202 is 201 from it: more than a hundred times as far.
        ([1.0, 202.0, 2.0, 3.0, 1e6], [1.0, 3.0, 2.0, 3.0, 3.0]),
        ([1.0, 3.0, 2.0, 202.0], [1.0, 3.0, 2.0, 3.0]),
        ([-1e9, -2e6, 1e12, -1e6], [-1e9, -2e6, -1e6, -1e6]),
    ],
)
def test_what_lies_beyond_a_cliff_counts_as_the_worst_before_it(
    losses: list[float], pulled: list[float]
) -> None:
    assert without_cliff(np.array(losses)).tolist() == pulled


@pytest.mark.parametrize(
    "losses",
    [
        [],
        [1.0],
        [1.0, 1e6],
        [1.0, 3.0, 1e6],  # two may be near each other by chance
        [1.0, 3.0, 2.0, 201.0],  # a hundred times as far, not more
        [1.0, 2.0, 10.0, 90.0, 800.0],  # steep, but step by step
        [5.0, 5.0, 5.0, 1e6],  # by what should one measure how far that is?
        [1.0, 2.0, 1e6, 1e6, 1e6, 1e6],  # most are so: that is the objective itself
    ],
)
def test_without_a_cliff_nothing_changes(losses: list[float]) -> None:
    given = np.array(losses)
    assert without_cliff(given) is given


def predicted(objective: str, values: list[float], **wanted: object) -> np.ndarray:
    """What is believed of configs 0, 1, ... that measured these values."""
    space = tw.Space(tw.Ordinal("x", list(range(len(values)))))
    problem = tw.Problem(space, **{objective: "loss", **wanted})  # type: ignore[arg-type] # a mix of keywords
    trials = [
        Trial(i, {"x": i}).told(Measurement({"loss": value})) for i, value in enumerate(values)
    ]
    belief = Model().learn(problem, History(trials), False, None).metrics["loss"]
    x = space.encode([{"x": i} for i in range(len(values))])
    return np.asarray(belief.surrogate.predict(x, 1.0).mean)


def test_penalties_of_an_objective_are_pulled_in_on_the_bad_side_alone() -> None:
    falling = [5.0, 4.0, 3.0, 2.0, 1.0]
    assert predicted("minimize", [*falling, 1e6]).max() < 10
    assert predicted("maximize", [*falling, -1e6]).min() > -10
    assert predicted("maximize", [*falling, 1e6]).max() > 1e5
    assert predicted("minimize", [*falling, -1e6]).min() < -1e5


def test_what_is_limited_or_of_another_kind_counts_as_it_is() -> None:
    values = [5.0, 4.0, 3.0, 2.0, 1.0, 1e6]
    assert predicted("minimize", values, subject_to="loss <= 4").max() > 1e5
    logs = predicted("minimize", values, metrics={"loss": "positive"})
    assert logs.max() > np.log(1e4)
