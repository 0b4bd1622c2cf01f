"""A parameter-server training on Ray that can be run, reconfigured, checkpointed and restored."""

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayActorError, RayError

from tunewise.errors import ExecutionError
from tunewise.execution.training.reconfigurable import Iteration, Switch
from tunewise.paramserver.cluster.actors import ServerActor, WorkerActor
from tunewise.paramserver.cluster.clock import Clock
from tunewise.paramserver.cluster.connection import connect, refuse_too_large
from tunewise.paramserver.cluster.group import Group, check
from tunewise.paramserver.disk.checkpoint import keep, kept
from tunewise.paramserver.optimizer import optimizer
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.setting import (
    Scheme,
    Setting,
    check_count,
    check_scheme,
    check_setting,
)
from tunewise.paramserver.training import Training
from tunewise.paramserver.worker import Routes
from tunewise.surrogate import Array

_log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds after which a wait for iterations looks whether an actor has died meanwhile."""

KEPT_EVERY = 100
"""Iterations between two copies of the parameters that a lost actor cannot take along. A copy
stands still for one round of messages, so this costs about a hundredth of the time at most."""

ATTEMPTS = 3
"""How often in a row a training is set up again after its actors died, before that is an error."""


class RayCluster:
    """Servers, workers and a clock as actors on a Ray cluster.

    Where an actor dies, the training goes on from the last copy of its parameters, which is at most
    `KEPT_EVERY` iterations old: no update is counted twice, and none in part.
    """

    def __init__(
        self,
        training: Training,
        setting: Setting,
        *,
        scheme: Scheme = "background",
        seed: int = 0,
        address: str | None = None,
        per_server: Mapping[str, Any] | None = None,
        per_worker: Mapping[str, Any] | None = None,
    ) -> None:
        """Start the actors.

        Args:
            training: What is trained.
            setting: How to begin.
            scheme: 1 stops to reconfigure, 2 relocates parameters on demand, "background" has rows
                fetched while training goes on, too.
            seed: Of the order of rows.
            address: Of an existing Ray cluster; by default the one this process is connected to, or
                a new one on this machine.
            per_server: Options of Ray for servers, such as `{"num_cpus": 1}`.
            per_worker: Options of Ray for workers; by default none, so that any number fits.
        """
        self.training, self.scheme = training, check_scheme(scheme)
        connect(address)
        self._rng = np.random.default_rng(seed)
        self._rule = optimizer(training.optimizer)
        self._per_server = {"num_cpus": 0, **(per_server or {})}
        self._per_worker = {"num_cpus": 0, "max_concurrency": 3, **(per_worker or {})}
        self.setting = self._checked(setting)
        self._shared = ray.put(training)
        self._kept = np.zeros((self._rule.rows, training.model.size))
        self._kept[0] = training.model.initial(training.seed)
        self._since_kept = 0
        self._clock: Any = None
        self._servers: list[Any] = []
        self._workers: list[Any] = []
        self._set_up()

    # Training.

    def run(self, iterations: int) -> list[Iteration]:
        """Train for so many iterations; what was lost with an actor is trained again."""
        check_count(iterations)
        done: list[Iteration] = []
        attempts = 0
        while len(done) < iterations:
            try:
                wanted = min(iterations - len(done), KEPT_EVERY - self._since_kept)
                told = ray.get(self._clock.iterations.remote(wanted, PATIENCE))
                if len(told) < wanted:
                    self._refuse_dead()
                done += told
                self._since_kept += len(told)
                attempts = 0 if told else attempts
                if self._since_kept >= KEPT_EVERY:
                    self._keep()
            except RayActorError as error:
                attempts += 1
                if attempts > ATTEMPTS:
                    raise ExecutionError(
                        f"the actors of the training die again and again: {error}"
                    ) from error
                _log.warning("an actor of the training died; it goes on from the last copy")
                self._recover()
            except RayError as error:
                raise ExecutionError(f"the training failed: {error}") from error
        return done

    @property
    def values(self) -> Array:
        """All parameters, between two iterations."""
        self._pause()
        state = self._state()
        ray.get(self._clock.resume.remote())
        return np.asarray(state[0], float)

    def _pause(self) -> None:
        """Wait until nothing is under way; an actor that died would never come to its end."""
        paused = self._clock.pause.remote()
        while not ray.wait([paused], timeout=PATIENCE)[0]:
            self._refuse_dead()

    def _refuse_dead(self) -> None:
        """Raise what a worker has died of; one that trains has not ended."""
        ended, _ = ray.wait(self._training_calls, num_returns=len(self._training_calls), timeout=0)
        ray.get(ended)
        ray.get([server.settled.remote() for server in self._servers])

    def _keep(self) -> None:
        """Copy the parameters, between two iterations."""
        self._pause()
        self._kept = self._state()
        self._since_kept = 0
        ray.get(self._clock.resume.remote())

    def _state(self) -> Array:
        """All parameters with what the optimiser remembers; nothing may be under way."""
        self._settle()
        layout = self._layout
        state = np.empty_like(self._kept)
        parts = ray.get([server.state.remote() for server in self._servers[: layout.servers]])
        for index, part in enumerate(parts):
            state[:, layout.keys(index)] = part
        return state

    # Actors.

    def _set_up(self) -> None:
        """Start all actors from the copy of the parameters."""
        self._epoch = 0
        self._moving = False
        self._layout = Layout(
            self.setting.partition, self.setting.servers, self.training.model.size
        )
        self._clock = ray.remote(Clock).options(num_cpus=0, max_concurrency=1000).remote(1, "asp")
        self._servers = [self._server(i, self._layout) for i in range(self._layout.servers)]
        self._workers = [self._worker() for _ in range(self.setting.replicas)]
        self._start()

    def _server(self, index: int, layout: Layout) -> Any:
        keys = layout.keys(index) if index < layout.servers else np.empty(0, np.int64)
        actor = ray.remote(ServerActor).options(**self._per_server)
        return actor.remote(index, layout, self._kept[:, keys], self._rule.name, self._epoch)

    def _worker(self) -> Any:
        # A list keeps Ray from handing over the training itself in place of where it is.
        group = Group([self._shared], self._per_worker)
        actor = ray.remote(WorkerActor).options(**self._per_worker)
        return actor.remote(self._shared, self._clock, group)

    def _start(self) -> list[Iteration]:
        """Let the workers train under the setting; says what the old ones still finished."""
        setting = self.setting
        started = self._clock.start.remote(setting.replicas, setting.consistency)
        self._generation, left = ray.get(started)
        seeds = self._rng.integers(2**31, size=len(self._workers)).tolist()
        routes = Routes(self._layout, self._epoch)
        self._training_calls = [
            worker.train.remote(
                setting, replica, self._generation, routes, self._servers, seeds[replica]
            )
            for replica, worker in enumerate(self._workers)
        ]
        return list(left)

    def _recover(self) -> None:
        """Start again from the last copy of the parameters, with actors of the same setting."""
        self._end_actors()
        self._since_kept = 0
        self._set_up()

    def _end_actors(self) -> None:
        for actor in [*self._workers, *self._servers, self._clock]:  # workers ask the others
            ray.kill(actor)

    def close(self) -> None:
        """End all actors; Ray itself stays."""
        self._end_actors()

    # Reconfiguration.

    def _checked(self, setting: Setting) -> Setting:
        """Refuse what cannot run here: Ray would wait for ever for what no node has."""
        check_setting(setting)
        check(self.training.model, setting)
        refuse_too_large((setting.workers, self._per_worker), (setting.servers, self._per_server))
        return setting

    def switch(self, setting: Setting) -> Switch:
        """Go over to another setting; where that fails, the last one goes on, and it is said."""
        setting = self._checked(setting)
        before, kinds = self.setting, self.setting.changes_to(setting)
        if not kinds:
            return Switch(kinds, 0.0)
        try:
            return self._switched(setting, kinds)
        except (RayError, ExecutionError) as error:
            self.setting = before
            self._recover()
            raise ExecutionError(
                f"the change to {setting} failed, {before} goes on: {error}"
            ) from error

    def _switched(self, setting: Setting, kinds: frozenset[str]) -> Switch:
        barrier = self.setting.consistency == "bsp"
        if self.scheme != 1 and kinds == {"I-b"} and not barrier:
            self._relocate(setting)  # training goes on meanwhile
            self.setting = setting
            return Switch(kinds, 0.0)
        prepared = self._prepared(setting) if self.scheme == "background" else None
        self._pause()
        began = time.perf_counter()
        self._kept, self._since_kept = self._state(), 0
        if "I-b" in kinds:
            self._move(setting)
        self.setting = setting
        self._staff(prepared if prepared is not None else self._prepared(setting))
        finished = self._start()
        return Switch(kinds, time.perf_counter() - began, tuple(finished))

    def _prepared(self, setting: Setting) -> list[Any]:
        """Workers for a setting that have their rows; those that are there keep theirs."""
        have = self._workers[: setting.replicas]
        workers = [*have, *(self._worker() for _ in range(setting.replicas - len(have)))]
        # Those that still train cannot cut batches; they do when they begin anew.
        new = list(enumerate(workers))[len(have) :]
        ray.get([worker.prepare.remote(setting, replica) for replica, worker in new])
        return workers

    def _staff(self, workers: list[Any]) -> None:
        """Train with these workers; others end."""
        for worker in self._workers:
            if worker not in workers:
                ray.kill(worker)
        self._workers = workers

    def _move(self, setting: Setting) -> None:
        """Move the parameters while nothing is under way: from the copy, or on demand."""
        if self.scheme != 1:
            self._relocate(setting)
            return
        for server in self._servers:
            ray.kill(server)
        self._layout = Layout(setting.partition, setting.servers, self.training.model.size)
        self._epoch = 0
        self._servers = [self._server(i, self._layout) for i in range(self._layout.servers)]

    def _relocate(self, setting: Setting) -> None:
        """Tell servers, then workers, of a new layout; parameters move as they are asked for."""
        self._settle()
        layout = Layout(setting.partition, setting.servers, self.training.model.size)
        for index in range(len(self._servers), layout.servers):
            self._servers.append(self._server(index, self._layout))
        now = self._generation
        ray.get([worker.know.remote(self._servers, now) for worker in self._workers])
        ray.get([server.relocate.remote(layout) for server in self._servers])
        self._layout, self._epoch, self._moving = layout, self._epoch + 1, True
        ray.get([worker.hear.remote(layout, now) for worker in self._workers])

    def _settle(self) -> None:
        """Move what an earlier relocation has left behind, once nobody uses the old layout."""
        if not self._moving:
            return
        for worker, call in zip(self._workers, self._training_calls, strict=True):
            while ray.get(worker.heard.remote()) < self._epoch:
                ray.get(ray.wait([call], timeout=0.002)[0])
                if ray.get(self._clock.idle.remote()):
                    break
        leaving = ray.get([server.leaving.remote() for server in self._servers])
        messages = [message for messages in leaving for message in messages]
        ray.get([self._servers[m.server].receive.remote(m) for m in messages])
        self._moving = False

    # Checkpoints.

    def checkpoint(self, folder: Path) -> None:
        """Keep parameters and setting in a file; the last one stays until this one is whole."""
        self._keep()
        keep(folder, self.setting, state=self._kept)

    def restore(self, folder: Path) -> bool:
        """Go on from the checkpoint in a folder; False where there is none."""
        if (found := kept(folder)) is None:
            return False
        setting, arrays = found
        if arrays["state"].shape != self._kept.shape:
            raise ExecutionError(
                f"the checkpoint in {folder} has {arrays['state'].shape[-1]} parameters, and the"
                f" model {self._kept.shape[1]}"
            )
        self.setting, self._kept = setting, arrays["state"]
        self._recover()
        return True
