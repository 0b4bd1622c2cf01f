"""Commands as jobs."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.execution.processes import FOREVER, PATIENCE, gone
from tunewise.errors import ExecutionError
from tunewise.execution import Command, ProcessExecutor
from tunewise.history import Failure, Measurement, Outcome, Preempted, Trial
from tunewise.space import Choice, Cluster, Integer, Real, Space

SHOW = "import json, os, sys; print(json.dumps(sys.argv[1:])); print(json.dumps({'a': 1}))"


@pytest.fixture
def executor() -> Iterator[ProcessExecutor]:
    with ProcessExecutor(2, grace=5.0) as executor:
        yield executor


def python(code: str, *arguments: str) -> list[str]:
    """A command that runs Python code; its braces are literal."""
    return [sys.executable, "-c", code.replace("{", "{{").replace("}", "}}"), *arguments]


def ran(command: Command, fraction: float = 1.0, **config: Any) -> Outcome:
    return command(Trial(7, config, fraction, (0.1, 0.25)))


def measured(command: Command, fraction: float = 1.0, **config: Any) -> Measurement:
    outcome = ran(command, fraction, **config)
    assert isinstance(outcome, Measurement), outcome
    return outcome


def failed(command: Command, fraction: float = 1.0, **config: Any) -> str:
    outcome = ran(command, fraction, **config)
    assert type(outcome) is Failure, outcome
    return outcome.reason


def arguments(capsys: pytest.CaptureFixture[str], command: Command, **config: Any) -> list[str]:
    measured(command, **config)
    found: list[str] = json.loads(capsys.readouterr().out.splitlines()[0])
    return found


def test_values_are_filled_into_words(capsys: pytest.CaptureFixture[str]) -> None:
    template = python(SHOW, "--lr={rate}", "{layers}", "{trial}/{fraction}", "{snapshots}", "{{x}}")
    given = arguments(capsys, Command(template), rate=1e-05, layers=3)
    assert given == ["--lr=1e-05", "3", "7/1.0", "0.1,0.25", "{x}"]


def test_a_text_is_split_before_values_are_filled_in(capsys: pytest.CaptureFixture[str]) -> None:
    command = Command(f"{sys.executable} show.py '{{name}} twice' {{name}} --x={{name}}", cwd=None)
    script = Path("show.py")
    assert not script.exists()
    words = [word.fill({"name": "a b; c"}) for word in command._words]
    assert words == [sys.executable, "show.py", "a b; c twice", "a b; c", "--x=a b; c"]


def test_a_format_may_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert arguments(capsys, Command(python(SHOW, "{rate:.3f}")), rate=0.12345) == ["0.123"]


def test_parts_of_a_cluster_have_fields(capsys: pytest.CaptureFixture[str]) -> None:
    template = python(SHOW, "{cluster}", "{cluster.vm}", "{cluster.vms}")
    given = arguments(capsys, Command(template), cluster="t2.small:4")
    assert given == ["t2.small:4", "t2.small", "4"]


def test_parts_may_come_from_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    command = Command(python(SHOW, "{size.w}x{size.h}"), parts={"size": lambda v: dict(w=v, h=v)})
    command.check(["size"])
    assert arguments(capsys, command, size=3) == ["3x3"]


def test_a_space_brings_the_parts_of_its_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    space = Space(Cluster("cluster", ["t2.small", "t2.medium"], [1, 4]), Integer("layers", 1, 4))
    command = Command(python(SHOW, "{cluster.cores}", "{layers}")).over(space)
    assert arguments(capsys, command, cluster="t2.medium:4", layers=2) == ["8", "2"]


@pytest.mark.parametrize(
    ("template", "nearest"),
    [
        ("train --lr {learning_rat}", "did you mean 'learning_rate'"),
        ("train {fractoin}", "did you mean 'fraction'"),
        ("awk '{print $1}'", "write a literal brace twice"),
        ("train {learning_rate.vmm}", "unknown field {learning_rate.vmm}"),
    ],
)
def test_an_unknown_field_is_refused_with_the_nearest(template: str, nearest: str) -> None:
    space = Space(Choice("learning_rate", [0.1, 0.2]), Choice("mode", ["a", "b"]))
    with pytest.raises(ExecutionError, match="unknown field") as refused:
        Command(template).check(space.names)
    assert nearest in str(refused.value)
    with pytest.raises(ExecutionError, match="unknown field") as refused:
        Command(template).over(space)
    assert nearest in str(refused.value)


def test_an_unknown_part_of_a_cluster_is_refused() -> None:
    space = Space(Cluster("cluster", ["t2.small"], [1, 4]))
    with pytest.raises(ExecutionError, match=r"did you mean 'cluster.cores'"):
        Command("train {cluster.coers}").over(space)


def test_unknown_fields_in_variables_are_refused_too() -> None:
    with pytest.raises(ExecutionError, match="did you mean 'layers'"):
        Command("train", env={"LAYERS": "{layer}"}).check(["layers"])


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("", "is empty"),
        ([], "is empty"),
        ("train 'unclosed", "cannot be split into words: No closing quotation"),
        ("train {rate", "unmatched brace"),
        ("train rate}", "unmatched brace"),
        ("train {}", "a field without a name"),
        ("train {0}", "a field without a name"),
        ("train {rate!r}", "too clever"),
        ("train {rate:zz}", r"{rate:zz} has an unknown format 'zz'"),
        ("train {rate:{width}}", "too clever"),
        ("train {rate:.999999999f}", "asks for more than 300 digits"),
        ("train {rate:>9999}", "asks for more than 300 digits"),
    ],
)
def test_what_is_no_command_is_refused_when_built(template: Any, sentence: str) -> None:
    with pytest.raises(ExecutionError, match=sentence):
        Command(template)


@pytest.mark.parametrize(
    "template",
    [
        "bash -c 'train {rate}'",
        "nice -n 5 /bin/sh -ec 'train \"{rate}\"'",
        ["zsh", "-l", "-c", "train {rate} | tee log"],
    ],
)
def test_a_script_for_a_shell_takes_numbers_and_no_other_text(template: Any) -> None:
    command = Command(template)
    command.over(Space(Choice("rate", [0.1, -1e-05, 3, "7"])))
    for rate in ("1; train", "$(train)", "-x", "", "high"):
        with pytest.raises(ExecutionError, match=r"\{rate\} may become .* could read as a command"):
            command.over(Space(Choice("rate", [0.1, rate])))
        with pytest.raises(ExecutionError, match=r"\{rate\} may become"):
            ran(command, rate=rate)


def test_a_value_beside_a_script_is_fine() -> None:
    command = Command(["sh", "-c", 'echo "{{\\"a\\": $1}}"', "-", "{rate}"])
    assert measured(command, rate=2).metrics == {"a": 2.0}
    Command("bash train.sh -c {rate}")


def test_the_environment_tells_about_the_trial() -> None:
    code = """
