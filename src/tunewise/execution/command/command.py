"""A job that is a command: its words with the trial's values filled in."""

import errno
import json
import os
import shlex
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError, MeasurementError
from tunewise.execution import process_tree
from tunewise.execution.command.arguments import (
    missing_script,
    refuse_code,
    refuse_impossible,
    refuse_obeyed,
    variables,
)
from tunewise.execution.command.output import Transcript, measurement, read_file, report_of
from tunewise.execution.command.program import Ended, run
from tunewise.execution.command.template import (
    INACTIVE,
    Field,
    Template,
    filled,
    for_shell,
    unknown_field,
)
from tunewise.execution.result import identity
from tunewise.execution.running_trial import send
from tunewise.execution.worker import workplace
from tunewise.history import Failure, Measurement, Outcome, Preempted, Trial
from tunewise.space import Cluster, Integer, Parameter, Real, Space

TEMPORARY_FAILURE = 75
"""The exit code with which a command says that its machine is taken away (EX_TEMPFAIL)."""

Parts = Callable[[Any], Mapping[str, Any]]

_OF_THE_TRIAL = ("trial", "fraction", "snapshots")
_OF_A_CLUSTER = ("vm", "vms")
_LISTED = 1000
_LONGEST_RESULT = 10_000_000
_SHORT = 120


