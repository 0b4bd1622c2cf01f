"""Who takes part: today's tools by name, each found in its own module when it is raced."""

import time
import warnings
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import inf

from benchmarks.peers.arena import Arena, Peer, run
from tunewise.benchmark.race import Run, replayed
from tunewise.strategy import StrategySpec

PEERS = {
    "optuna_tpe": "with_optuna:tpe",
    "optuna_gp": "with_optuna:gp",
    "optuna_hyperband": "with_optuna:hyperband",
    "botorch_ei": "with_botorch:constrained_ei",
    "botorch_mes": "with_botorch:entropy",
}


def entrants(tools: str, seeds: int) -> list[tuple[str, int]]:
    """Names with their numbers of seeds, from a list such as `trimtuner,botorch_ei:3`."""
    listed = [tool.strip().partition(":") for tool in tools.split(",") if tool.strip()]
    return [(name, int(own) if own else seeds) for name, _, own in listed]


def in_turns(listed: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Each name with each of its seeds, so that all have had equally many whenever it is cut."""
    return sorted(((n, seed) for n, seeds in listed for seed in range(seeds)), key=lambda e: e[1])


def raced(name: str, arena: Arena, seed: int, until: float = inf) -> Run | None:
    """One run of a peer, or else of a strategy; None when its time has come too late."""
    if time.time() > until:
        return None
    if name not in PEERS:
        return replayed(arena.contest, StrategySpec.of(name), seed)
    module, _, function = PEERS[name].partition(":")
    peer: Peer = getattr(import_module(f"benchmarks.peers.{module}"), function)
    return run(name, peer, arena, seed)


def quiet() -> None:
    """Hear no warnings: the tools warn of experimental parts, and of fits that they then repeat."""
    warnings.simplefilter("ignore")


def versions() -> str:
    """The tools' versions, in one line."""
    return ", ".join(f"{package} {_version(package)}" for package in ("optuna", "botorch", "torch"))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
