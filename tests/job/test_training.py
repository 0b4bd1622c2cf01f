"""Job files of trainings: what they state, which mistakes are told, and what they start."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tunewise.errors import ExecutionError, JobFileError
from tunewise.execution.training.command import CommandJob
from tunewise.job.jobfile import load as load_study_file
from tunewise.job.training import workload
from tunewise.job.training.fields import NESTED
from tunewise.job.training.file import TrainFile, load
from tunewise.paramserver import Logistic, Simulation, Svm
from tunewise.space import Ordinal

SOUND = """\
space:
  workers: [1, 2, 4]
  consistency: [bsp, asp]
until: loss <= 0.1
"""
SERVED = SOUND + "paramserver: {data: {rows: 40, features: 4}, machines: {nodes: 6}}\n"
RUN = SOUND + "command: python train.py\n"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(text: str, **changes: Any) -> TrainFile:
        path = tmp_path / "fit.yaml"
        path.write_text(text)
        return load(path, changes)

    return written


def mistakes(folder: Path, text: str) -> list[str]:
    path = folder / "fit.yaml"
    path.write_text(text)
    with pytest.raises(JobFileError) as caught:
        load(path)
    return [line.removeprefix(f"{path}:") for line in str(caught.value).splitlines()]


def test_a_sound_file_states_a_training(write: Any, tmp_path: Path) -> None:
    file = write(RUN)
    assert file.name == "fit" and file.path == tmp_path / "fit.yaml"
    assert file.space.parameters[0] == Ordinal("workers", [1, 2, 4])
    assert file.until.loss == pytest.approx(0.1)
    assert (file.default, file.price, file.deadline, file.saved_price) == (None,) * 4
    assert write(RUN + "name: digits\n").name == "digits"
    assert write(RUN, name="other", seed=3).fields.seed == 3


def test_a_price_is_saved_only_where_the_cost_is_to_be_small(write: Any) -> None:
    setting = {"workers": 2, "consistency": "bsp"}
    quick = write(RUN + "price: 0.5 * workers\n")
    assert quick.price(setting) == pytest.approx(1.0) and quick.saved_price is None
    cheap = write(RUN + "price: 0.5 * workers\nminimize: cost\n")
    assert cheap.saved_price is not None and cheap.saved_price(setting) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("[]", None),
        ("time <= 2 h", 7200.0),
        ("[time <= 2 h, time <= 30 min]", 1800.0),
        ("[time <= 30 min, time <= 2 h]", 1800.0),
    ],
)
def test_the_tightest_limit_on_time_is_the_deadline(
    write: Any, said: str, seconds: float | None
) -> None:
    assert write(RUN + f"subject_to: {said}\n").deadline == seconds


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("default: {workers: 3, consistency: bsp}", "6: default: "),
        ("price: 0.1 * worker", "6: price: '0.1 * worker' has an unknown parameter 'worker'"),
        ("price: 0 - workers", "6: price: '0 - workers' gives no price for the config"),
        ("minimize: cost", "1: price: cost is to be small; expected what an hour"),
        ("minimize: loss", "6: minimize is 'loss'; expected time or cost"),
        ("subject_to: cost <= 3", "6: subject_to: cost <= 3 cannot be kept while a training runs"),
        ("subject_to: time >= 3", "6: subject_to: time >= 3 cannot be kept while a training runs"),
        ("checkpoint: 5 parsecs", "6: checkpoint: unknown unit 'parsecs' for 'time'"),
        ("checkpoint: -1", "6: checkpoint: -1 is no time; expected one such as 30 or '1 min'"),
        ("checkpoint: .nan", "6: checkpoint: nan is no time"),
        ("checkpoint: .inf", "6: checkpoint: inf is no time"),
        ("name: ' '", "6: name is ' '; expected a name for the training"),
        ("storage: ''", "6: storage is ''; expected a file, or a URL such as sqlite:///"),
        ("report: ''", "6: report is ''; expected the path of an HTML file"),
        ("manager: pcae", "6: manager is 'pcae'; expected one of pace, selftf"),
        ("tries: -1", "6: tries is -1"),
        ("tries: 5", "6: tries is 5; expected a share of the training, from 0 to 1, such as 0.05"),
        ("nnodes: 2", "6: nnodes is for torchrun alone"),
        ("address: 10.0.0.7:29400", "6: address is for torchrun alone"),
        ("cwd: nowhere", "6: cwd: there is no folder"),
        ("env: {A=B: 1}", "6: env: 'A=B' names a variable; expected it without =, as 'A'"),
        ("torchrun: train.py", "1: expected one of command, torchrun and paramserver"),
        ("each: 0", "6: each is 0; expected iterations for which a setting is tried"),
        ("untill: x", "6: untill: unknown field; did you mean 'until'?"),
        ("where: worker > 1", "6: where: 'worker > 1' has an unknown parameter 'worker'"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_field(
    tmp_path: Path, change: str, expected: str
) -> None:
    (found,) = mistakes(tmp_path, RUN + change + "\n")
    assert found.startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SOUND, "1: expected one of command, torchrun and paramserver, to say what trains"),
        ("[1, 2]", "1: expected fields with values, such as until: loss <= 0.1"),
        (RUN.replace("until: loss <= 0.1\n", ""), "1: until is missing; expected the end, such"),
        (SOUND + 'command: "python \'train.py"\n', '5: command: "python \'train.py" cannot be'),
        (SOUND + 'torchrun: "\'train.py"\n', '5: torchrun: "\'train.py" cannot be split'),
        (
            SOUND + "torchrun: train.py\nrestart: no\n",
            "6: restart is for a command: under torchrun every group starts anew",
        ),
        (SERVED + "cwd: .\n", "6: cwd is for command and torchrun alone"),
        (SERVED + "restart: true\n", "6: restart is for command and torchrun alone"),
        (
            SOUND + "paramserver: {address: auto}\n",
            "5: paramserver.address is for `on: ray` alone",
        ),
        (
            SOUND + "paramserver: {on: ray, machines: {nodes: 4}}\n",
            "5: paramserver.machines is for `on: simulated` alone",
        ),
        (
            SOUND + "paramserver: {optimizer: adam}\n",
            "5: paramserver.optimizer is 'adam'; expected sgd, momentum or svrg",
        ),
        (
            SOUND + "paramserver: {rate: .inf}\n",
            "5: paramserver.rate is inf; expected a learning rate",
        ),
        (
            SOUND + "paramserver: {data: {row: 4}}\n",
            "5: paramserver.data.row: unknown field; did you mean 'rows'?",
        ),
        (
            SOUND + "paramserver: {machines: {nodes: 1}}\n",
            "5: paramserver.machines.nodes is 1; expected a number of nodes",
        ),
        (
            SOUND + "paramserver: {on: ray, per_worker: {memory: -1}}\n",
            "5: paramserver.per_worker.memory is -1; expected a number of bytes",
        ),
    ],
)
def test_what_states_no_training_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    (found,) = mistakes(tmp_path, text)
    assert found.startswith(expected)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = RUN.replace("0.1", "x") + "cwd: nowhere\nenv: {A=B: 1}\ncheckpoint: -1\n"
    found = mistakes(tmp_path, text + "manager: x\nsubject_to: cost <= 1\n")
    assert [line.partition(":")[0] for line in found] == ["4", "6", "7", "8", "9", "10"]


def test_every_field_of_a_training_says_what_it_expects() -> None:
    for fields in NESTED.values():
        assert all(field.description for field in fields.model_fields.values()), fields


@pytest.fixture
def ending() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def simulated(file: TrainFile, ending: ExitStack, **setting: Any) -> Simulation:
    begun = workload.begin(file, {"workers": 2, "consistency": "bsp", **setting}, Path(), ending)
    assert isinstance(begun, Simulation)
    return begun


def test_a_parameter_server_is_simulated_as_the_file_says(write: Any, ending: ExitStack) -> None:
    job = simulated(write(SERVED), ending)
    training = job.training
    assert (job.machines.nodes, job.machines.cores, job.scheme) == (6, 8, "background")
    assert (training.data.rows, training.data.features) == (40, 4)
    assert isinstance(training.model, Logistic) and training.rate == pytest.approx(0.1)
    assert (job.setting.workers, job.setting.consistency) == (2, "bsp")
    said = "{model: svm, l2: 0.5, rate: 0.25, optimizer: momentum, scaling: linear, data:"
    other = simulated(
        write(SOUND + f"paramserver: {said} {{rows: 40, features: 4}}}}\nseed: 7\n"), ending
    ).training
    assert isinstance(other.model, Svm) and other.rate == pytest.approx(0.25)
    assert (other.optimizer, other.scaling, other.seed) == ("momentum", "linear", 7)


def test_a_command_starts_in_its_folder_with_its_environment(
    write: Any, tmp_path: Path, ending: ExitStack
) -> None:
    (tmp_path / "inner").mkdir()
    code = "import os, json; print(json.dumps({'loss': float(os.environ['A'] == 'true')"
    code += " + 2 * (os.path.basename(os.getcwd()) == 'inner'), 'samples': 1}), flush=True);"
    code += "import time; time.sleep(60)"
    said = f"command: [{sys.executable}, -c, {code!r}]\nenv: {{A: true}}\ncwd: inner\n"
    file = write(SOUND + said)
    job = workload.begin(file, {"workers": 1, "consistency": "bsp"}, tmp_path / "own", ending)
    assert isinstance(job, CommandJob)
    [first] = job.run(1)
    assert first.loss == 3.0, "both the variable and the folder are as the file says"


def test_an_empty_command_is_refused_when_it_is_to_start(
    write: Any, tmp_path: Path, ending: ExitStack
) -> None:
    for said in ("''", "[]"):
        file = write(SOUND + f"command: {said}\n")
        with pytest.raises(ExecutionError, match="the command is empty; expected such as python"):
            workload.begin(file, {"workers": 1, "consistency": "bsp"}, tmp_path, ending)


def test_parameters_that_a_command_never_uses_are_told(write: Any) -> None:
    assert workload.notices(write(RUN)) == []
    [told] = workload.notices(write(RUN.replace(".py", ".py {workers}") + "restart: true\n"))
    assert told.startswith("the command never uses {consistency}: unless it reads the file that")
    both = RUN.replace(".py", ".py {workers} --as={consistency}") + "restart: true\n"
    assert workload.notices(write(both)) == []


def test_changes_of_a_command_are_told_apart_by_parameter(write: Any) -> None:
    file = write(RUN)
    assert workload.kinds(file) is None
    assert workload.maker(file)({"workers": 2}) == {"workers": 2}
    assert workload.together(file)({"workers": 4}) == 1
    assert workload.each(file)({"workers": 4}) == 10
    assert workload.each(write(RUN + "each: 3\n"))({"workers": 4}) == 3


def test_changes_of_a_parameter_server_are_told_apart_by_what_they_move(write: Any) -> None:
    file = write(SERVED)
    kinds = workload.kinds(file)
    assert kinds is not None
    assert kinds({"workers": 2}, {"workers": 4}) != kinds({"workers": 2}, {"servers": 2})
    assert workload.maker(file)({"workers": 2}).workers == 2
    # Without a barrier each worker brings an iteration of its own.
    assert workload.together(file)({"workers": 4, "consistency": "bsp"}) == 1
    assert workload.together(file)({"workers": 4, "consistency": "asp"}) == 4
    assert workload.together(file)({"workers": 4, "group": 2, "consistency": "asp"}) == 2
    assert workload.each(file)({"workers": 4, "consistency": "asp"}) == 8
    assert workload.each(file)({"workers": 4, "consistency": "bsp"}) == 4
    assert workload.each(write(SERVED + "each: 3\n"))({"workers": 4, "consistency": "asp"}) == 3


def test_sparse_data_is_made_with_so_many_features_a_row(write: Any, ending: ExitStack) -> None:
    said = "{data: {kind: url, rows: 40, features: 30, per_row: 5}, machines: {nodes: 6}}"
    sparse = simulated(write(SOUND + f"paramserver: {said}\n"), ending).training.data
    assert (sparse.rows, sparse.features) == (40, 30)
    assert sparse.x.getnnz() / 40 == pytest.approx(5.0, abs=1.5)
    dense = simulated(write(SERVED), ending).training.data
    assert not hasattr(dense.x, "getnnz")


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("consistency", "[bsp, aspp]", "aspp"),
        ("consistency", "['ssp:-1']", "ssp:-1"),
        ("workers", "[0, 1]", "workers is 0; expected a whole number, 1 or above"),
        ("workers", "[2, 2.5]", "workers is 2.5; expected a whole number, 1 or above"),
        ("workers", "{real: [1, 4]}", "workers is 1.0; expected a whole number, 1 or above"),
        ("workers", "{integer: [0, 4]}", "workers is 0; expected a whole number, 1 or above"),
    ],
)
def test_a_value_that_no_parameter_server_takes_is_told_before_it_starts(
    tmp_path: Path, name: str, values: str, told: str
) -> None:
    rows = {"workers": "[1, 2, 4]", "consistency": "[bsp, asp]"} | {name: values}
    space = "".join(f"  {each}: {row}\n" for each, row in rows.items())
    text = f"space:\n{space}until: loss <= 0.1\n" + SERVED.splitlines()[-1] + "\n"
    assert any(told in each for each in mistakes(tmp_path, text))


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("workers", "[0, 1]", "workers is 0; expected a whole number, 1 or above"),
        ("threads", "{real: [1, 4]}", "threads is 1.0; expected a whole number, 1 or above"),
    ],
)
def test_a_value_that_no_group_of_processes_takes_is_told_before_it_starts(
    tmp_path: Path, name: str, values: str, told: str
) -> None:
    text = f"space: {{{name}: {values}}}\nuntil: loss <= 0.1\ntorchrun: train.py\n"
    assert mistakes(tmp_path, text) == [f"1: space.{name}: {told}"]


def test_groups_of_workers_are_no_mistake_by_themselves(write: Any) -> None:
    grouped = SERVED.replace("until", "  group: [1, 2]\nuntil").replace("[1, 2, 4]", "[2, 4]")
    assert write(grouped).space.size == 8


@pytest.mark.parametrize(
    ("space", "told", "where", "left"),
    [
        (
            "{workers: [2, 3, 4], group: [1, 2]}",
            "space: workers=3, group=2 cannot be: 3 workers cannot be in groups of 2: expected a"
            " divisor of 3; leave such settings out, as by where: workers % group == 0",
            "workers % group == 0",
            5,
        ),
        (
            "{workers: [2, 5, 64]}",
            "space: workers=64 cannot be: 1 servers and 64 workers need more than the 6 nodes of"
            " the cluster; leave such settings out, as by where: workers <= 5",
            "workers <= 5",
            2,
        ),
        (
            "{servers: [1, 4], workers: [2, 4]}",
            "space: servers=4, workers=4 cannot be: 4 servers and 4 workers need more than the 6"
            " nodes of the cluster; leave such settings out, as by where: servers + workers <= 6",
            "servers + workers <= 6",
            3,
        ),
        (
            "{group: [1, 2]}",
            "space: group=2 cannot be: 1 workers cannot be in groups of 2: expected a divisor of 1;"
            " leave such settings out, as by where: group == 1",
            "group == 1",
            1,
        ),
    ],
)
def test_settings_that_cannot_be_are_told_with_what_leaves_them_out(
    tmp_path: Path, write: Any, space: str, told: str, where: str, left: int
) -> None:
    text = f"space: {space}\nuntil: loss <= 0.1\n" + SERVED.splitlines()[-1] + "\n"
    assert mistakes(tmp_path, text) == [f"1: {told}"]
    assert write(text + f"where: {where}\n").space.size == left


LARGE = "space: {servers: {integer: [1, 4]}, workers: {integer: [1, 400]}}\nuntil: loss <= 0.1\n"


def test_a_large_space_is_checked_by_its_first_setting_and_its_ends(
    tmp_path: Path, write: Any
) -> None:
    text = LARGE + SERVED.splitlines()[-1] + "\n"
    (found,) = mistakes(tmp_path, text + "default: {servers: 1, workers: 64}\n")
    assert found.startswith("1: space: servers=1, workers=64 cannot be: ")
    (found,) = mistakes(tmp_path, text)
    assert found.startswith("1: space: servers=1, workers=400 cannot be: ")
    assert write(text + "where: servers + workers <= 6\n").space.size == 14
    many = text.replace("nodes: 6", "nodes: 402")
    assert many != text
    (found,) = mistakes(tmp_path, many)
    assert found.startswith("1: space: servers=4, workers=400 cannot be: "), "both at their ends"
    assert write(many.replace("402", "404")).space.size == 1600


@pytest.mark.parametrize(
    ("price", "told"),
    [
        ("1 / (4 - servers)", "servers=4"),  # each parameter at its end
        ("1 / (400 - workers)", "workers=400"),
        ("1 / (404 - servers - workers)", "servers=4, workers=400"),  # all of them
        ("0 if workers % 10 == 3 else 1", "'workers':"),  # one that is drawn
    ],
)
def test_prices_of_a_large_space_are_checked_at_its_ends_and_between(
    tmp_path: Path, write: Any, price: str, told: str
) -> None:
    text = LARGE + "command: python3 train.py\nminimize: cost\n"
    (found,) = mistakes(tmp_path, text + f"price: {price}\n")
    assert found.startswith("5: price: ") and told in found
    assert write(text + "price: servers + workers\n").space.size == 1600


def test_of_a_space_without_end_the_ends_are_looked_at_that_it_has(
    tmp_path: Path, write: Any
) -> None:
    text = """\
