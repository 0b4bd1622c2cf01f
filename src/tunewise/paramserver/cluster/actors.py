"""The servers and workers of a training as actors; they only carry the messages of the protocol."""

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tunewise.online.affinity import pin
from tunewise.paramserver.cluster.group import Group
from tunewise.paramserver.compression import compression
from tunewise.paramserver.consistency import Consistency
from tunewise.paramserver.optimizer import optimizer
from tunewise.paramserver.partition import Keys, Layout, Place
from tunewise.paramserver.server import Forward, Part, Server
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.worker import Begin, Compute, Finish, Pull, Push, Routes, Worker
from tunewise.surrogate import Array


class ServerActor:
    """A parameter server; calls are served one after the other."""

    def __init__(self, index: int, layout: Layout, state: Array, rule: str, epoch: int) -> None:
        """Own a part of the parameters, given with all that the optimiser remembers of them."""
        self._server = Server(index, layout, np.zeros(layout.size), optimizer(rule))
        self._server.epoch = epoch
        self._server.layouts = {epoch: layout}
        # What Ray hands over is read only, and a part changes in place.
        self._server.parts = {epoch: Part(np.array(state), present=True)}
        self._early: list[Forward] = []

    def pull(self, epoch: int, local: Place) -> tuple[Array, NDArray[np.bool_] | None]:
        """Values, and which of them are here."""
        return self._server.pull(epoch, local)

    def original(self, epoch: int, local: Keys) -> Array:
        """The frozen state of parameters on their way to another server."""
        return self._server.original(epoch, local)

    def push(self, push: Push, expected: int | None) -> list[Forward]:
        """Add an update; what belongs to other servers by now comes back for the worker to send."""
        originals = push.originals and (push.originals[0], np.array(push.originals[1]))
        return self._server.push(push.epoch, push.local, push.update, originals, expected)

    def receive(self, message: Forward) -> None:
        """Take what belonged to another server, which may have heard of the new layout earlier."""
        if message.epoch > self._server.epoch:
            self._early.append(message)
        else:
            self._server.receive(message)

    def relocate(self, layout: Layout) -> None:
        """Own another part from now on."""
        self._server.relocate(layout)
        early, self._early = self._early, []
        for message in early:
            self._server.receive(message)

    def leaving(self) -> list[Forward]:
        """What has to go elsewhere to settle a relocation."""
        return self._server.leaving()

    def state(self) -> Array:
        """Its part of the newest layout, all rows."""
        return self._server.parts[self._server.epoch].state

    def settled(self) -> bool:
        """Whether all of its parameters have come."""
        return self._server.settled