@dataclass(frozen=True, eq=False)
class Command:
    """Runs a command for each trial, and reads the metrics that it writes.

    `Command("python train.py --lr {learning_rate} --data {fraction}")` is split into words first;
    values are then put inside the words, so that no value can add a word. A value that is not
    plain (see `arguments.py`) may stand only among the arguments of a script or program of one's
    own, where nothing can run it. Fields are the parameters by name, `{trial}` (its number),
    `{fraction}`, `{snapshots}` (comma between them) and parts of a cluster such as `{cluster.vm}`
    and `{cluster.vms}`; literal braces are written twice. With `shell=True` the text is a script
    for `sh` with pipes and redirection; fields in it must be plain.

    The command finds `TUNEWISE_TRIAL`, `TUNEWISE_FRACTION`, `TUNEWISE_SNAPSHOTS`,
    `TUNEWISE_CONFIG` (JSON), `TUNEWISE_RESULT`, and `TUNEWISE_PARAM_NAME` for a parameter `name` in
    its environment. Metrics are read from the file that `TUNEWISE_RESULT` names, or else from the
    last line of standard output that is a JSON object; objects before it with a `fraction` are
    snapshots. Exit code 75 says that the machine was taken away: the trial is preempted.

    Attributes:
        template: The command as text, or as a list of words.
        env: Variables to add to the environment; fields are filled in here too.
        cwd: The folder to run in.
        shell: Whether the text is a shell script.
        parts: By parameter, a function from its value to its parts.
        silent: Whether it may write no metrics: then all that is measured is how long it takes.
        epochs: How many epochs are a full training, where trials differ in epochs: then `{epochs}`
            and `TUNEWISE_EPOCHS` are how many a trial trains for, and reports may have a `step`.
        conditional: Fields of parameters that do not apply to every config. A word with nothing
            but such fields is left out where they do not apply, with the option before it.
    """

    template: str | Sequence[str]
    _: KW_ONLY
    env: Mapping[str, str] | None = None
    cwd: str | Path | None = None
    shell: bool = False
    parts: Mapping[str, Parts] = field(default_factory=dict)
    silent: bool = False
    epochs: int | None = None
    conditional: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be a command."""
        if not any(template.pieces for template in self._words):
            raise ExecutionError(f"the command {self.template!r} is empty; expected a program")
        if self.shell:
            for_shell(self._words[0])

    def check(self, names: Iterable[str]) -> None:
        """Refuse fields other than these parameters, the trial's own, and parts of a cluster."""
        known = list(names)
        valid = {*known, *self._own}
        valid |= {f"{name}.{part}" for name in known for part in _OF_A_CLUSTER}
        for used in self._fields:
            given = used.name.partition(".")[0] in self.parts and "." in used.name
            if used.name not in valid and not given:
                raise unknown_field(used.name, [*known, *self._own])

    def over(self, space: Space) -> "Command":
        """This command with the parts of the space's clusters, its fields checked against it."""
        clusters = {p.name: p for p in space.parameters if isinstance(p, Cluster)}
        parts = [f"{n}.{part}" for n, p in clusters.items() for part in p.parts(p.values()[0])]
        valid = [*space.names, *self._own, *parts]
        for used in self._fields:
            if used.name not in valid:
                raise unknown_field(used.name, valid)
            if used.name in self._own and used.name in space.names:
                raise ExecutionError(
                    f"{{{used.name}}} is the trial's own, and a parameter has this name too; give"
                    " the parameter another"
                )
        some = {p.name for p in space.parameters if p.when}
        known = replace(
            self,
            parts={**self.parts, **{n: p.parts for n, p in clusters.items()}},
            conditional=[name for name in valid if name.partition(".")[0] in some],
        )
        known._try_values(space)
        return known

    def uses(self, name: str, variable: str) -> bool:
        """Whether a field, or a part of one, or its environment variable stands in the command."""
        written = [p for t in self._templates for p in t.pieces if isinstance(p, str)]
        said = any(variable in text or "TUNEWISE_CONFIG" in text for text in written)
        return said or any(used.name.partition(".")[0] == name for used in self._fields)

    def missing_program(self) -> str | None:
        """Why the program, or its script, is not on this machine; None where it is, or may be."""
        if self.shell or self._words[0].fields or "PATH" in (self.env or {}):
            return None
        program = self._words[0].fill({})
        place = os.path.join(self.cwd or "", program) if os.sep in program else program
        if os.path.exists(place) or (os.sep not in program and shutil.which(program)):
            return missing_script(self._words, self._folder)
        return f"the program {program!r} was not found; expected a path or a name on PATH"

    def __call__(self, trial: Trial) -> Outcome:
        """Run the command on the trial, to its end."""
        values = self._values(trial)
        self._refuse_code(values)
        with _result_file() as file:
            environment = self._environment(trial, values, file)
            if self.shell:
                script, variables = for_shell(self._words[0])
                arguments = ["/bin/sh", "-c", script]
                environment |= {name: used.text(values) for name, used in variables.items()}
            else:
                arguments = filled(self._words, values)
            cwd = None if self.cwd is None else Path(self.cwd)
            began, kills = time.monotonic(), process_tree.memory_kills()
            heard = partial(_pass_on, trial.fraction)
            ended = run(arguments, environment, cwd, heard, self.epochs)
            took = Measurement({"time": time.monotonic() - began}) if self.silent else None
            if ended.code not in (0, TEMPORARY_FAILURE):
                return Failure(_how_it_ended(ended, self.shell, kills))
            return _outcome(ended, file, trial.fraction, took, self.epochs)

    def elsewhere(self, trial: Trial) -> tuple[str, dict[str, str]]:
        """The command as a script for the shell of another machine, and its variables."""
        values = self._values(trial)
        self._refuse_code(values)
        environment = self._own_variables(trial, values)
        if not self.shell:
            return shlex.join(filled(self._words, values)), environment
        script, inside = for_shell(self._words[0])
        return script, environment | {name: used.text(values) for name, used in inside.items()}

    @cached_property
    def _words(self) -> tuple[Template, ...]:
        if self.shell and not isinstance(self.template, str):
            raise ExecutionError(
                f"the command {self.template!r} is a list; with shell=True expected one text"
            )
        if not isinstance(self.template, str):
            return tuple(Template.parse(str(word)) for word in self.template)
        try:
            words = [self.template] if self.shell else shlex.split(self.template)
        except ValueError as error:
            raise ExecutionError(
                f"the command {self.template!r} cannot be split into words: {error}"
            ) from error
        return tuple(map(Template.parse, words))

    @cached_property
    def _variables(self) -> dict[str, Template]:
        return {name: Template.parse(str(text)) for name, text in (self.env or {}).items()}

    @property
    def _fields(self) -> list[Field]:
        return [f for template in self._templates for f in template.fields]

    @property
    def _templates(self) -> list[Template]:
        return [*self._words, *self._variables.values()]

    def _try_values(self, space: Space) -> None:
        """Refuse what does not fit a value or may not become one: better now than in a trial."""
        used = {field.name.partition(".")[0] for field in self._fields}
        examples = {p.name: _examples(p) for p in space.parameters if p.name in used}
        first = {p.name: _examples(p)[0] for p in space.parameters}
        configs = [{**first, name: v} for name, values in examples.items() for v in values]
        for config in configs or [first]:
            values = self._values(Trial(0, config))
            refuse_impossible(self._fields, values)
            self._refuse_code(values)

    def _refuse_code(self, values: dict[str, Any]) -> None:
        """Refuse values that could be run, in the command or by way of a variable."""
        refuse_code(self._words, values, self._folder, shell=self.shell)
        refuse_obeyed(self._variables, values)

    @property
    def _own(self) -> tuple[str, ...]:
        """The fields that are the trial's own."""
        return _OF_THE_TRIAL if self.epochs is None else (*_OF_THE_TRIAL, "epochs")

    def _trained(self, trial: Trial) -> dict[str, int]:
        """How many epochs a trial trains for, where these count."""
        return {} if self.epochs is None else {"epochs": round(trial.fraction * self.epochs)}

    @property
    def _folder(self) -> Path:
        return Path() if self.cwd is None else Path(self.cwd)

    def _values(self, trial: Trial) -> dict[str, Any]:
        snapshots = ",".join(map(repr, trial.snapshots))
        values: dict[str, Any] = dict.fromkeys(self.conditional, INACTIVE)
        values |= {"trial": trial.number, "fraction": trial.fraction, "snapshots": snapshots}
        values |= self._trained(trial)
        for name, value in trial.config.items():
            values[name] = value
            parts = self.parts[name](value) if name in self.parts else _cluster_parts(value)
            values |= {f"{name}.{part}": _whole(v) for part, v in parts.items()}
        return values

    def _environment(self, trial: Trial, values: dict[str, Any], file: Path) -> dict[str, str]:
        return {
            **os.environ,
            **self._own_variables(trial, values),
            "TUNEWISE_RESULT": str(file),
        }

    def _own_variables(self, trial: Trial, values: dict[str, Any]) -> dict[str, str]:
        own = [n for n, v in values.items() if n not in self._own and v is not INACTIVE]
        return {
            **variables(values, own),
            **{n: t.fill(values) for n, t in self._variables.items() if not t.void(values)},
            "TUNEWISE_TRIAL": str(trial.number),
            "TUNEWISE_FRACTION": repr(trial.fraction),
            **{f"TUNEWISE_{name.upper()}": str(n) for name, n in self._trained(trial).items()},
            "TUNEWISE_SNAPSHOTS": str(values["snapshots"]),
            "TUNEWISE_CONFIG": json.dumps(identity(trial)["config"]),
        }


