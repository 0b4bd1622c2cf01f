"""What a try tells, and what it does not."""

import numpy as np
import pytest

from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.belief.pace import Pace
from tunewise.online.segment import Segment
from tunewise.space import Config, Ordinal, Space

SPACE = Space(Ordinal("workers", [0, 1, 2, 4]), Ordinal("threads", [1, 2]))
FIRST: Config = {"workers": 0, "threads": 1}
OTHER: Config = {"workers": 1, "threads": 1}


def stretch(setting: Config, seconds: float, count: int) -> Segment:
    rng = np.random.default_rng(count)
    taken = seconds * np.exp(0.15 * rng.standard_normal(count))
    return Segment(setting, iterations=[Iteration(np.nan, float(s), 1.0) for s in taken])


def test_a_try_tells_nothing_of_what_is_not_known_of_the_best_setting() -> None:
    """A setting that was measured for long moves no mind, however little the other one was."""
    known = Pace(SPACE, [stretch(FIRST, 1.0, 5), *[stretch(OTHER, 1.0, 400)] * 20], only_speed=True)
    unsure = float(np.asarray(known.ahead([OTHER], FIRST).std)[0])
    moves = known.moves([OTHER], FIRST, known.doubt([OTHER], np.array([40.0]), np.array([0.0])))
    assert moves[0] < unsure / 4
    back = known.moves([FIRST], OTHER, known.doubt([FIRST], np.array([40.0]), np.array([0.0])))
    assert back[0] > unsure / 2


def test_common_doubt_is_no_doubt_about_the_difference() -> None:
    belief = Pace(SPACE, [stretch(FIRST, 1.0, 20)], only_speed=True)
    moves = belief.moves([FIRST], FIRST, np.array([1e-6]))
    assert moves[0] == pytest.approx(0.0, abs=1e-6)


def test_an_iteration_that_may_be_a_start_is_no_speed() -> None:
    begun = Segment(OTHER, iterations=[Iteration(np.nan, 9.0, 1.0)], begun=1)
    belief = Pace(SPACE, [stretch(FIRST, 1.0, 20), begun], only_speed=True)
    alone = Pace(SPACE, [stretch(FIRST, 1.0, 20)], only_speed=True)
    assert belief.log_seconds([OTHER]).mean == pytest.approx(alone.log_seconds([OTHER]).mean)
