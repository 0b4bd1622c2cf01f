"""Groups of processes over several nodes: one starts them and tunes, the others join.

All nodes see the same folder. The first one writes there which group it has started, `group.json`;
the others start their part of each, until the file is gone. The first process of a group, which
reports and keeps the checkpoint, is always on the first node.
"""

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError

STARTED = "group.json"

_LOOK = 0.2
"""Seconds between looks at what the first node has started."""


@dataclass(frozen=True)
class Nodes:
    """Over how many nodes a group runs, and where they meet.

    Attributes:
        count: How many.
        address: Of the first one, as the others reach it: a host, or a host and a port.
    """

    count: int = 1
    address: str | None = None

    def __post_init__(self) -> None:
        """Refuse several nodes that cannot meet."""
        if self.count > 1 and not self.address:
            raise ExecutionError(
                f"{self.count} nodes need the address of the first; expected --address such as"
                " 10.0.0.7:29400"
            )
        if self.address and not re.fullmatch(r"[^:\s]+(:\d+)?", self.address):
            raise ExecutionError(
                f"the address is {self.address!r}; expected such as 10.0.0.7:29400"
            )

    def torchrun(self, rank: int, setting: Mapping[str, Any], script: Sequence[str]) -> list[str]:
        """The command that starts a node's part of a group of `workers` on each."""
        start = [sys.executable, "-m", "torch.distributed.run"]
        # Its own restarts meet the addresses of the group before; a new one begins afresh.
        group = [f"--nproc-per-node={setting.get('workers', 1)}", "--max-restarts=0"]
        if self.count == 1:
            return [*start, "--standalone", *group, *script]
        host, _, port = (self.address or "").partition(":")
        meet = [f"--master-addr={host}", *([f"--master-port={port}"] if port else [])]
        nodes = [f"--nnodes={self.count}", f"--node-rank={rank}"]
        return [*start, *nodes, *meet, *group, *script]


def tell(folder: Path, number: int, setting: Mapping[str, Any]) -> None:
    """Say to the other nodes which group has been started."""
    passing = folder / (STARTED + ".part")
    passing.write_text(json.dumps({"start": number, "setting": setting}), encoding="utf-8")
    passing.replace(folder / STARTED)


def join(
    nodes: Nodes,
    rank: int,
    folder: Path,
    script: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path | None = None,
) -> int:
    """Take part in the groups that the first node starts, until it ends; how many there were."""
    last, groups = None, 0
    logging.getLogger("tunewise").warning("node %d waits for the first one in %s", rank, folder)
    while (told := _told(folder)) is not None or not groups:
        if told is None or told["start"] == last:
            time.sleep(_LOOK)
            continue
        last, groups = told["start"], groups + 1
        threads = {"OMP_NUM_THREADS": str(told["setting"].get("threads", 1))}
        process = subprocess.Popen(
            nodes.torchrun(rank, told["setting"], script),
            env={**os.environ, **environment, **threads},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            while process.poll() is None and (_told(folder) or {}).get("start") == last:
                time.sleep(_LOOK)
            # Another group, or none: this one has been told to end, and does so by itself.
            process.wait(60 * _LOOK)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return groups


def _told(folder: Path) -> Any:
    try:
        return json.loads((folder / STARTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
