"""Fractions that are counted in epochs."""

from collections.abc import Sequence

from tunewise.errors import ProblemError, nearest

_RESOURCES = ("data", "epochs")


def full_epochs(resource: str, fractions: Sequence[float]) -> int | None:
    """How many epochs are a full training; None where fractions are of the data."""
    if resource not in _RESOURCES:
        raise ProblemError(f"resource is {resource!r}{nearest(str(resource), _RESOURCES)}")
    if resource == "data":
        return None
    listed = list(fractions) if isinstance(fractions, Sequence) else [fractions]
    if not listed or not all(_whole(each) for each in listed) or max(listed) < 2:
        raise ProblemError(
            f"fractions is {fractions!r} with resource='epochs'; expected whole epochs, such as"
            " (1, 3, 9, 27)"
        )
    return int(max(listed))


def _whole(epochs: object) -> bool:
    return (
        isinstance(epochs, int | float)
        and not isinstance(epochs, bool)
        and epochs >= 1
        and (float(epochs).is_integer())
    )