def _pass_on(fraction: float, found: dict[str, Any]) -> None:
    """A snapshot, or what was spent until now, is told while the command runs."""
    report = report_of(found, fraction)
    if report is not None:
        send(report)


def _examples(parameter: Parameter) -> list[Any]:
    """Values of a parameter: all of a list, some of a range."""
    numeric = isinstance(parameter, Integer | Real)
    if parameter.size is not None and (parameter.size <= _LISTED or not numeric):
        return list(parameter.values())
    return list(parameter.draw(np.array([0.0, 0.3, 0.7, 0.999])))


def _cluster_parts(value: Any) -> dict[str, Any]:
    """`t2.small:4` is four VMs of a type, whoever wrote it."""
    vm, colon, count = value.rpartition(":") if isinstance(value, str) else ("", "", "")
    return {"vm": vm, "vms": int(count)} if vm and colon and count.isdecimal() else {}


def _whole(value: Any) -> Any:
    """8 cores rather than 8.0, which few programs would take for a number of cores."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@contextmanager
def _result_file() -> Iterator[Path]:
    """A path for the command to write its result to: in the trial's folder, where it has one."""
    place = workplace()
    if place is not None and place.folder is not None:
        file = place.folder / "metrics.json"
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        file.unlink(missing_ok=True)
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        yield Path(folder) / "metrics.json"


def _outcome(
    ended: Ended, file: Path, fraction: float, took: Measurement | None, epochs: int | None
) -> Outcome:
    if ended.code == TEMPORARY_FAILURE:
        return Preempted(f"the command ended with exit code {TEMPORARY_FAILURE}: preempted")
    try:
        written = _written(file)
    except OSError as error:
        said = error.strerror or error
        return Failure(f"the file at $TUNEWISE_RESULT cannot be read: {said}")
    if len(written) > _LONGEST_RESULT:
        return Failure(f"the file at $TUNEWISE_RESULT has more than {_LONGEST_RESULT:,} characters")
    transcript = read_file(written, epochs) if written else ended.transcript
    try:
        found = measurement(transcript, fraction)
    except MeasurementError as error:
        return Failure(str(error))
    if found is None and written:
        return Failure(f"the file at $TUNEWISE_RESULT holds no JSON object: {written[:200]!r}")
    return (
        found
        or took
        or Failure(
            "the command gave no result: it wrote no file at $TUNEWISE_RESULT, and no line of its"
            f' output is a JSON object such as {{"accuracy": 0.9}}{_last_lines(ended.transcript)}'
        )
    )


def _written(file: Path) -> str:
    """What a command wrote as its result; neither a link is followed nor a pipe waited for."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return ""
    except OSError as error:
        link = "it is a link" if file.is_symlink() else error.strerror
        raise OSError(error.errno, link) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no file")
    with os.fdopen(descriptor, "rb", buffering=0) as opened:
        found = bytearray()
        while len(found) <= 4 * _LONGEST_RESULT and (more := opened.read(1 << 20)):
            found += more
    return found.decode("utf-8", errors="replace").strip()


def _how_it_ended(ended: Ended, shell: bool, memory_kills: int | None) -> str:
    code, said = ended.code, _last_lines(ended.transcript)
    number = -code if code < 0 else code - 128 if shell else 0
    known = {s.value: s.name for s in signal.Signals}
    if code < 0 or number in known:
        why = process_tree.killed(memory_kills) if number == signal.SIGKILL else ""
        return f"the command was killed by {known.get(number, f'signal {number}')}{why}{said}"
    return f"the command ended with exit code {code}{said}"


def _last_lines(transcript: Transcript) -> str:
    """The last line beside the reason, where it is seen in tables, and those before it below."""
    if not transcript.tail:
        return "; it printed nothing"
    *before, last = transcript.tail.splitlines()
    short = last if len(last) <= _SHORT else f"{last[: _SHORT - 1]}…"
    below = f"\n{transcript.tail}" if before or short != last else ""
    return f"; its last output: {short}{below}"
