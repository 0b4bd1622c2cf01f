"""The Ray cluster itself: connecting to it, and what it has."""

import os
import socket
from collections.abc import Mapping
from typing import Any

import ray

from tunewise.errors import ExecutionError
from tunewise.format import number

_PATIENCE = 10.0
"""Seconds within which the head of a cluster answers."""

_NAMES = {"num_cpus": "CPU", "num_gpus": "GPU", "memory": "memory"}
"""What Ray calls the resources that its options have names for."""


def connect(address: str | None) -> None:
    """Connect this process to a cluster, unless it is connected.

    None is the cluster that `RAY_ADDRESS` names, else a new one on this machine: Ray alone would
    join whatever runs here, whoever it belongs to.

    Raises:
        ExecutionError: There is none at the address.
    """
    if ray.is_initialized():
        return
    # By default the workers of a new cluster yield to everything else on the machine.
    os.environ.setdefault("RAY_worker_niceness", "0")  # noqa: SIM112 - Ray's own name
    try:
        _reach(address)
        place = address or os.environ.get("RAY_ADDRESS") or "local"
        ray.init(address=place, include_dashboard=False, log_to_driver=False)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        raise ExecutionError(
            f"there is no Ray cluster at {address!r}; expected auto, or the address of one that"
            f" runs, such as 10.0.0.7:6379: {error}"
        ) from error


def _reach(address: str | None) -> None:
    """Knock at an address: Ray starts a cluster of its own instead of one that it cannot find."""
    if address is None or address in ("auto", "local") or "://" in address:
        return
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=_PATIENCE):
        pass


def refuse_too_large(*actors: tuple[int, Mapping[str, Any]]) -> None:
    """Refuse so many actors with such options that the nodes together do not have what they need.

    Raises:
        ExecutionError: It names the first resource that is short.
    """
    needed: dict[str, float] = {}
    for count, options in actors:
        amounts = {ours: options.get(name) for name, ours in _NAMES.items()}
        for name, amount in {**amounts, **options.get("resources", {})}.items():
            needed[name] = needed.get(name, 0.0) + count * (amount or 0.0)
    have = ray.cluster_resources() if any(needed.values()) else {}
    for name, amount in needed.items():
        if amount > have.get(name, 0.0):
            raise ExecutionError(
                f"{sum(count for count, _ in actors)} workers and servers need {number(amount)} of"
                f" {name}; the Ray cluster has {number(have.get(name, 0.0))}"
            )
