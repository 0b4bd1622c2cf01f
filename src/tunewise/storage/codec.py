"""Values as JSON and back, without loss.

JSON has no tuples and coerces the keys of objects: a tuple is kept as `{"__tuple__": [...]}`, and
what would come back changed is refused. Only lists and dicts are kept in columns of type JSON:
SQLite takes a bare number there for its own and rounds it.
"""

import json
import math
from typing import Any

from tunewise.errors import StorageError

_TUPLE = "__tuple__"


def plain(value: Any, name: str) -> Any:
    """The value in words of JSON; `name` says where it stands when it cannot be kept."""
    if hasattr(value, "item") and not getattr(value, "shape", True):
        value = value.item()  # a numpy scalar
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise StorageError(f"{name} is {value!r}; a store keeps finite numbers only")
        return value
    if isinstance(value, list):
        return [plain(item, f"{name}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, tuple):
        return {_TUPLE: plain(list(value), name)}
    if isinstance(value, dict):
        return {_key(key, name): plain(item, f"{name}[{key!r}]") for key, item in value.items()}
    raise StorageError(
        f"{name} is {value!r}; a store keeps numbers, text, booleans, None, and lists, tuples and"
        " dicts of them"
    )


def restored(text: str | bytes) -> Any:
    """What `plain` made JSON of.

    Raises:
        StorageError: For anything else, which only somebody else can have put there.
    """
    try:
        return json.loads(text, object_hook=_with_tuples)
    except (ValueError, TypeError, RecursionError) as error:
        raise StorageError(
            f"the store is damaged: it holds {text!r:.60} instead of JSON"
        ) from error


def _key(key: Any, name: str) -> str:
    if not isinstance(key, str) or key == _TUPLE:
        raise StorageError(f"{name} has the key {key!r}; expected text other than {_TUPLE!r}")
    return str(key)


def _with_tuples(found: dict[str, Any]) -> Any:
    return tuple(found[_TUPLE]) if _TUPLE in found else found
