"""A parameter server on Ray says what to install where Ray is absent."""

import importlib
import sys

import pytest

from tunewise.errors import MissingExtraError


def test_a_cluster_without_ray_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("tunewise.paramserver.cluster")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tunewise\[ray\]'"):
        importlib.import_module("tunewise.paramserver.cluster")
