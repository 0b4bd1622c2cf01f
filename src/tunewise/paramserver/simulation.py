"""A parameter-server training on a simulated cluster: real gradients, virtual time.

Events happen in the order of a virtual clock. What workers pull is what servers hold at that
moment, so updates are as stale as the order of events makes them: the number of iterations that a
training needs is real, and only the seconds are simulated.
"""

import heapq
import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError
from tunewise.execution.training.reconfigurable import Iteration, Switch
from tunewise.paramserver.compression import compression
from tunewise.paramserver.consistency import Clocks, Consistency
from tunewise.paramserver.disk.checkpoint import keep, kept
from tunewise.paramserver.links import Links
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.optimizer import optimizer
from tunewise.paramserver.partition import Layout, rows_of
from tunewise.paramserver.server import Forward, Server, gathered
from tunewise.paramserver.setting import (
    Scheme,
    Setting,
    check_count,
    check_nodes,
    check_scheme,
    check_setting,
)
from tunewise.paramserver.training import Training
from tunewise.paramserver.worker import (
    Begin,
    Compute,
    Finish,
    Learned,
    Pull,
    Push,
    Routes,
    Worker,
)
from tunewise.surrogate import Array


@dataclass
class _Running:
    """A worker at work."""

    steps: Learned
    node: int
    clock: int
    blocked: bool = False
    heard: dict[int, float] = field(default_factory=dict)