import json, os
config = json.loads(os.environ["TUNEWISE_CONFIG"])
assert config == {"name": "a b", "size": 3, "mode": [1, 2]}, config
assert os.environ["TUNEWISE_SNAPSHOTS"] == "0.1,0.25"
assert os.environ["MINE"] == "own 3" and os.environ["HOME"] == "/nowhere"
print(json.dumps({"trial": int(os.environ["TUNEWISE_TRIAL"]),
                  "fraction": float(os.environ["TUNEWISE_FRACTION"]), "a": 1}))
"""
    command = Command(python(code), env={"MINE": "own {size}", "HOME": "/nowhere"})
    outcome = measured(command, fraction=1 / 3, name="a b", size=3, mode=(1, 2))
    assert outcome.metrics == {"trial": 7.0, "a": 1.0}


def test_it_runs_in_the_folder_it_is_told(tmp_path: Path) -> None:
    code = "import os, json; print(json.dumps({'a': len(os.listdir('.'))}))"
    assert measured(Command(python(code), cwd=tmp_path)).metrics["a"] == 0


def test_metrics_are_read_from_the_file_before_the_output() -> None:
    code = """
import os
open(os.environ["TUNEWISE_RESULT"], "w").write('{"accuracy": 0.5}')
print('{"accuracy": 0.1}')
"""
    assert measured(Command(python(code))).metrics == {"accuracy": 0.5}


def test_metrics_are_read_from_the_last_object_of_the_output() -> None:
    code = """