space:
  rate: {real: [0.0, 1.0]}
  cache: {choice: [none, disk]}
  size: {integer: [1, 9], when: {cache: disk}}
until: loss <= 0.1
command: python3 train.py
"""
    (found,) = mistakes(tmp_path, text + "price: 1 / (1 - rate)\n")
    assert found.startswith("7: price: ") and "rate=1" in found
    (found,) = mistakes(tmp_path, text + "default: {rate: 0, cache: none}\nprice: 1 / (9 - size)\n")
    assert found.startswith("8: price: ")
    assert write(text + "where: rate < 1\nprice: 1 / (1 - rate)\n").space.size is None


@pytest.mark.parametrize("said", ["1 / (4 - workers)", "1 - workers / 2"])
def test_a_price_is_checked_for_every_setting_of_a_small_space(tmp_path: Path, said: str) -> None:
    (found,) = mistakes(tmp_path, RUN + f"price: {said}\n")
    assert found.startswith("6: price: ") and "workers=" in found


def test_what_is_saved_may_not_be_free(tmp_path: Path, write: Any) -> None:
    free = RUN + "price: workers - 1\n"
    assert write(free).price({"workers": 1, "consistency": "bsp"}) == 0.0
    (found,) = mistakes(tmp_path, free + "minimize: cost\n")
    assert found.endswith("is 0.0; expected USD per hour, above 0")


@pytest.mark.parametrize(("consistency", "manager"), [("bsp", "selftf"), ("asp", "selftf")])
def test_the_thesis_manager_tries_a_setting_for_as_many_iterations_as_it_has_workers(
    write: Any, consistency: str, manager: str
) -> None:
    deciding = write(SERVED + f"manager: {manager}\n").manager
    assert deciding.first({"workers": 8, "consistency": consistency}) == 8
    assert write(SERVED + f"manager: {manager}\neach: 50\n").manager.first({"workers": 8}) == 50


def test_the_thesis_manager_is_told_its_constants(write: Any) -> None:
    deciding = write(
        SERVED + "manager: selftf_since_switch\nselftf: {m: 5, least: 0.02, rate: linear}\n"
    ).manager
    assert (deciding.m, deciding.least, deciding.rate) == (5, 0.02, "linear")
    assert deciding.progress == "since_switch"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            RUN.replace("loss <= 0.1", "samples >= 60") + "manager: selftf",
            "6: manager: the manager selftf estimates when a loss is reached",
        ),
        (RUN + "manager: selftf\nselftf: {least: 0.2}", "6: manager: least is 0.2"),
        (RUN + "selftf: {m: 3}", "6: selftf is for the managers selftf"),
    ],
)
def test_what_the_thesis_manager_cannot_do_is_told_with_its_line(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert any(line.startswith(expected) for line in mistakes(tmp_path, text + "\n"))


def test_two_classes_are_not_enough_for_a_linear_model_of_ten(
    write: Any, ending: ExitStack
) -> None:
    file = write(SOUND + "paramserver: {data: {kind: pictures, rows: 40, side: 4}}\n")
    with pytest.raises(ExecutionError, match="logistic tells two classes apart"):
        simulated(file, ending)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "python train.py {workers}",
            "5: command: '{workers}' is filled in when the command starts",
        ),
        ("python train.py {worker}", "5: command: '{worker}' is no parameter of the space"),
    ],
)
def test_a_command_that_names_a_setting_is_refused_where_it_would_go_stale(
    tmp_path: Path, command: str, expected: str
) -> None:
    assert mistakes(tmp_path, SOUND + f"command: {command!r}\n")[0].startswith(expected)
    path = tmp_path / "fit.yaml"
    path.write_text(SOUND + "command: 'awk {print} {workers}'\nrestart: true\n")
    assert load(path).fields.restart


def test_a_study_given_to_train_and_a_training_given_to_tune_name_the_right_command(
    tmp_path: Path,
) -> None:
    said = mistakes(tmp_path, "space: {x: [1, 2]}\nmaximize: accuracy\ncommand: python a.py\n")
    assert "is a job file of a study; run it with: tunewise tune" in said[0]
    path = tmp_path / "fit.yaml"
    path.write_text(RUN)
    with pytest.raises(JobFileError, match="a job file of a training; run it with: tunewise train"):
        load_study_file(path)