class WorkerActor:
    """A worker; one thread trains, another hears of new layouts."""

    def __init__(self, training: Any, clock: Any, group: Group) -> None:
        """Keep what is trained; `prepare` says how, and with whom."""
        self._training, self._clock, self._group = training, clock, group
        self._grouped: object = None
        self._batches: tuple[object, list[Any]] = (None, [])
        self._layouts: list[Layout] = []
        self._servers: list[Any] = []
        self._heard_epoch = 0
        # Calls run side by side, and one that was made earlier may begin later.
        self._generation = 0
        self._begun = threading.Condition()

    def prepare(self, setting: Setting, replica: int) -> None:
        """Cut the rows of a replica into batches, for all of its group, unless they are cut."""
        training = self._training
        wanted = (setting.batch_size, setting.data_partition, setting.replicas, replica)
        if self._batches[0] != wanted:
            self._batches = (wanted, training.data.batches(*wanted, training.seed))
        if self._grouped != (grouped := (wanted, setting.group, setting.threads)):
            self._group.prepare(setting, replica)
            self._grouped = grouped

    def train(
        self,
        setting: Setting,
        replica: int,
        generation: int,
        routes: Routes,
        servers: Sequence[Any],
        seed: int,
    ) -> None:
        """Train until the clock says that another setting has begun."""
        with self._begun:
            if generation < self._generation:
                return
            self.prepare(setting, replica)
            batches = self._batches[1]
            self._layouts = []
            self._servers = known = list(servers)
            self._heard_epoch = routes.epoch
            self._generation = generation
            self._begun.notify_all()
        training = self._training
        consistency = Consistency.named(setting.consistency)
        rule = optimizer(training.optimizer)
        worker = Worker(
            self._group.model(training.model, batches),
            batches,
            routes,
            training.rate_under(setting),
            compression(setting.compression),
            everywhere=consistency.barrier,
            variance_reduced=rule.variance_reduced,
            seed=seed,
        )
        carrier = _Carrier(known, self._clock, replica, generation, setting)
        threadpool_limits(setting.threads)  # for good: the call of an earlier setting may end later
        pin(setting.affinity, setting.threads, replica * setting.group)
        self._go(worker, carrier)

    def _go(self, worker: Worker, carrier: "_Carrier") -> None:
        steps = worker.iterations()
        step: Any = next(steps)
        while True:
            answer = None
            if isinstance(step, Begin):
                if not carrier.may_begin():
                    return
                self._take_over(worker.routes, carrier)
            elif isinstance(step, Finish):
                carrier.finish(step)
            elif not isinstance(step, Compute):
                answer = carrier.pulled(step)
            step = steps.send(answer)

    def _take_over(self, routes: Routes, carrier: "_Carrier") -> None:
        """Go over to layouts that were heard of, between two iterations."""
        if self._layouts:
            carrier.arrived()  # servers remember one layout back: nothing older may be under way
        while self._layouts:
            routes.change(self._layouts.pop(0))
        self._heard_epoch = routes.epoch

    def know(self, servers: Sequence[Any], generation: int) -> None:
        """Learn of new servers, before any message for them can come back from an old one."""
        with self._begun:
            self._begun.wait_for(lambda: self._generation >= generation)
            self._servers[:] = servers

    def hear(self, layout: Layout, generation: int) -> None:
        """Learn of a new layout, to be used from the next iteration on."""
        with self._begun:
            self._begun.wait_for(lambda: self._generation >= generation)
            self._layouts.append(layout)

    def heard(self) -> int:
        """The number of the layout that is in use."""
        return self._heard_epoch


class _Carrier:
    """Carries the messages of one worker."""

    def __init__(
        self, servers: list[Any], clock: Any, replica: int, generation: int, setting: Setting
    ) -> None:
        self._servers, self._clock = servers, clock
        self._replica, self._generation = replica, generation
        consistency = Consistency.named(setting.consistency)
        self._expected = setting.replicas if consistency.barrier else None
        self._overlap = math.isinf(consistency.staleness)
        self._sent: list[Any] = []
        self._told: tuple[float, int] | None = None

    def may_begin(self) -> bool:
        """Whether there is another iteration to begin.

        Where nobody has to wait for the last one to arrive, it arrives during this one.
        """
        if self._told is not None and self._overlap:
            may = ray.get(self._clock.may_begin_at_once.remote(self._replica, self._generation))
            if may:
                return True
        self.arrived()
        return bool(ray.get(self._clock.begin.remote(self._replica, self._generation)))

    def pulled(self, pulls: list[Pull]) -> list[Any]:
        """The answers of servers, asked all at once."""
        asked = [
            self._servers[pull.server].original.remote(pull.epoch, np.asarray(pull.local))
            if pull.original
            else self._servers[pull.server].pull.remote(pull.epoch, pull.local)
            for pull in pulls
        ]
        answers: list[Any] = ray.get(asked)
        return answers

    def finish(self, step: Finish) -> None:
        """Send the updates of an iteration, once those of the one before have arrived."""
        self.arrived()
        self._sent = [self._servers[p.server].push.remote(p, self._expected) for p in step.pushes]
        self._told = (step.loss, step.rows)

    def arrived(self) -> None:
        """Wait for the last pushes, send on what servers gave back, and tell the clock."""
        if self._told is None:
            return
        forwards = [message for messages in ray.get(self._sent) for message in messages]
        ray.get([self._servers[m.server].receive.remote(m) for m in forwards])
        ray.get(self._clock.finish.remote(self._replica, self._generation, *self._told))
        self._sent, self._told = [], None
