from importlib.metadata import EntryPoints, entry_points
from pathlib import Path

import pytest

from tunewise.errors import StrategyError
from tunewise.registry import Registry


def installed(folder: Path, name: str, target: str) -> None:
    """Make a folder look as if a package with one entry point had been installed into it."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[tunewise.strategies]\n{name} = {target}\n")


def test_installed_packages_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scans = []

    def scan(group: str) -> EntryPoints:
        scans.append(group)
        return entry_points(group=group)

    monkeypatch.setattr("tunewise.registry.entry_points", scan)
    strategies = Registry("strategy", "tunewise.strategies", StrategyError)
    assert "eic" in strategies.names()
    assert strategies.load("eic").__name__ == "eic"
    assert strategies.load("cherrypick").__name__ == "cherrypick"
    assert scans == ["tunewise.strategies"]


def test_what_is_installed_while_the_process_runs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategies = Registry("strategy", "tunewise.strategies", StrategyError)
    with pytest.raises(StrategyError, match="unknown strategy 'later'"):
        strategies.load("later")
    installed(tmp_path, "later", "collections:Counter")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert strategies.load("later").__name__ == "Counter"
    assert "later" in strategies.names()
