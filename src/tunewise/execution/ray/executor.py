"""Runs each trial as a Ray task, with the resources that it needs."""

import json
import os
import pickle
import threading
import uuid
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from tunewise.errors import ExecutionError, optional
from tunewise.execution import result
from tunewise.execution.executor import Job, checked_limit, timed
from tunewise.execution.log import BoundedLog
from tunewise.execution.pool import Pool
from tunewise.execution.ray import task
from tunewise.execution.ray.node import Order, Said, Variables
from tunewise.execution.ray.resources import (
    Resources,
    bundles,
    lacking,
    machines,
    task_options,
)
from tunewise.history import Failure, Outcome, Preempted
from tunewise.problem import Problem
from tunewise.space import Cluster, Config
from tunewise.study.executor import Request
from tunewise.study.folders import LOG

_LOOK = 0.25
"""Seconds between looks at whether a silent trial must be given up."""

_OVERDUE = 30.0
"""Seconds behind all its limits after which a silent trial is ended by force."""

_SLIVER = 0.001
"""The share of its first machine that a trial's own task takes: the rest is the job's."""


@dataclass(eq=False)
class _Run:
    future: Future[Outcome]
    request: Request
    submitted: float = 0.0
    began: float | None = None
    said: Any = None  # Ray's generator of what the task tells
    group: Any = None
    stopped: Failure | None = None
    force_at: float = float("inf")
    printed: BoundedLog | None = None
    usage: dict[str, Any] = field(default_factory=dict)


