"""Where a training in a process of its own notes what it has shown of the space."""

from tunewise.errors import SpaceError
from tunewise.space import Config, Parameter
from tunewise.space.parameter import Value
from tunewise.study.define_by_run.found import note_found, note_unused, read


def noted_before(asked: Parameter) -> Value | None:
    """The value that this trial has found for a parameter; None where it has not.

    Raises:
        SpaceError: There is no place to note it.
    """
    from tunewise.execution.worker import workplace

    place = workplace()
    if place is None or place.folder is None:
        raise SpaceError(
            f"{asked.name!r} is not in the space, which grows only where trials run in processes"
            " of this machine: run one trial there first"
        )
    return read(place.folder).values.get(asked.name)


def note(asked: Parameter, value: Value) -> None:
    """Have the study know a parameter, and the value that it got."""
    from tunewise.execution.worker import workplace

    place = workplace()
    assert place is not None and place.folder is not None
    note_found(place.folder, asked, value)


def leave_unused(config: Config, asked: set[str]) -> None:
    """Note which parameters of its config a training has done without."""
    from tunewise.execution.worker import workplace

    place, unused = workplace(), [name for name in config if name not in asked]
    if unused and place is not None and place.folder is not None:
        note_unused(place.folder, unused)
