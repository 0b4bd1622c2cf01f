"""From a list of configs to parameters: which kind each column is, and when it applies."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tunewise.errors import SpaceError, nearest
from tunewise.space.listed import Choice, Listed, Ordinal
from tunewise.space.parameter import ABSENT, Value, plain

Columns: TypeAlias = dict[str, list[Value]]
When: TypeAlias = dict[str, list[Value]]


def inferred(
    configs: Iterable[Mapping[str, Value]],
) -> tuple[list[Listed], npt.NDArray[np.int32]]:
    """Parameters for configs, and the configs as `(n, parameters)` positions in their values.

    A parameter that some configs lack must depend on the value of an unordered one that all have,
    or on one that does so itself. Its position is -1 where it is absent.
    """
    listed = list(configs)
    names = _names(listed)
    columns = {n: [plain(config.get(n, ABSENT)) for config in listed] for n in names}
    conditions = _conditions(listed, columns)
    parameters = [_parameter(n, column, conditions.get(n)) for n, column in columns.items()]
    rows = np.stack([_positions(p, columns[p.name]) for p in parameters], axis=1).astype(np.int32)
    _, first = np.unique(rows, axis=0, return_index=True)
    return parameters, rows[np.sort(first)]


def _names(configs: list[Mapping[str, Value]]) -> list[str]:
    if not configs:
        raise SpaceError("the list of configs is empty: expected at least one config")
    for config in configs:
        if not isinstance(config, Mapping) or not config:
            raise SpaceError(f"config {config!r}: expected a dict of parameter names and values")
    return list(dict.fromkeys(name for config in configs for name in config))


def _conditions(configs: list[Mapping[str, Value]], columns: Columns) -> dict[str, When]:
    """For each parameter that some configs lack, the values of another that it goes with."""
    decided = [name for name, column in columns.items() if ABSENT not in column]
    open_ = [name for name in columns if name not in decided]
    found: dict[str, When] = {}
    while open_:
        explained = {n: when for n in open_ if (when := _explained(columns, n, decided))}
        if not explained:
            raise _unexplained(configs, open_[0])
        found |= explained
        decided += explained
        open_ = [name for name in open_ if name not in explained]
    return found


def _explained(columns: Columns, name: str, decided: list[str]) -> When | None:
    """The first unordered parameter whose values tell whether `name` is there, if any does."""
    present = [value != ABSENT for value in columns[name]]
    for other in decided:
        column = columns[other]
        try:
            with_it = dict.fromkeys(v for v, here in zip(column, present, strict=True) if here)
            without = {v for v, here in zip(column, present, strict=True) if not here}
        except TypeError:
            continue  # a list or dict: refused as a value later
        if ABSENT in with_it or without.intersection(with_it):
            continue
        if not _ordered([v for v in column if v != ABSENT]):
            return {other: list(with_it)}
    return None


def _unexplained(configs: list[Mapping[str, Value]], name: str) -> SpaceError:
    names = list(configs[0])
    odd = next(c for c in configs if (name in c) != (name in configs[0]))
    return SpaceError(
        f"config {dict(odd)} and the first one differ in {name!r}: expected the same parameters in"
        f" all, or another parameter's value that says when {name!r} applies"
        f"{nearest(name, [n for n in names if n != name])}"
    )


def _parameter(name: str, column: list[Value], when: When | None) -> Listed:
    try:
        distinct = [value for value in dict.fromkeys(column) if value != ABSENT]
    except TypeError as error:
        raise SpaceError(f"a value of {name!r} is a list or dict: expected scalars") from error
    if _ordered(distinct):
        return Ordinal(name, sorted(distinct), when)
    return Choice(name, distinct, when)


def _ordered(values: list[Value]) -> bool:
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _positions(parameter: Listed, column: list[Value]) -> npt.NDArray[np.intp]:
    positions = np.full(len(column), -1, np.intp)
    present = [i for i, value in enumerate(column) if value != ABSENT]
    positions[present] = parameter.indices([column[i] for i in present])
    return positions
