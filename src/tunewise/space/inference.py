"""From a list of configs to parameters: which kind each column is."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from tunewise.errors import SpaceError, nearest
from tunewise.space.listed import Choice, Listed, Ordinal
from tunewise.space.parameter import Value, plain


def inferred(
    configs: Iterable[Mapping[str, Value]],
) -> tuple[list[Listed], npt.NDArray[np.int32]]:
    """Parameters for configs, and the configs as `(n, parameters)` positions in their values."""
    listed = list(configs)
    names = _names(listed)
    columns = {name: [plain(config[name]) for config in listed] for name in names}
    parameters = [_parameter(name, column) for name, column in columns.items()]
    rows = np.stack([p.indices(columns[p.name]) for p in parameters], axis=1).astype(np.int32)
    _, first = np.unique(rows, axis=0, return_index=True)
    return parameters, rows[np.sort(first)]


def _names(configs: list[Mapping[str, Value]]) -> list[str]:
    if not configs:
        raise SpaceError("the list of configs is empty: expected at least one config")
    for config in configs:
        if not isinstance(config, Mapping) or not config:
            raise SpaceError(f"config {config!r}: expected a dict of parameter names and values")
    names = list(configs[0])
    expected = set(names)
    for config in configs:
        if config.keys() != expected:
            odd = min(config.keys() ^ expected, key=str)
            raise SpaceError(
                f"config {dict(config)} and the first one differ in {odd!r}: expected the same"
                f" parameters in all{nearest(str(odd), names)}"
            )
    return names


def _parameter(name: str, column: list[Value]) -> Listed:
    try:
        distinct = list(dict.fromkeys(column))
    except TypeError as error:
        raise SpaceError(f"a value of {name!r} is a list or dict: expected scalars") from error
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in distinct):
        return Ordinal(name, sorted(distinct))
    return Choice(name, distinct)
