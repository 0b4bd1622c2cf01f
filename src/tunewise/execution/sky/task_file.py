"""A trial as a SkyPilot task file."""

from collections.abc import Mapping
from typing import Any

import yaml

from tunewise.errors import ExecutionError
from tunewise.space import Fleet

MOUNTED = "/tunewise"
"""Where a machine finds the bucket."""


def nodes(fleet: Fleet) -> int:
    """How many machines are started: workers, and helpers of the same kind.

    Raises:
        ExecutionError: SkyPilot starts machines of one kind for a task; these are of several.
    """
    for helper in fleet.helpers:
        if helper.name != fleet.vm.name:
            raise ExecutionError(
                f"the helper {helper.name!r} is of another type than the workers"
                f" ({fleet.vm.name!r}): SkyPilot starts machines of one type for a task; expected"
                " helpers of the workers' own type (`same`), or none"
            )
        if fleet.spot:
            raise ExecutionError(
                f"the helper {helper.name!r} is bought on demand and the workers on the spot"
                " market: SkyPilot starts machines of one kind for a task; leave out `spot`, or the"
                " helpers"
            )
    return fleet.count + len(fleet.helpers)


def task_file(
    name: str,
    fleet: Fleet,
    run: str,
    env: Mapping[str, str],
    *,
    infra: str | None = None,
    workdir: str | None = None,
    setup: str | None = None,
    bucket: str | None = None,
) -> str:
    """The YAML of a task: which machines, how many, and what to run on them.

    A bucket is found under `MOUNTED`, and outlives the machines.
    """
    resources: dict[str, Any] = {"instance_type": fleet.vm.name, "use_spot": fleet.spot}
    if infra is not None:
        resources["infra"] = infra
    task: dict[str, Any] = {"name": name, "resources": resources, "num_nodes": nodes(fleet)}
    if workdir is not None:
        task["workdir"] = workdir
    if setup is not None:
        task["setup"] = setup
    if bucket is not None:
        task["file_mounts"] = {MOUNTED: {"source": bucket, "mode": "MOUNT"}}
    task["envs"] = dict(env)
    task["run"] = run
    return yaml.safe_dump(task, sort_keys=False, allow_unicode=True)
