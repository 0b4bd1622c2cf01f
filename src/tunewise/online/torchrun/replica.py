"""One process of a group under `torchrun`: what a script trains with. Needs `tunewise[torch]`.

```python
replica = Replica(model, optimizer)
replica.train(lambda model, batch: loss(model(batch[0]), batch[1]), make_loader)
```
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from tunewise.errors import ExecutionError
from tunewise.execution.training.reconfigurable import EVERY
from tunewise.online.affinity import pin
from tunewise.online.record.reader import Reader
from tunewise.online.torchrun.group import CHECKPOINT


class Replica:
    """A process with a copy of the model, which the group keeps equal."""

    def __init__(self, model: Any, optimizer: Any, *, every: float = EVERY) -> None:
        """Join the group, and go on from its last checkpoint where there is one.

        Args:
            model: The module, as yet alone.
            optimizer: Over its parameters.
            every: Seconds between checkpoints.
        """
        named = os.environ.get(CHECKPOINT)
        if not named:
            raise ExecutionError(f"{CHECKPOINT} is not set; run this script with TorchrunJob")
        self._reader = Reader()
        self.setting = self._reader.setting
        dist.init_process_group("gloo")
        self.rank, self.workers = dist.get_rank(), dist.get_world_size()
        threads = int(self.setting.get("threads", 1))
        pin(str(self.setting.get("affinity", "none")), threads, self.rank)
        torch.set_num_threads(threads)
        self._file, self._every, self._saved = Path(named), every, time.monotonic()
        self._module, self.optimizer = model, optimizer
        self.step = 0
        self._restore()
        bucket = self.setting.get("bucket_mb")
        told = {} if bucket is None else {"bucket_cap_mb": bucket}  # else PyTorch's own
        self.model = DistributedDataParallel(model, **told)

    def _restore(self) -> None:
        if self._file.exists():
            kept = torch.load(self._file, weights_only=True)
            self._module.load_state_dict(kept["model"])
            self.optimizer.load_state_dict(kept["optimizer"])
            self.step = int(kept["step"])

    def train(
        self,
        loss_of: Callable[[Any, Any], Any],
        batches_of: Callable[["Replica", int], Iterable[Any]],
        rows_of: Callable[[Any], int] = lambda batch: len(batch[0]),
    ) -> None:
        """Train until another setting is to begin, then keep a checkpoint and leave the group.

        Args:
            loss_of: The mean loss of a model over a batch.
            batches_of: The batches of this process in an epoch, a number from 0 on; every process
                must have equally many.
            rows_of: How many rows a batch has.
        """
        batches = _endless(self, batches_of)
        if self.rank == 0:  # all that the script does before has worked under this setting
            self._reader.switched()
        while True:
            loss, rows = self._iterate(loss_of, rows_of, batches)
            self.step += 1
            leave, save = self._told(loss, rows)
            if leave or save:
                self._save()
            if leave:
                dist.barrier()
                dist.destroy_process_group()
                return

    def _iterate(
        self,
        loss_of: Callable[[Any, Any], Any],
        rows_of: Callable[[Any], int],
        batches: Iterator[Any],
    ) -> tuple[float, int]:
        """One update from as many batches as are accumulated; only the last one is reduced."""
        times = int(self.setting.get("accumulation", 1))
        self.optimizer.zero_grad()
        total, rows = 0.0, 0
        for number in range(times):
            batch = next(batches)
            alone = number < times - 1
            with self.model.no_sync() if alone else nullcontext():
                loss = loss_of(self.model, batch) / times
                loss.backward()
            total += float(loss.detach())
            rows += rows_of(batch)
        self.optimizer.step()
        return total, rows

    def _told(self, loss: float, rows: int) -> tuple[bool, bool]:
        """Report the group's iteration; whether to leave, and whether a checkpoint is due."""
        first = self.rank == 0
        leave = float(first and self._reader.changed)
        save = float(first and time.monotonic() - self._saved >= self._every)
        sums = torch.tensor([loss, float(rows), leave, save], dtype=torch.float64)
        dist.all_reduce(sums)
        if first:
            self._reader.report(loss=float(sums[0]) / self.workers, samples=float(sums[1]))
        return bool(sums[2] > 0), bool(sums[3] > 0)

    def _save(self) -> None:
        """Keep a checkpoint; the last one stays until this one is whole."""
        self._saved = time.monotonic()
        if self.rank:
            return
        passing = self._file.with_suffix(".part")
        state = {"model": self._module.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save({**state, "step": self.step}, passing)
        passing.replace(self._file)
        self._reader.saved()


def _endless(
    replica: Replica, batches_of: Callable[[Replica, int], Iterable[Any]]
) -> Iterator[Any]:
    for epoch in count():
        empty = True
        for batch in batches_of(replica, epoch):
            empty = False
            yield batch
        if empty:
            raise ExecutionError("the loader has no batches; expected at least one an epoch")
