"""Settings are judged by what they do, not by the moment at which they ran."""

import numpy as np

from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.belief.pace import Pace
from tunewise.online.segment import Segment
from tunewise.space import Config, Ordinal, Space

SPACE = Space(Ordinal("batch_size", [50, 100]), Ordinal("workers", [1, 2]))
QUICK: Config = {"batch_size": 50, "workers": 2}
SLOW: Config = {"batch_size": 50, "workers": 1}


def course(falls: list[tuple[Config, list[float]]]) -> list[Segment]:
    """Stretches of 30 iterations, each with how fast the loss falls in it; one setting is slow."""
    rng, loss, segments = np.random.default_rng(0), 1.0, []
    for setting, slopes in falls:
        told = []
        for slope in slopes:
            for _ in range(30):
                loss -= slope
                seconds = 1.0 if setting == QUICK else 2.0
                told.append(Iteration(loss + 2e-5 * rng.standard_normal(), seconds, 50.0))
        segments.append(Segment(setting, iterations=told))
    return segments


def test_the_end_of_a_plateau_is_no_merit_of_the_setting_that_runs_just_then() -> None:
    plateau, steep = 2e-5, 1e-3
    segments = course([(QUICK, [plateau] * 3), (SLOW, [plateau, 3e-4, steep])])
    belief = Pace(SPACE, segments, loss=segments[-1].losses[-1], target=0.3)
    ahead = belief.ahead([QUICK], SLOW)
    assert float(np.asarray(ahead.mean)[0]) > 0.35  # it is twice as fast: 0.69


def test_a_setting_that_is_better_in_every_part_of_the_course_is_known_to_be() -> None:
    falls = [(QUICK, [1e-3]), (SLOW, [4e-4]), (QUICK, [1e-3]), (SLOW, [4e-4])]
    segments = course(falls)
    belief = Pace(SPACE, segments, loss=segments[-1].losses[-1], target=0.3)
    ahead = belief.ahead([QUICK], SLOW)
    assert float(np.asarray(ahead.mean)[0]) > 1.0