print("loading {data}")
print('{"fraction": 0.1, "accuracy": 0.3, "time": 1}')
print('{"step": 7}')
print('{"fraction": 0.25, "accuracy": 0.4}')
print('{"accuracy": 0.9, "time": 12}')
print("saved the model")
"""
    assert measured(Command(python(code))) == Measurement(
        {"accuracy": 0.9, "time": 12.0},
        {0.1: {"accuracy": 0.3, "time": 1.0}, 0.25: {"accuracy": 0.4}},
    )


def test_exit_code_75_means_preempted() -> None:
    outcome = ran(Command("sh -c 'exit 75'"))
    assert type(outcome) is Preempted


def test_a_non_zero_exit_is_a_failure_with_the_last_lines() -> None:
    code = "print('{\"a\": 1}'); print('epoch 1', flush=True); raise ValueError('diverged')"
    reason = failed(Command(python(code)))
    first = "the command ended with exit code 1; its last output: ValueError: diverged\n"
    assert reason.startswith(first)
    assert "ValueError: diverged" in reason


def test_a_command_killed_by_a_signal_is_a_failure_that_names_it() -> None:
    assert failed(Command("sh -c 'kill -SEGV $$'")).startswith("the command was killed by SIGSEGV")
    assert "memory" in failed(Command("sh -c 'kill -KILL $$'"))
    shell = Command("sh -c 'kill -SEGV $$'; exit $?", shell=True)
    assert failed(shell).startswith("the command was killed by SIGSEGV")


def test_a_command_without_a_result_says_what_was_looked_for() -> None:
    reason = failed(Command("echo trained well"))
    assert "$TUNEWISE_RESULT" in reason
    assert '{"accuracy": 0.9}' in reason
    assert reason.endswith("its last output: trained well")
    assert failed(Command("true")).endswith("it printed nothing")


def test_a_result_file_that_is_no_result_is_shown() -> None:
    reason = failed(Command(["sh", "-c", 'echo accuracy=0.9 > "$TUNEWISE_RESULT"']))
    assert reason == "the file at $TUNEWISE_RESULT holds no JSON object: 'accuracy=0.9'"


def test_a_metric_that_is_no_number_gets_a_sentence() -> None:
    assert "metric 'a' is nan" in failed(Command(["echo", '{{"a": NaN}}']))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda folder: Command("no-such-program --x"), "the program 'no-such-program' was not"),
        (lambda folder: Command([str(folder / "plain")]), "is it executable"),
        (lambda folder: Command([str(folder / "text")]), "is its first line #!… missing"),
        (
            lambda folder: Command([str(folder / "lost")]),
            "what its first line #!… names is missing",
        ),
        (lambda folder: Command("true", cwd=folder / "no"), "there is no such folder"),
        (lambda folder: Command("sh train.sh {x}"), "with these values: embedded null byte"),
        (lambda folder: Command("sh train.sh {y}"), "Argument list too long"),
    ],
)
def test_a_program_that_cannot_run_is_a_failure_with_a_sentence(
    executor: ProcessExecutor, tmp_path: Path, make: Any, sentence: str
) -> None:
    for name, text, mode in (
        ("plain", "#!/bin/sh\n", 0o644),
        ("text", "\x01\x02 nothing", 0o755),
        ("lost", "#!/no/such/interpreter\n", 0o755),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    long = {"y": "y" * 3_000_000} if "long" in sentence else {}
    config = {"x": "a\0b", **long}
    outcome = executor.submit(make(tmp_path), Trial(0, config)).result()
    assert isinstance(outcome, Failure)
    assert sentence in outcome.reason
    assert "Traceback" not in outcome.reason


def test_it_runs_on_an_executor_and_leaves_a_log(executor: ProcessExecutor, tmp_path: Path) -> None:
    code = """