class RayExecutor(Pool):
    """Runs trials on a Ray cluster.

    What a job starts ends with its trial, as with processes on one machine. A trial whose node or
    worker is lost has been preempted: what it used is booked, and it is given out again. With a
    folder, `log.txt` grows there while the trial runs, and `usage.json` says on which node it ran,
    its CPU seconds and its peak memory.
    """

    shortest = 0.5
    getting_ready = 10.0  # a new Ray worker, and the imports of a training

    def __init__(
        self,
        workers: int = 1,
        *,
        address: str | None = None,
        resources: Resources = None,
        grace: float = 5.0,
        patience: float = 600.0,
    ) -> None:
        """Nothing is started before the first trial.

        Args:
            workers: How many trials run at once.
            address: The cluster, such as "auto" or "head:6379"; by default the one that Ray is
                connected to, or the environment names, or a new one on this machine.
            resources: What a trial needs: amounts by name such as `{"CPU": 2, "GPU": 1}`, a
                parameter's name in place of an amount, or a function of the config that gives
                them. A list of them is a placement group, each on a node of its own. `memory` is
                in bytes, and a limit: a trial that holds more fails.
            grace: Seconds between asking a trial to end and killing it.
            patience: Seconds that a trial waits for what the cluster does not have at all.
        """
        super().__init__(workers)
        if address is not None and not isinstance(address, str):
            raise ExecutionError(f"address is {address!r}; expected such as 'auto' or 'head:6379'")
        self._address, self._resources = address, resources
        self._grace = checked_limit(grace, "grace")
        self._patience = checked_limit(patience, "patience")
        self._jobs: dict[Job, tuple[str, Any]] = {}
        self._own = False
        self._ray: Any = None
        self._task: Any = None

    @classmethod
    def for_problem(
        cls,
        problem: Problem,
        workers: int = 1,
        *,
        address: str | None = None,
        resources: Resources = None,
        grace: float = 5.0,
        patience: float = 600.0,
    ) -> "RayExecutor":
        """As a job file states it: a `Cluster` parameter says how many machines a trial needs."""
        clusters = [p.name for p in problem.space.parameters if isinstance(p, Cluster)]
        wanted = machines(clusters[0]) if clusters and resources is None else resources
        return cls(workers, address=address, resources=wanted, grace=grace, patience=patience)

    def refuse(self, job: Job, configs: Sequence[Config]) -> None:
        """Refuse resources that are none, for any of the configs."""
        for config in configs:
            bundles(self._resources, config)

    def missing(self) -> str | None:
        """Ray, where it is not installed."""
        if find_spec("ray") is not None:
            return None
        return "ray is not installed: pip install 'tunewise[ray]'"

    def prepare(self, job: Job) -> None:
        """Connect to the cluster, and have the job ready there."""
        with self._lock:
            self._job(job)

    def start(self, request: Request) -> Future[Outcome]:
        """Submit the trial as soon as one of our workers is free."""
        bundles(self._resources, request.trial.config)  # refused here rather than in a thread
        return self._accept(_Run(Future(), request))

    def stop(self, future: Future[Outcome], outcome: Failure, *, at_once: bool = False) -> None:
        """End a trial, running or waiting; one that has ended stays as it is."""
        with self._lock:
            run = self._running.get(future)
            if run is not None:
                run.stopped = run.stopped or outcome
                run.force_at = self.now() + (0.0 if at_once else self._grace + 15.0)
                self._cancel(run, force=at_once or run.began is None)
                return
        self._withdraw(future, outcome)

    def _connected(self) -> Any:
        if self._ray is None:
            os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray asks for this
            ray = optional("ray", "ray")
            if not ray.is_initialized():
                try:
                    ray.init(
                        address=self._address,
                        namespace="tunewise",
                        log_to_driver=False,
                        logging_level="ERROR",
                    )
                except (ConnectionError, RuntimeError, ValueError) as error:
                    place = self._address or "this machine"
                    said = str(error).partition("\n")[0]
                    raise ExecutionError(f"no Ray cluster at {place}: {said}") from error
                self._own = True
            # Made once: Ray keeps a worker warm for one function and what it needs.
            self._ray, self._task = ray, ray.remote(task.run)
        return self._ray

    def _job(self, job: Job) -> tuple[str, Any]:
        """A name of the job, and where the cluster's store has it: it is put there once."""
        if not callable(job):
            raise ExecutionError(f"the job is {job!r}; expected a function that takes a trial")
        ray = self._connected()
        if job not in self._jobs:
            try:
                reference = ray.put(optional("cloudpickle", "ray").dumps(job))
                self._jobs = {job: (uuid.uuid4().hex, reference)}
            except Exception as error:
                raise ExecutionError(f"the job cannot be sent to a cluster: {error}") from error
        return self._jobs[job]

    def _fill(self) -> None:
        """Submit what waits while workers are free. The lock is held."""
        while self._waiting and len(self._running) < self.workers:
            run = self._waiting.popleft()
            if not run.future.set_running_or_notify_cancel():
                continue
            run.submitted = self.now()
            try:
                self._submit(run)
            except Exception as error:
                run.future.set_result(timed(Failure(f"Ray took no task: {error}"), 0.0))
                continue
            self._unresolved += 1
            self._running[run.future] = run
            threading.Thread(
                target=self._attend, args=(run,), name="tunewise-trial", daemon=True
            ).start()

    def _submit(self, run: _Run) -> None:
        ray, request = self._connected(), run.request
        wanted = bundles(self._resources, request.trial.config)
        env: Variables = {}
        options: dict[str, Any] = {"max_retries": 0, "num_returns": "streaming"}
        if len(wanted) == 1:
            options |= task_options(wanted[0])
        else:
            group = f"tunewise-{uuid.uuid4().hex}"
            run.group = ray.util.placement_group(wanted, strategy="STRICT_SPREAD", name=group)
            first = {kind: _SLIVER * amount for kind, amount in wanted[0].items()}
            strategy = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(
                run.group, placement_group_bundle_index=0
            )
            options |= {**task_options(first), "scheduling_strategy": strategy}
            env["TUNEWISE_PLACEMENT_GROUP"] = group
        env["RAY_ADDRESS"] = ray.get_runtime_context().gcs_address
        name, job = self._job(request.job)
        kept = None if request.checkpoints is None else request.checkpoints.absolute()
        memory = int(wanted[0].get("memory", 0)) or None
        limits = request.limit, request.allowance, kept, self._grace, memory
        order = Order(name, request.trial, *limits, env, request.latest)
        run.said = self._task.options(**options).remote(pickle.dumps(order), [job])

    def _attend(self, run: _Run) -> None:
        """Listen to a run until it has ended, and let the next one start."""
        try:
            outcome = self._heard(run)
        except Exception as error:
            outcome = self._broken(run, error)
        outcome = timed(outcome, self._ran(run))
        self._keep(run, outcome)
        self._resolve(run.future, outcome)

    def _heard(self, run: _Run) -> Outcome:
        """Listen until the outcome is told; raises what Ray raises where it never will be."""
        ray = self._ray
        while True:
            ready, _ = ray.wait([run.said], timeout=_LOOK)
            if not ready:
                if why := self._given_up(run):
                    return why
                continue
            said: Said = pickle.loads(ray.get(next(run.said)))
            if run.began is None:
                run.began = self.now()
            self._note(run, said)
            if said.outcome is not None:
                return run.stopped or said.outcome

    def _given_up(self, run: _Run) -> Outcome | None:
        """End a silent trial by force when it must be; the outcome of one that cannot begin."""
        now, request = self.now(), run.request
        if run.began is not None:
            limit = request.seconds if request.latest is None else request.latest
            due = run.began + min(limit, request.allowance.seconds)
            if now > min(due + self._grace + _OVERDUE, run.force_at):
                self._cancel(run, force=True)
                run.force_at = now + 5.0
        elif now > run.submitted + self._patience:
            wanted = bundles(self._resources, request.trial.config)
            if missing := lacking(wanted, self._ray.cluster_resources()):
                self._cancel(run, force=True)
                return Failure(f"{missing}: nothing came for {self._patience:g} s", {"time": 0.0})
        return None

    def _note(self, run: _Run, said: Said) -> None:
        """Pass on, and keep in the trial's folder, what it told while it runs."""
        if said.report is not None:
            run.request.report(said.report)
        folder = run.request.folder
        if folder is None:
            return
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if said.printed:
                run.printed = run.printed or BoundedLog(folder / LOG)
                run.printed.write(said.printed)
            if said.node:
                run.usage["node"] = said.node
            for name, used in (said.usage or {}).items():
                run.usage[name] = max(run.usage.get(name, 0.0), used)
            if said.node or said.usage:
                (folder / "usage.json").write_text(json.dumps(run.usage))

    def _broken(self, run: _Run, error: Exception) -> Outcome:
        """What became of a trial whose task Ray ended: stopped by us, or lost with its machine."""
        if run.stopped is not None:
            return run.stopped
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        if isinstance(error, self._ray.exceptions.OutOfMemoryError):
            return Failure(f"its node ran out of memory: {said}")
        return Preempted(f"its Ray worker was lost ({type(error).__name__}): {said}")

    def _ran(self, run: _Run) -> float:
        return 0.0 if run.began is None else self.now() - run.began

    def _keep(self, run: _Run, outcome: Outcome) -> None:
        if run.printed is not None:
            run.printed.close()
        if run.group is not None:
            with suppress(Exception):  # the cluster may be gone, and the group with it
                self._ray.util.remove_placement_group(run.group)
        folder = run.request.folder
        if folder is not None and not isinstance(outcome, Preempted):
            result.keep(folder, result.identity(run.request.trial), outcome)

    def _cancel(self, run: _Run, force: bool) -> None:
        with suppress(Exception):  # it has ended just now, or the cluster is gone
            self._ray.cancel(run.said, force=force)

    def _release_if_done(self) -> None:
        if self._closed and not self._unresolved and self._own:
            self._own = False
            self._ray.shutdown()
