"""What a past training says about the settings of this one.

A past training is *similar* when it has the same space and the same kind of end, and when the
settings that both have tried differ by the same factors: the standard deviation of the differences
of their log seconds, and of their log progress, is the *disagreement*. The one that disagrees least
is used. Its settings are observations beside the own ones, with the disagreement as their noise.
One that foresees the settings tried so far no better than nothing does is left out.
"""

from collections.abc import Callable

from tunewise.online.belief.pace import Pace
from tunewise.online.belief.summary import Summary
from tunewise.online.record.stored import replayed
from tunewise.online.until import Until
from tunewise.space import Config, Space
from tunewise.study.store import Runs

_NEWEST = 20
"""Past trainings that are looked at, at most."""


def past(
    runs: Runs, name: str, space: Space, until: Until, together: Callable[[Config], int]
) -> list[Summary]:
    """Summaries of the past trainings that may be similar, newest first."""
    described = space.describe()
    found = []
    for other in [each for each in reversed(runs.names()) if each != name][:_NEWEST]:
        told = runs.description(other)
        if told.get("space") != described or not _same_end(told.get("until"), until):
            continue
        summary = _summary(runs, other, space, until, told["first"], together)
        if summary is not None:
            found.append(summary)
    return found


def _same_end(told: object, until: Until) -> bool:
    """Whether both end by samples, or both by their loss."""
    return isinstance(told, str) and Until.of(told).only_speed == until.only_speed


def _summary(
    runs: Runs,
    name: str,
    space: Space,
    until: Until,
    first: Config,
    together: Callable[[Config], int],
) -> Summary | None:
    course = replayed(runs, name, space, until, first, together)
    if not course.iterations:
        return None
    belief = Pace(space, course.segments, until.only_speed, course.watch.loss, until.loss)
    return belief.summary()
