"""Slices of what people hold data in: arrays, frames, PyTorch data sets, lists of files."""

import sys
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.data.slices import as_labels, indices
from tunewise.errors import DataError


class _Own:
    """Stands for the classes that the data itself knows."""

    def __repr__(self) -> str:
        return "the data's own"


OWN = _Own()


def subset(*data: Any, fraction: float, stratify: Any = OWN, seed: int = 0) -> Any:
    """The slice of the data at a fraction: the same kind of thing, with fewer items.

    `subset(images, labels, fraction=0.1, stratify=labels)` cuts several things of one length alike,
    and returns as many. It takes numpy arrays and what is indexed like them, lists and tuples,
    data frames, PyTorch data sets (a `torch.utils.data.Subset` comes back), and lists of texts or
    paths, such as of files: those are known by their names, so that the order in which a machine
    lists them does not matter. See `indices` for what is promised.

    Args:
        data: What to cut.
        fraction: The share of the items to keep.
        stratify: The class of each item, or the column of a frame (its name or number) or of a
            two-dimensional array that has them. Where it is not
            given: a PyTorch data set's own `targets`, and of paths the folder that each is in.
            Texts are paths where all of them have a `/`. None does without classes.
        seed: Which slices.
    """
    if not data:
        raise DataError("there is no data to cut; expected an array, a frame or a list")
    counts = [_count(each) for each in data]
    if len(set(counts)) > 1:
        shown = ", ".join(map(str, counts))
        raise DataError(f"the data has lengths {shown}; expected the same number of items in each")
    names = next((_names(each) for each in data if _is_named(each)), None)
    classes = _classes(data[0], stratify)
    kept = indices(counts[0], fraction, stratify=classes, names=names, seed=seed)
    whole = len(kept) == counts[0]  # nothing is copied then
    cut = data if whole else tuple(_cut(each, kept) for each in data)
    return cut[0] if len(cut) == 1 else cut


def _count(data: Any) -> int:
    if isinstance(data, Mapping):
        raise _uncuttable(data)
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        raise DataError(
            f"a {type(data).__name__} is one record of several fields; expected them one by one, as"
            " in subset(*record, fraction=0.1)"
        )
    shape = getattr(data, "shape", None)
    try:
        return int(shape[0]) if shape else len(data)
    except TypeError as error:
        raise DataError(
            f"a {type(data).__name__} has no length; expected data whose items can be counted"
        ) from error


def _cut(data: Any, kept: npt.NDArray[np.intp]) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[kept]
    if isinstance(data, list | tuple):
        return type(data)([data[i] for i in kept])
    torch = sys.modules.get("torch.utils.data")  # who holds such data has imported it
    if torch is not None and isinstance(data, torch.Dataset):
        return torch.Subset(data, kept.tolist())
    try:
        return data[kept]
    except (TypeError, KeyError, IndexError) as error:
        raise _uncuttable(data) from error


def _uncuttable(data: Any) -> DataError:
    return DataError(
        f"a {type(data).__name__} cannot be cut; expected an array, a frame, a list or a PyTorch"
        " data set"
    )


def _classes(data: Any, stratify: Any) -> Sequence[Any] | npt.NDArray[Any] | None:
    if stratify is None:
        return None
    if isinstance(stratify, str | Integral) and not isinstance(stratify, bool):
        return _column(data, stratify)
    if stratify is not OWN:
        return as_labels(stratify)
    if _is_named(data):
        return [name.rpartition("/")[0] for name in _names(data)] if _paths(data) else None
    targets = getattr(data, "targets", None)
    return None if targets is None else as_labels(targets)


def _column(data: Any, name: Any) -> npt.NDArray[Any]:
    """A column of a frame by its name, or of an array by its place."""
    by_place = not isinstance(name, str) and not hasattr(data, "iloc")
    try:
        return as_labels(data[:, name] if by_place else data[name])
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise DataError(f"the data has no column {name!r} with the classes") from error


def _is_named(data: Any) -> bool:
    return (
        isinstance(data, list | tuple)
        and len(data) > 0
        and all(isinstance(item, str) or hasattr(item, "__fspath__") for item in data)
    )


def _paths(data: Sequence[Any]) -> bool:
    """Whether the names are paths: by their type, or because all of them lie in some folder."""
    return all(not isinstance(item, str) or "/" in item for item in data)


def _names(data: Sequence[Any]) -> list[str]:
    """Texts as they are; paths from the folder that all of them are in, wherever that lies."""
    texts = [item if isinstance(item, str) else str(item.__fspath__()) for item in data]
    if not _paths(data):
        return texts
    parts = [text.split("/") for text in texts]
    common = 0
    for level in zip(*(part[:-1] for part in parts), strict=False):
        if len(set(level)) > 1:
            break
        common += 1
    return ["/".join(part[common:]) for part in parts]
