"""Trains a network by several processes, each with a copy of the data, on one machine.

Synchronous workers add up their gradients in every iteration and make the same step. Asynchronous
ones change one set of weights in shared memory, each whenever it is ready, without locks.

The processes only train. What is reached on the way is measured by a book-keeper, the process that
started them, out of copies of the weights.
"""

import math
import mmap
import os
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from networks import Network

from tunewise.errors import optional

_NEWS = struct.Struct("id")  # how many marks were passed, and the seconds until then


@dataclass(frozen=True)
class Plan:
    """How to train.

    Attributes:
        workers: How many processes.
        synchronous: Whether they make each step together.
        learning_rate: Of Adam.
        batch_size: How many pictures a worker draws for a step.
        iterations: How many steps each worker makes.
        marks: After which steps the weights are looked at, ascending; the last is the end.
        cap: Seconds of a worker's processor time after which it stops, wherever it is.
        seed: Which pictures are drawn.
    """

    workers: int
    synchronous: bool
    learning_rate: float
    batch_size: int
    iterations: int
    marks: tuple[int, ...]
    cap: float = math.inf
    seed: int = 0


class Adam:
    """Adam on one vector: all weights at once, which is quicker than PyTorch's own for so few."""

    def __init__(self, learning_rate: float, zeros: Any) -> None:
        """Nothing is known of the gradient."""
        self._rate, self._steps = learning_rate, 0
        self._mean, self._square = zeros, zeros.clone()

    def step(self, weights: Any, gradient: Any, first: float = 0.9, second: float = 0.999) -> None:
        """Change the weights in place (Kingma and Ba, algorithm 1)."""
        self._steps += 1
        self._mean.lerp_(gradient, 1 - first)
        self._square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
        scale = (self._square / (1 - second**self._steps)).sqrt_().add_(1e-8)
        weights.addcdiv_(self._mean, scale, value=-self._rate / (1 - first**self._steps))


class Passed(NamedTuple):
    """A mark that was passed: which, the seconds of training until then, and the weights."""

    mark: int
    seconds: float
    weights: Any


def train(network: Network, images: Any, labels: Any, plan: Plan) -> Iterator[Passed]:
    """Train; yields the marks when they are passed, the last one at the end.

    Seconds are those of a machine with a core for each worker: processor time, of the slowest
    worker in each step when they step together, else of the first worker. So they are the same on
    a machine that is busy with other things.
    """
    torch = optional("torch", extra="torch")
    weights = torch.cat([p.detach().reshape(-1) for p in network.parameters])
    shared = _Shared(weights, plan)
    news, tell = os.pipe()
    with _workers(network, images, labels, plan, shared, tell) as pids:
        os.close(tell)
        with os.fdopen(news, "rb") as heard:
            while said := heard.read(_NEWS.size):
                mark, seconds = _NEWS.unpack(said)
                yield Passed(mark, seconds, shared.copies[mark])
        if any(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in _taken(pids)):
            raise RuntimeError("a worker of the training ended with an error")


class _Shared:
    """What the workers have in common: memory and signals."""

    def __init__(self, weights: Any, plan: Plan) -> None:
        size, workers = len(weights), plan.workers
        self.weights = _memory(size)
        self.weights.copy_(weights)
        # Two of each, used by turns: so a worker may write while a slower one still reads.
        self.gradients = [_memory(workers * size).view(workers, size) for _ in range(2)]
        self.clocks = [_memory(workers) for _ in range(2)]
        self.copies = [_memory(size) for _ in plan.marks]
        self.pipes = [[os.pipe() for _ in range(workers)] for _ in range(workers)]

    def meet(self, me: int) -> None:
        """Wait until every worker is here."""
        others = [w for w in range(len(self.pipes)) if w != me]
        for other in others:
            os.write(self.pipes[me][other][1], b"h")
        for other in others:
            os.read(self.pipes[other][me][0], 1)

    def close(self) -> None:
        for row in self.pipes:
            for ends in row:
                for end in ends:
                    os.close(end)


@contextmanager
def _workers(
    network: Network, images: Any, labels: Any, plan: Plan, shared: _Shared, tell: int
) -> Iterator[list[int]]:
    """The processes of a training, by their ids; those that are left at the end are killed."""
    pids: list[int] = []
    try:
        for worker in range(plan.workers):
            pid = os.fork()
            if pid == 0:
                _work(worker, network, images, labels, plan, shared, tell)
            pids.append(pid)
        yield pids
    finally:
        for pid in _taken(pids):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        shared.close()


def _taken(pids: list[int]) -> Iterator[int]:
    while pids:
        yield pids.pop()


def _work(
    me: int, network: Network, images: Any, labels: Any, plan: Plan, shared: _Shared, tell: int
) -> None:
    """Be a worker, and never return."""
    code = 1
    try:
        _Worker(me, network, plan, shared).run(images, labels, tell)
        code = 0
    finally:
        os._exit(code)


class _Worker:
    def __init__(self, me: int, network: Network, plan: Plan, shared: _Shared) -> None:
        torch = optional("torch", extra="torch")
        self.me, self.network, self.plan, self.shared = me, network, plan, shared
        self.weights = shared.weights.clone() if plan.synchronous else shared.weights
        self.gradient = torch.zeros_like(self.weights)
        start = 0
        for parameter in network.parameters:
            end = start + parameter.numel()
            parameter.data = self.weights[start:end].view_as(parameter)
            parameter.grad = self.gradient[start:end].view_as(parameter)
            start = end
        self.adam = Adam(plan.learning_rate, torch.zeros_like(self.weights))
        self.random = torch.Generator().manual_seed(plan.seed * 1000 + me)

    def run(self, images: Any, labels: Any, tell: int) -> None:
        torch = optional("torch", extra="torch")
        marks = {step: mark for mark, step in enumerate(self.plan.marks)}
        seconds, began = 0.0, time.thread_time()
        for step in range(1, self.plan.iterations + 1):
            drawn = torch.randint(len(images), (self.plan.batch_size,), generator=self.random)
            self.gradient.zero_()
            scores = self.network.scores(images[drawn])
            torch.nn.functional.cross_entropy(scores, labels[drawn]).backward()
            if self.plan.synchronous and self.plan.workers > 1:
                seconds += self._agree(step, time.thread_time() - began)
                began = time.thread_time()
            self.adam.step(self.weights, self.gradient)
            passed = seconds + time.thread_time() - began
            over = passed >= self.plan.cap
            mark = len(self.plan.marks) - 1 if over else marks.get(step)
            if mark is not None and self.me == 0:
                self.shared.copies[mark].copy_(self.weights.detach())
                os.write(tell, _NEWS.pack(mark, passed))
            if over:
                return

    def _agree(self, step: int, took: float) -> float:
        """The gradient becomes the mean of all; returns the seconds of the slowest worker."""
        gradients, clocks = self.shared.gradients[step % 2], self.shared.clocks[step % 2]
        gradients[self.me].copy_(self.gradient)
        clocks[self.me] = took
        self.shared.meet(self.me)
        self.gradient.copy_(gradients.mean(dim=0))
        return float(clocks.max())


def _memory(size: int) -> Any:
    """Numbers that processes forked from here on have in common."""
    torch = optional("torch", extra="torch")
    return torch.frombuffer(mmap.mmap(-1, 4 * size), dtype=torch.float32)
