"""Which GPUs of this machine each of several trials may use: none shares one that it need not."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

VARIABLE = "CUDA_VISIBLE_DEVICES"

_DEVICE = re.compile(r"nvidia(\d+)")


def visible(environment: Mapping[str, str], devices: Path = Path("/dev")) -> list[str]:
    """The GPUs that this process may use: those that the variable names, or all there are."""
    if VARIABLE in environment:
        named = [name.strip() for name in environment[VARIABLE].split(",")]
        ends = [i for i, name in enumerate(named) if name in ("", "-1")]
        return named[: ends[0]] if ends else named  # as CUDA reads it: -1 hides all that follow
    found = [_DEVICE.fullmatch(path.name) for path in devices.glob("nvidia*")]
    return sorted((each[1] for each in found if each is not None), key=int)


def shares(gpus: Sequence[str], workers: int) -> list[str | None]:
    """What the variable says in each of the workers; None where it stays as it is.

    One worker has all GPUs. Several have as many each as they can have alone; where there are
    fewer GPUs than workers, some share one.
    """
    if workers == 1 or not gpus:
        return [None] * workers
    if len(gpus) < workers:
        return [gpus[slot % len(gpus)] for slot in range(workers)]
    each = len(gpus) // workers
    return [",".join(gpus[slot * each : (slot + 1) * each]) for slot in range(workers)]


def give(share: str | None) -> None:
    """Have the processes that this one starts see no other GPUs."""
    if share is not None:
        os.environ[VARIABLE] = share
