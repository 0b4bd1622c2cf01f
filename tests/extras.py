"""Large libraries that tests need: found when tests are collected, loaded by who uses them first.

Every process of the suite collects all tests. What collecting loads, each of them holds, and
copies whenever a test forks.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


def needs(package: str, extra: str) -> None:
    """Skip the tests of a module where a package is absent, without loading it."""
    if find_spec(package) is None:
        reason = f"needs {package}: pip install 'tunewise[{extra}]'"
        pytest.skip(reason, allow_module_level=True)


class Late:
    """A name of a module that is loaded when the name is used."""

    def __init__(self, module: str, name: str) -> None:
        self._place = (module, name)

    def _loaded(self) -> Any:
        module, name = self._place
        return getattr(import_module(module), name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for marks of its own
            raise AttributeError(name)
        return getattr(self._loaded(), name)

    def __call__(self, *given: Any, **options: Any) -> Any:
        return self._loaded()(*given, **options)


def late(module: str, *names: str) -> Any:
    """Names of a module, as `from module import names` would give them: one, or a list of them."""
    found = [Late(module, name) for name in names]
    return found[0] if len(found) == 1 else found