import os, sys
print("größe", file=sys.stderr)
open(os.environ["TUNEWISE_RESULT"], "w").write('{"metrics": {"a": 2}, "deviations": {"a": 1}}')
"""
    (tmp_path / "metrics.json").write_text('{"a": "of an earlier attempt"}')
    outcome = executor.submit(Command(python(code)), Trial(0, {}), folder=tmp_path).result()
    assert isinstance(outcome, Measurement)
    assert outcome.metrics["a"] == 2.0
    assert outcome.metrics["time"] > 0
    assert outcome.deviations == {"a": 1.0}
    assert "größe" in (tmp_path / "log.txt").read_text(encoding="utf-8")


def test_the_end_of_a_command_does_not_wait_for_what_it_left_in_the_background(
    executor: ProcessExecutor, tmp_path: Path
) -> None:
    script = f"sleep {FOREVER} & echo $! > pid; echo '{{{{\"a\": 1}}}}'"
    command = Command(script, shell=True, cwd=tmp_path)
    assert isinstance(
        executor.submit(command, Trial(0, {}), limit=FOREVER / 2).result(), Measurement
    )
    assert gone([int((tmp_path / "pid").read_text())])


def test_a_command_that_reaches_its_limit_is_heard_out_and_ends_with_all_its_children(
    executor: ProcessExecutor, tmp_path: Path
) -> None:
    code = f"""
import os, signal, subprocess, sys, time
child = subprocess.Popen(["sleep", "{FOREVER}"])
def tidy(*_):
    for _ in range(3):
        print("saving", flush=True)
        time.sleep(0.05)
    open("saved", "w").write("all")
    sys.exit(1)
signal.signal(signal.SIGTERM, tidy)
open("pids", "w").write(f"{{os.getpid()}} {{child.pid}}")
time.sleep({FOREVER})
"""
    command = Command(python(code), cwd=tmp_path)
    outcome = executor.submit(command, Trial(0, {}), limit=5.0, folder=tmp_path / "0").result()
    assert isinstance(outcome, Failure)
    assert outcome.reason == "time limit of 5 s reached"
    assert outcome.metrics["time"] < PATIENCE
    assert (tmp_path / "saved").read_text() == "all"
    assert "saving" in (tmp_path / "0" / "log.txt").read_text()
    assert gone(map(int, (tmp_path / "pids").read_text().split()))


def test_outside_of_a_worker_the_handler_of_the_program_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen = []
    command = Command("true", parts={"x": lambda v: seen.append(v) or {}})  # type: ignore[func-returns-value] # a spy
    ran(command, x=1)
    assert signal.getsignal(signal.SIGTERM) == before
    assert seen == [1]


def test_a_chatty_command_is_neither_lost_nor_kept_in_memory(executor: ProcessExecutor) -> None:
    code = "import sys; [sys.stdout.write('x' * 1000) for _ in range(20_000)]; print()\n"
    code += "print('{\"a\": 1}')"
    outcome = executor.submit(Command(python(code)), Trial(0, {})).result()
    assert isinstance(outcome, Measurement)


def test_the_path_of_the_environment_given_finds_the_program(tmp_path: Path) -> None:
    program = tmp_path / "my-train"
    program.write_text("#!/bin/sh\necho '{\"a\": 5}'\n")
    program.chmod(0o755)
    command = Command("my-train", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert measured(command).metrics["a"] == 5.0


def optimizers() -> Space:
    return Space(
        Choice("optimizer", ["adam", "sgd"]), Real("momentum", 0, 1, when={"optimizer": "sgd"})
    )


def test_words_of_parameters_that_do_not_apply_are_left_out_with_their_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--momentum", "{momentum:.2f}", "-m={momentum}", "{optimizer}-{momentum}", "-v", "x"]
    command = Command(python(SHOW, *words)).over(optimizers())
    given = arguments(capsys, command, optimizer="sgd", momentum=0.5)
    assert given == ["--momentum", "0.50", "-m=0.5", "sgd-0.5", "-v", "x"]
    assert arguments(capsys, command, optimizer="adam") == ["adam-", "-v", "x"]


def test_a_variable_of_a_parameter_that_does_not_apply_is_not_set() -> None:
    code = "import os, json; print(json.dumps({'set': float('M' in os.environ)}))"
    command = Command(python(code, "{optimizer}"), env={"M": "{momentum}"}).over(optimizers())
    assert measured(command, optimizer="adam").metrics == {"set": 0.0}
    assert measured(command, optimizer="sgd", momentum=0.5).metrics == {"set": 1.0}


def test_a_script_gets_empty_text_for_a_parameter_that_does_not_apply() -> None:
    script = 'echo "{{\\"length\\": $(printf %s {momentum} | wc -c)}}"'
    command = Command(script, shell=True).over(optimizers())
    assert measured(command, optimizer="adam").metrics == {"length": 0.0}
    assert measured(command, optimizer="sgd", momentum=0.5).metrics == {"length": 3.0}