class Simulation:
    """A training that can be run for some iterations and reconfigured between them."""

    def __init__(
        self,
        training: Training,
        setting: Setting,
        machines: Machines = Machines(),  # noqa: B008 - frozen, so that it can be shared
        *,
        scheme: Scheme = "background",
        seed: int = 0,
    ) -> None:
        """Begin with a setting; `scheme` says how it is changed."""
        self.training, self.machines, self.scheme = training, machines, check_scheme(scheme)
        self.setting = self._checked(setting)
        self.now = 0.0
        self._rng = np.random.default_rng(seed)
        self._order = count()
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._links = Links(machines)
        self._rule = optimizer(training.optimizer)
        self._done: deque[Iteration] = deque()
        self._last = 0.0
        self._draining = False
        self._evaluated = training.evaluated()
        self._deal(training.model.initial(training.seed))
        self._start_workers()

    def run(self, iterations: int) -> list[Iteration]:
        """Train for so many iterations; a barrier ends one under BSP, a push otherwise."""
        check_count(iterations)
        while len(self._done) < iterations:
            self._advance()
        return [self._done.popleft() for _ in range(iterations)]

    @property
    def values(self) -> Array:
        """All parameters as they are now, wherever they live."""
        return np.asarray(self.state[0])

    @property
    def state(self) -> Array:
        """All parameters with what the optimiser remembers of them, (rows, n)."""
        routes = self._routes
        return gathered(self._servers, routes.layout, routes.previous, routes.epoch)

    def _advance(self) -> None:
        if not self._events:
            raise ExecutionError("the simulated training stands still: no worker can go on")
        self.now, _, action, arguments = heapq.heappop(self._events)
        action(*arguments)

    def _at(self, when: float, action: Callable[..., None], *arguments: Any) -> None:
        heapq.heappush(self._events, (when, next(self._order), action, arguments))

    # Workers: their steps, answered in virtual time.

    def _start_workers(self) -> None:
        setting, training = self.setting, self.training
        self._consistency = Consistency.named(setting.consistency)
        self._clocks = Clocks(setting.replicas, self._consistency)
        self._together: list[tuple[float, int]] = []
        self._workers: list[_Running] = []
        for replica in range(setting.replicas):
            batches = training.data.batches(
                setting.batch_size,
                setting.data_partition,
                setting.replicas,
                replica,
                training.seed,
            )
            worker = Worker(
                training.model,
                batches,
                self._routes,
                training.rate_under(setting),
                compression(setting.compression),
                everywhere=self._consistency.barrier,
                variance_reduced=self._rule.variance_reduced,
                seed=int(self._rng.integers(2**31)),
            )
            node = self.machines.nodes - 1 - replica * setting.group
            self._workers.append(_Running(worker.iterations(), node, replica))
        for running in self._workers:
            self._resume(running, None)

    def _resume(self, worker: _Running, answer: Any) -> None:
        step = worker.steps.send(answer)
        if isinstance(step, Begin):
            self._begin(worker)
        elif isinstance(step, Compute):
            self._compute(worker, step)
        elif isinstance(step, Finish):
            self._finish(worker, step)
        else:
            self._pull(worker, step)

    def _begin(self, worker: _Running) -> None:
        if self._draining or not self._clocks.may_begin(worker.clock):
            worker.blocked = True
            return
        self._under_way[self._routes.epoch] += 1
        self._resume(worker, None)

    def _compute(self, worker: _Running, step: Compute) -> None:
        setting, machines = self.setting, self.machines
        work = step.work / setting.group
        seconds = machines.compute_seconds(
            work, setting.threads, worker.node, self._rng, setting.affinity
        )
        seconds += machines.per_request * setting.servers
        if setting.group > 1:  # partial products of the rows go round the group
            seconds += 2 * machines.latency + step.rows * 8 * setting.group / machines.bandwidth
        self._at(self._links.compute(self.now, seconds), self._resume, worker, None)

    def _pull(self, worker: _Running, pulls: list[Pull]) -> None:
        answers: list[Any] = [None] * len(pulls)
        left = [len(pulls)]
        for place, pull in enumerate(pulls):
            # A link keeps the order of messages: a pull does not overtake the worker's own push.
            asked = max(self.now + self.machines.latency, worker.heard.get(pull.server, 0.0))
            self._at(asked, self._serve_pull, worker, pull, place, answers, left)

    def _serve_pull(
        self, worker: _Running, pull: Pull, place: int, answers: list[Any], left: list[int]
    ) -> None:
        server = self._servers[pull.server]
        answers[place] = (
            server.original(pull.epoch, np.asarray(pull.local))
            if pull.original
            else server.pull(pull.epoch, pull.local)
        )
        served = self._links.serve(self.now, pull.server, pull.count)
        size = 8 * pull.count
        arrived = self._links.send(served, pull.server, worker.node, size, self.setting.group)
        left[0] -= 1
        left.append(arrived)  # type: ignore[arg-type] # times of arrival behind the counter
        if left[0] == 0:
            self._at(max(left[1:]), self._resume, worker, answers)

    def _finish(self, worker: _Running, step: Finish) -> None:
        waiting = [len(step.pushes)]
        for push in step.pushes:
            size = push.size / self.setting.group
            arrived = self._links.send(self.now, worker.node, push.server, size)
            served = self._links.serve(arrived, push.server, len(push.update))
            worker.heard[push.server] = served
            self._at(served, self._apply, worker, push, step, waiting)
        # The next iteration may begin while the pushes are still under way.
        if math.isinf(self._consistency.staleness):
            self._resume(worker, None)
        else:
            following = worker.steps.send(None)
            assert isinstance(following, Begin), "an iteration ends where the next one begins"

    def _apply(self, worker: _Running, push: Push, step: Finish, waiting: list[int]) -> None:
        expected = self.setting.replicas if self._consistency.barrier else None
        sent = self._servers[push.server].push(
            push.epoch, push.local, push.update, push.originals, expected
        )
        for message in sent:
            self._forward(push.server, message)
        waiting[0] -= 1
        if waiting[0] == 0:
            self._ended(worker, step)

    def _forward(self, source: int, message: Forward) -> None:
        size = 8 * (message.update.size + message.original.size)
        arrived = self._links.send(self.now, source, message.server, size)
        served = self._links.serve(arrived, message.server, len(message.update))
        self._at(served, self._servers[message.server].receive, message)

    def _ended(self, worker: _Running, step: Finish) -> None:
        """Count an iteration, and let those go on who waited for it."""
        self._under_way[step.epoch] -= 1
        moved = self._clocks.finish(worker.clock)
        self._together.append((step.loss, step.rows))
        if not self._consistency.barrier or moved:
            self._report()
        if math.isfinite(self._consistency.staleness):
            worker.blocked = True
            if wait := self.machines.per_wait:
                self._at(self._links.compute(self.now, wait), self._release)
            else:
                self._release()

    def _release(self) -> None:
        if self._draining:
            return
        for worker in self._workers:
            if worker.blocked and self._clocks.may_begin(worker.clock):
                worker.blocked = False
                self._begin(worker)

    def _report(self) -> None:
        rows = sum(rows for _, rows in self._together)
        self._together.clear()
        loss = self.training.model.loss(self.values, self._evaluated)
        self._done.append(Iteration(loss, self.now - self._last, rows))
        self._last = self.now

    # Reconfiguration: what is moved, and what that costs.

    def switch(self, setting: Setting) -> Switch:
        """Go over to another setting, and say what kind of change it was and what it cost."""
        setting = self._checked(setting)
        kinds = self.setting.changes_to(setting)
        if not kinds:
            return Switch(kinds, 0.0)
        if self.scheme == "background" and "I-a" in kinds:
            self._fetch_meanwhile(setting)
        began = self.now
        if kinds == {"I-b"} and self.scheme != 1 and not self._consistency.barrier:
            self._relocate(setting)
            self.setting = setting
            return Switch(kinds, 0.0, self._finished())
        self._drain()
        self.now += self._cost(setting, kinds)
        if "I-b" in kinds:
            self._relocate(setting) if self.scheme != 1 else self._redeal(setting)
        self.setting = setting
        self._start_workers()
        return self._switched(kinds, began)

    def _cost(self, setting: Setting, kinds: frozenset[str]) -> float:
        """Seconds in which training stands still: the union of what each kind of change needs."""
        machines, cost = self.machines, 0.0
        if "II" in kinds:
            cost += machines.restart
        if "I-b" in kinds and self.scheme == 1:
            size = 8 * self.training.model.size * self._rule.rows
            cost += size / machines.disk + size / setting.servers / machines.bandwidth
        if "I-a" in kinds and self.scheme != "background":
            cost += self._fetch_seconds(setting)
        return cost

    def _fetch_meanwhile(self, setting: Setting) -> None:
        """Train on while rows are fetched."""
        there = self.now + self._fetch_seconds(setting)
        while self._events and self._events[0][0] < there:
            self._advance()
        self.now = max(self.now, there)

    def _redeal(self, setting: Setting) -> None:
        """Give the parameters of a checkpoint to the servers of a setting."""
        state, self.setting = self.state, setting
        self._deal(state)

    def _switched(self, kinds: frozenset[str], began: float) -> Switch:
        """The switch, without the time in which iterations still came to their end."""
        waited = max(self.now - max(began, self._last), 0.0)
        self._last = max(self._last, self.now)
        return Switch(kinds, waited, self._finished())

    def _finished(self) -> tuple[Iteration, ...]:
        """Iterations of the old setting that nobody has been told of yet."""
        finished = tuple(self._done)
        self._done.clear()
        return finished

    def checkpoint(self, folder: Path) -> None:
        """Keep parameters, what the optimiser remembers of them, clock and setting."""
        keep(folder, self.setting, state=self.state, now=np.array(self.now))

    def restore(self, folder: Path) -> bool:
        """Go on from a checkpoint; the order of events after it is another one."""
        if (found := kept(folder)) is None:
            return False
        setting, arrays = found
        self.setting, self.now = self._checked(setting), float(arrays["now"])
        self._events.clear()
        self._done.clear()
        self._links = Links(self.machines)
        self._last = self.now
        self._deal(arrays["state"])
        self._start_workers()
        return True

    def _relocate(self, setting: Setting) -> None:
        self._settle()
        layout = self._layout(setting)
        for index in range(len(self._servers), layout.servers):
            self._servers.append(self._empty_server(index))
        for server in self._servers:
            server.relocate(layout)
        self._routes.change(layout)

    def _settle(self) -> None:
        """Move at once what an earlier relocation has left behind.

        Servers remember one layout back, so iterations from before it must have ended.
        """
        while any(self._under_way[epoch] for epoch in range(self._routes.epoch)):
            self._advance()
        for server in self._servers:
            for message in server.leaving():
                self._servers[message.server].receive(message)

    def _empty_server(self, index: int) -> Server:
        """A new server, which owns nothing under the layout of now."""
        server = Server(index, self._routes.layout, np.empty(0), self._rule)
        server.epoch = self._routes.epoch
        server.layouts = {server.epoch: self._routes.layout}
        server.parts = {server.epoch: server.parts[0]}
        return server

    def _drain(self) -> None:
        """Let what is under way come to its end, and nothing new begin."""
        self._draining = True
        while self._events:
            self._advance()
        self._draining = False

    def _fetch_seconds(self, setting: Setting) -> float:
        """How long the workers need for the rows that they do not have yet."""
        data, old = self.training.data, self.setting
        most = 0
        for replica in range(setting.replicas):
            rows = rows_of(setting.data_partition, data.rows, setting.replicas, replica)
            if replica < old.replicas:
                had = rows_of(old.data_partition, data.rows, old.replicas, replica)
                rows = np.setdiff1d(rows, had, assume_unique=True)
            most = max(most, len(rows))
        return most / data.rows * data.bytes / self.machines.bandwidth

    def _deal(self, state: Array) -> None:
        layout = self._layout(self.setting)
        self._routes = Routes(layout)
        self._under_way: Counter[int] = Counter()
        self._servers = [
            Server(index, layout, state, self._rule) for index in range(layout.servers)
        ]

    def _layout(self, setting: Setting) -> Layout:
        return Layout(setting.partition, setting.servers, self.training.model.size)

    def _checked(self, setting: Setting) -> Setting:
        check_setting(setting)
        check_nodes(setting, self.machines.nodes)
        return setting
