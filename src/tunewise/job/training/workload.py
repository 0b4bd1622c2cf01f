"""What a training's job file runs: a command, a group under torchrun, or a parameter server."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError, optional
from tunewise.execution.training.command import SETTING, CommandJob
from tunewise.job import process
from tunewise.job.training.fields import ParameterServerFields
from tunewise.job.training.file import TrainFile
from tunewise.job.training.model import data_of, is_network, kinds_of, model_for
from tunewise.online import Reconfigurable
from tunewise.online.torchrun import TorchrunJob
from tunewise.online.torchrun.group import group_files
from tunewise.online.torchrun.nodes import Nodes, join
from tunewise.paramserver import Machines, Setting, Simulation, Training
from tunewise.space import Config


def begin(file: TrainFile, setting: Config, folder: Path, ending: ExitStack) -> Reconfigurable:
    """Start the training of a job file under a setting; `folder` is its own.

    What it starts, a command or the actors on a cluster, ends with `ending`.
    """
    fields = file.fields
    if fields.paramserver is not None:
        return _parameter_server(file, fields.paramserver, setting, ending)
    job = _processes(file, setting, folder)
    ending.callback(job.stop)
    return job


def _processes(file: TrainFile, setting: Config, folder: Path) -> CommandJob:
    """A command, or a group of processes under torchrun."""
    fields = file.fields
    environment = process.environment(fields.env)
    cwd = process.folder(fields.cwd, file.path.parent)
    if fields.torchrun is not None:
        refuse_missing(file)
        script = process.words(fields.torchrun)
        nodes = Nodes(fields.nnodes, fields.address)
        return TorchrunJob(script, setting, folder, environment=environment, cwd=cwd, nodes=nodes)
    return CommandJob(
        _command(file), setting, folder, restart=fields.restart, environment=environment, cwd=cwd
    )


def join_group(file: TrainFile, rank: int, folder: Path) -> int:
    """Take part in a training under torchrun that the first node tunes; how many groups it had."""
    fields = file.fields
    if fields.torchrun is None or fields.nnodes < 2:
        raise ExecutionError(
            f"node {rank} has nothing to join; expected torchrun: in {file.path.name}, and --nnodes"
        )
    refuse_missing(file)
    return join(
        Nodes(fields.nnodes, fields.address),
        rank,
        folder,
        process.words(fields.torchrun),
        {**process.environment(fields.env), **group_files(folder)},
        process.folder(fields.cwd, file.path.parent),
    )


def _command(file: TrainFile) -> list[str]:
    assert file.fields.command is not None, "a file that was checked says what trains"
    arguments = process.words(file.fields.command)
    if not arguments:
        raise ExecutionError("the command is empty; expected such as python train.py")
    return arguments


def refuse_missing(file: TrainFile) -> None:
    """Refuse a training whose library, program or script is not on this machine."""
    fields = file.fields
    if fields.paramserver is not None:
        if fields.paramserver.on == "ray":
            optional("ray", "ray")
        if is_network(fields.paramserver):
            optional("torch", "torch")
        return
    if fields.torchrun is not None:
        Nodes(fields.nnodes, fields.address)  # says what is missing
        optional("torch", "torch")
        command = [sys.executable, *process.words(fields.torchrun)]
    else:
        command = _command(file)
    cwd = process.folder(fields.cwd, file.path.parent)
    if missing := process.missing(command, cwd, fields.env):
        raise ExecutionError(missing)


def notices(file: TrainFile) -> list[str]:
    """Sentences for a person: parameters that a command, started again for each, never uses.

    A command may read its setting's file without saying so: nothing here is an error.
    """
    fields = file.fields
    if fields.command is None or not fields.restart:
        return []
    said = " ".join(process.words(fields.command))
    names = [f"{{{each.name}}}" for each in file.space.parameters]
    unused = [name for name in names if name not in said]
    if not unused or SETTING in said:
        return []
    return [
        f"the command never uses {', '.join(unused)}: unless it reads the file that ${SETTING}"
        " names, all values train alike"
    ]


def maker(file: TrainFile) -> Callable[[Config], Any]:
    """A setting of the job from a config of the space."""
    return dict if file.fields.paramserver is None else Setting.of


def kinds(file: TrainFile) -> Callable[[Config, Config], frozenset[str]] | None:
    """How changes are classified; None for by parameter."""
    if file.fields.paramserver is None:
        return None
    return lambda old, new: Setting.of(old).changes_to(Setting.of(new))


def together(file: TrainFile) -> Callable[[Config], int]:
    """Iterations that come together: one of each worker, where there is no barrier."""
    if file.fields.paramserver is None:
        return lambda _: 1

    def count(config: Config) -> int:
        setting = Setting.of(config)
        return 1 if setting.consistency == "bsp" else setting.replicas

    return count


def each(file: TrainFile) -> Callable[[Config], int]:
    """Iterations for which a setting is tried."""
    if file.fields.each is not None:
        stated = file.fields.each
        return lambda _: stated
    if file.fields.paramserver is None:
        return lambda _: 10
    come = together(file)
    return lambda config: max(2 * come(config), 4)


def _parameter_server(
    file: TrainFile, said: ParameterServerFields, setting: Config, ending: ExitStack
) -> Reconfigurable:
    seed = file.fields.seed or 0
    data, _ = data_of(said, file.path.parent, seed)
    model = model_for(said, kinds_of(said, file.path.parent), file.path.parent)
    training = Training(model, data, said.rate, said.optimizer, seed=seed, scaling=said.scaling)
    if said.on == "ray":
        return _on_ray(said, training, Setting.of(setting), seed, ending)
    machines = Machines(**said.machines.model_dump())
    return Simulation(training, Setting.of(setting), machines, scheme=said.scheme, seed=seed)


def _on_ray(
    said: ParameterServerFields, training: Training, setting: Setting, seed: int, ending: ExitStack
) -> Reconfigurable:
    optional("ray", "ray")
    from tunewise.paramserver.cluster import RayCluster

    cluster = RayCluster(
        training,
        setting,
        scheme=said.scheme,
        seed=seed,
        address=said.address,
        per_worker=said.per_worker.model_dump(exclude_none=True),
        per_server=said.per_server.model_dump(exclude_none=True),
    )
    ending.callback(cluster.close)
    return cluster
