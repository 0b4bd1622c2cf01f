"""A training as it lies in a store: its course, made again from its events."""

from collections.abc import Callable

from tunewise.errors import StorageError
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.record.course import Course
from tunewise.online.record.events import decoded
from tunewise.online.until import Until
from tunewise.space import Config, Space
from tunewise.study.store import Runs


def stored_course(runs: Runs, name: str) -> Course:
    """The course of a training, from nothing but the store.

    Raises:
        StudyError: There is no training of this name.
        StorageError: What is kept about it is damaged.
    """
    told = runs.description(name)
    try:
        space, until = Space.from_description(told["space"]), Until.of(told["until"])
        first = dict(told["first"])
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"the store is damaged: the training {name!r} has no {error}") from error
    return replayed(runs, name, space, until, first, lambda _: 1)


def replayed(
    runs: Runs,
    name: str,
    space: Space,
    until: Until,
    first: Config,
    together: Callable[[Config], int],
) -> Course:
    """The course of a training of this space and end, which began with a setting."""
    course = Course(space, until, space.check(first), 1, together, ReconfigurationCosts())
    for event in runs.events(name):
        course.apply(decoded(event))
    return course
