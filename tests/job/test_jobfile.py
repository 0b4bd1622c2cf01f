"""A job file says all that is wrong with it: line, field, and the nearest right thing."""

from pathlib import Path
from typing import Any

import pytest

from tunewise.errors import ExecutionError, JobFileError
from tunewise.execution import Command, ProcessExecutor
from tunewise.job.fields import NESTED
from tunewise.job.jobfile import JobFile, load, parse
from tunewise.job.problem import sample
from tunewise.job.workload import check, check_here, executor, workload
from tunewise.space import Choice, Cluster, Integer, Ordinal, Real, Space

SOUND = """\
command: python train.py {rate}
space:
  rate: {real: [1e-5, 1e-1], log: on}
  vm: [t2.small, t2.medium]
  vms: [1, 2, 4, 8]
maximize: accuracy
"""

PRICED = 'price: {vm: "{vm}", count: vms}\n'


def read(text: str, folder: Path = Path("/somewhere")) -> JobFile:
    return parse(text, folder / "job.yaml")


def mistakes(text: str) -> list[str]:
    with pytest.raises(JobFileError) as caught:
        parse(text, Path("job.yaml"))
    return str(caught.value).splitlines()


def test_a_sound_file_states_a_problem() -> None:
    file = read(SOUND + "subject_to: [cost <= 10 cents, [time, <=, 5 min]]\nbudget: 2 USD\n")
    assert [str(c) for c in file.problem.constraints] == ["cost <= 0.1", "time <= 300"]
    assert file.problem.budget == 2.0
    assert file.problem.space.parameters == (
        Real("rate", 1e-5, 1e-1, log=True),
        Choice("vm", ["t2.small", "t2.medium"]),
        Ordinal("vms", [1, 2, 4, 8]),
    )
    assert (file.name, file.strategy.name) == ("job", "cherrypick")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{choice: [1, 2]}", Choice("p", [1, 2])),
        ("{ordinal: [low, high]}", Ordinal("p", ["low", "high"])),
        ("{integer: [1, 4]}", Integer("p", 1, 4)),
        ("{integer: [1, 1000], log: yes}", Integer("p", 1, 1000, log=True)),
        ("{real: [0, 1]}", Real("p", 0.0, 1.0)),
        (
            "{real: [0, 1], prior: 0.3, confidence: high}",
            Real("p", 0.0, 1.0, prior=0.3, confidence="high"),
        ),
        ("{integer: [1, 4], prior: 2}", Integer("p", 1, 4, prior=2)),
        ("{choice: [a, b], prior: b}", Choice("p", ["a", "b"], prior="b")),
        ("[1, 2.5]", Ordinal("p", [1, 2.5])),
        ("[a, 2]", Choice("p", ["a", 2])),
        ("[on, off]", Choice("p", ["on", "off"])),
        ("[true, false]", Choice("p", [True, False])),
        ("{kind: real, low: 1e-5, high: 1e-1, log: true}", Real("p", 1e-5, 1e-1, log=True)),
        ("{kind: integer, low: 1, high: 4}", Integer("p", 1, 4)),
        ("{kind: choice, values: [a, b]}", Choice("p", ["a", "b"])),
        (
            "{cluster: {types: [t2.small], counts: [1, 2], helpers: [same]}}",
            Cluster("p", ["t2.small"], [1, 2], helpers=["same"]),
        ),
        (
            "{cluster: {counts: {t2.small: [4], t2.medium: [2]}}}",
            Cluster("p", counts={"t2.small": [4], "t2.medium": [2]}),
        ),
    ],
)
def test_a_parameter_may_be_written_in_several_ways(said: str, expected: Any) -> None:
    file = read(f"command: echo\nspace: {{p: {said}}}\nmaximize: accuracy\n")
    assert file.problem.space.parameters == (expected,)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("comand: x", "job.yaml:7: comand: unknown field; did you mean 'command'?"),
        ("trials: many", "job.yaml:7: trials is 'many'; expected a whole number, 1 or above"),
        ("trials: 0", "job.yaml:7: trials is 0; expected a whole number, 1 or above"),
        ("trials: 2.5", "job.yaml:7: trials is 2.5; expected a whole number"),
        ("seed: true", "job.yaml:7: seed is True; expected a whole number, 0 or above"),
        ("deploy: ful", "job.yaml:7: deploy is 'ful'; expected full or any"),
        ("strategy: cherypick", "job.yaml:7: strategy: unknown strategy 'cherypick'; did you mean"),
        (
            "strategy: {name: cherrypick, inital: 3}",
            "job.yaml:7: strategy: strategy 'cherrypick' has no option 'inital'; did you mean",
        ),
        ("strategy: [a]", "job.yaml:7: strategy is ['a']; expected a strategy's name"),
        ("minimize: cost", "job.yaml:7: minimize is given beside maximize; expected one of them"),
        ("subject_to: tme <= 3", "job.yaml:7: subject_to: constraint on unknown metric 'tme'"),
        (
            "subject_to: [cost <= 1, cost <= 3 parsecs]",
            "job.yaml:7: subject_to[1]: unknown unit 'parsecs' for 'cost'",
        ),
        ("subject_to: [accuracy >= 2]", "job.yaml:7: subject_to[0]: constraint accuracy >= 2 can"),
        (
            "subject_to: [cost <= 1, cost >= 2]",
            "job.yaml:7: subject_to: constraints cost >= 2 and cost <= 1 cannot both hold",
        ),
        ("budget: free", "job.yaml:7: budget: 'free' is not a number for 'cost'"),
        ("budget: -1", "job.yaml:7: budget: budget is -1; expected an amount of USD above 0"),
        ("timeout: 5 parsecs", "job.yaml:7: timeout: unknown unit 'parsecs' for 'time'"),
        ("trial_timeout: 0", "job.yaml:7: trial_timeout: 0 is no time"),
        ("min_gain: much", "job.yaml:7: min_gain: min_gain is 'much'; expected a number, 0 or"),
        ("min_trials: 0", "job.yaml:7: min_trials is 0; expected a whole number"),
        ("fractions: [1/2]", "job.yaml:7: fractions: fractions [0.5] must include 1"),
        ("fractions: [x, 1]", "job.yaml:7: fractions: fraction 'x'; expected a number such as"),
        ("where: vmm == 1", "job.yaml:7: where: 'vmm == 1' has an unknown parameter 'vmm'; did"),
        ("where: [vms > 0, vms > 9]", "job.yaml:7: where: where refuses all"),
        ("where: [vms > 0, vms >]", "job.yaml:7: where[1]: 'vms >' is not an expression"),
        (
            "where: [vms > 0, vm > 1]",
            "job.yaml:7: where[1]: 'vm > 1' has no value for the config rate=1, vm=t2.",
        ),
        ("where: 1 / (vms - 4) < 9", "job.yaml:7: where: '1 / (vms - 4) < 9' has no value for"),
        ("price: 1 / abs(vms - 4)", "job.yaml:7: price: '1 / abs(vms - 4)' has no value for"),
        (f"name: {'x' * 101}", "job.yaml:7: name has 101 characters; expected a name of at most"),
        ("strategy: {name: cherrypick, initial: lots}", "job.yaml:7: strategy: initial is 'lots'"),
        ("price: 0.1 * vmms", "job.yaml:7: price: '0.1 * vmms' has an unknown parameter 'vmms'"),
        ("price: 0 - vms", "job.yaml:7: price: '0 - vms' gives no price for the config"),
        ("n_trials: 20", "job.yaml:7: n_trials: unknown field; write 'trials'"),
        ("direction: maximize", "job.yaml:7: direction: unknown field; write 'maximize' or"),
        ("price: [1]", "job.yaml:7: price is [1]; expected USD per hour as a number"),
        (
            "price: {vm: x, cuont: 2}",
            "job.yaml:7: price.cuont: unknown field; did you mean 'count'",
        ),
        ("price: {count: 2}", "job.yaml:7: price.vm is missing; expected a VM type"),
        ('price: {vm: "{wm}"}', "job.yaml:7: price: vm names an unknown parameter 'wm'; did you"),
        ("price: {vm: t2.smal}", "job.yaml:7: price: unknown VM type 't2.smal'; did you mean"),
        (
            "price: {vm: t2.small, catalogue: nowhere.csv}",
            "job.yaml:7: price: the catalogue",
        ),
        ("billing: {tik: 1}", "job.yaml:7: billing.tik: unknown field; did you mean 'tick'?"),
        ("billing: {tick: -1}", "job.yaml:7: billing: tick is -1.0: expected 0 or more seconds"),
        ("metrics: {recall: shore}", "job.yaml:7: metrics: metric 'recall' is declared as 'shore'"),
        ("env: [A]", "job.yaml:7: env is ['A']; expected environment variables"),
        ("target: .nan", "job.yaml:7: target is nan; expected a value of the objective: a finite"),
        ("target: .inf", "job.yaml:7: target is inf; expected a value of the objective: a finite"),
        ("shell: maybe", "job.yaml:7: shell is 'maybe'; expected true or false"),
        ("name: 3", "job.yaml:7: name is 3; expected a name for the study"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_field(change: str, expected: str) -> None:
    text = SOUND.replace("  rate: {real: [1e-5, 1e-1], log: on}\n", "  rate: [1, 2]\n")
    found = mistakes(text + change + "\n")
    assert len(found) == 1
    assert found[0].startswith(expected)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{real: [0, 1], hihg: 2}", "space.p.hihg: unknown field; did you mean 'high'?"),
        ("{real: [0]}", "space.p.real is [0]; expected two numbers, such as [1e-5, 1e-1]"),
        ("{real: [0, one]}", "space.p.real[1] is 'one'; expected two numbers"),
        ("{integer: [1, 2.5]}", "space.p.integer[1] is 2.5; expected two whole numbers"),
        ("{real: [1, 0]}", "space.p: 'p' has low = 1.0 above high = 0.0: expected low <= high"),
        ("{real: [0, 1], log: true}", "space.p: 'p' has log=True and low = 0.0"),
        ("{choice: [a], log: true}", "space.p: only an integer or a real has a log scale"),
        ("{choice: [a, a]}", "space.p: 'p' lists 'a' twice"),
        ("{real: [0, 1], prior: 2}", "space.p: the prior p = 2 is not valid: expected a number"),
        ("{choice: [a], confidence: sure}", "space.p.confidence is 'sure'; expected low, medium"),
        ("{choice: [a], real: [0, 1]}", "space.p: expected exactly one of choice, ordinal"),
        ("{log: true}", "space.p: expected exactly one of choice, ordinal"),
        ("{real: [0, 1], low: 0}", "space.p: low goes with kind, not with real"),
        ("{kind: real, low: 0}", "space.p: kind real expects low and high"),
        ("{kind: reel, low: 0}", "space.p.kind is 'reel'; expected choice, ordinal, integer"),
        ("3", "space.p is 3; expected parameters by name, each a list of values"),
        ("[]", "space.p: 'p' has no values"),
        ("[[1], 2]", "space.p[0] is [1]; expected parameters by name, each a list of values"),
        ("[3, 1, 2]", "space.p: Ordinal 'p' has 2 after 1"),
        ("{cluster: {count: [1]}}", "space.p.cluster.count: unknown field; did you mean 'counts'"),
        ("{cluster: {types: [t9]}}", "space.p: unknown VM type 't9'"),
    ],
)
def test_a_mistake_in_a_parameter_is_named(said: str, expected: str) -> None:
    found = mistakes(f"command: echo\nspace:\n  p: {said}\nmaximize: accuracy\n")
    assert len(found) == 1
    assert found[0].startswith(f"job.yaml:3: {expected}")


def test_all_mistakes_are_named_at_once_and_in_order() -> None:
    text = "space:\n  a: {real: [1, 0]}\n  b: {choice: []}\nmaximize: accurcy\nbudget: x\n"
    found = mistakes(text)
    assert [line.split(": ")[0] for line in found] == [f"job.yaml:{n}" for n in (2, 3, 4, 5)]


def test_all_mistakes_of_form_are_named_at_once() -> None:
    found = mistakes("spase: {}\nmaximize: accuracy\ntrials: x\nseed: -1\n")
    assert len(found) == 4
    assert "job.yaml:1: space is missing" in found[0] + found[1]


def test_mistakes_of_form_do_not_hide_the_others() -> None:
    text = SOUND.replace("{rate}", "{rte}") + "tiral: 3\nsed: 1\nparalel: 2\n"
    text += "subject_to: time <= 5 parsecs\n"
    with pytest.raises(JobFileError) as caught:
        parse(text, Path("job.yaml"), also=[check])
    found = str(caught.value).splitlines()
    assert [line.split(": ")[0] for line in found] == [f"job.yaml:{n}" for n in (1, 7, 8, 9, 10)]


@pytest.mark.parametrize("said", ["{real: [0]}", "{real: [1, 0]}", "3"])
def test_a_wrong_parameter_is_not_called_unknown_elsewhere(said: str) -> None:
    text = SOUND.replace("{real: [1e-5, 1e-1], log: on}", said)
    text += "where: rate < 0.1\nprice: rate\nmaximise: accuracy\n"
    with pytest.raises(JobFileError) as caught:
        parse(text, Path("job.yaml"), also=[check])
    lines = [line.split(": ")[0] for line in str(caught.value).splitlines()]
    assert lines == ["job.yaml:3", "job.yaml:9"]


def test_a_wrong_objective_or_command_is_not_called_missing() -> None:
    text = SOUND.replace("maximize: accuracy", "maximize: 3").replace("python train.py {rate}", "3")
    with pytest.raises(JobFileError) as caught:
        parse(text, Path("job.yaml"), also=[check])
    assert len(str(caught.value).splitlines()) == 2


def test_a_condition_that_no_config_of_a_continuum_keeps_is_refused() -> None:
    assert mistakes(SOUND + "where: rate > 300\n") == [
        "job.yaml:7: where: 'rate > 300' holds for no config: rate is 1e-5 to 0.1, log scale"
    ]


def test_a_condition_may_guard_the_next() -> None:
    file = read(SOUND + "where: [vms != 4, 1 / (vms - 4) < 9]\nprice: 1 + 1 / abs(vms - 4)\n")
    assert {"rate": 0.01, "vm": "t2.small", "vms": 4} not in file.problem.space


def test_a_price_may_be_an_amount_by_the_hour() -> None:
    for written in ("0.36 USD/h", "$0.36 per hour", "0.36 USD"):
        price = read(SOUND + f"price: {written}\n").problem.hourly
        assert price({"rate": 0.01, "vm": "t2.small", "vms": 4}) == pytest.approx(0.36)
    assert "unknown parameter 'vmms'" in mistakes(SOUND + "price: 0.1 / vmms\n")[0]


def test_a_price_beside_that_of_a_cluster_is_refused() -> None:
    text = SOUND.replace("[t2.small, t2.medium]", "{cluster: {types: [t2.small]}}")
    assert mistakes(text + "price: 0.1\n") == [
        "job.yaml:7: price: the cluster 'vm' has prices of its own, which this would replace; leave"
        " out price, or name a catalogue in the cluster"
    ]


@pytest.mark.parametrize("text", ["[1, 2]", "just text", "3"])
def test_a_file_without_fields_is_refused(text: str) -> None:
    assert mistakes(text) == ["job.yaml:1: expected fields with values, such as name: digits"]


def test_a_file_without_an_objective_is_refused() -> None:
    assert "maximize or minimize is missing" in mistakes("space: {p: [1, 2]}\n")[0]


def test_every_field_says_what_it_expects() -> None:
    for fields in NESTED.values():
        assert all(field.description for field in fields.model_fields.values()), fields


def test_a_price_may_be_a_number_an_expression_or_a_vm() -> None:
    config = {"rate": 0.1, "vm": "t2.medium", "vms": 4}
    for said, usd in {
        "0.5": 0.5,
        "0.1 * vms": 0.4,
        '{vm: "{vm}", count: vms, helpers: [t2.2xlarge]}': 4 * 0.0464 + 0.3712,
    }.items():
        price = read(SOUND + f"price: {said}\n").problem.price
        assert price is not None
        assert price(config) == pytest.approx(usd)


def test_a_catalogue_is_found_beside_the_job_file(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("name,price\nbox-1,0.5\nbox-2,0.75\n")
    text = SOUND.replace("[1, 2, 4, 8]", "[1, 2]")
    text += 'price: {vm: "box-{vms}", catalogue: prices.csv}\n'
    price = read(text, tmp_path).problem.price
    assert price is not None
    assert price({"rate": 0.1, "vm": "t2.small", "vms": 2}) == 0.75


def test_conditions_restrict_the_space() -> None:
    file = read(SOUND + "where:\n  - vm != 't2.small' or vms >= 4\n  - rate < 0.05 or vms == 8\n")
    assert {"rate": 0.01, "vm": "t2.small", "vms": 4} in file.problem.space
    assert {"rate": 0.01, "vm": "t2.small", "vms": 2} not in file.problem.space
    assert {"rate": 0.09, "vm": "t2.small", "vms": 4} not in file.problem.space


def test_changes_replace_fields() -> None:
    file = parse(SOUND, Path("job.yaml"), {"budget": "3 USD", "strategy": "random", "name": "n"})
    assert (file.problem.budget, file.strategy.name, file.name) == (3.0, "random", "n")


def test_a_command_is_checked_against_the_space(tmp_path: Path) -> None:
    with pytest.raises(JobFileError, match=r"job.yaml:1: command: .*{rte}.*did you mean 'rate'"):
        workload(read(SOUND.replace("{rate}", "{rte}"), tmp_path))
    work = workload(read(SOUND, tmp_path))
    assert isinstance(work, Command)
    assert work.cwd == tmp_path


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("cwd: nowhere", "job.yaml:7: cwd: there is no folder"),
        ("memory: lots", "job.yaml:7: memory: memory is 'lots'; expected an amount such as"),
        ("memory: 0", "job.yaml:7: memory: memory is 0"),
        ("python: a:b", "job.yaml:7: python is given beside command; expected one of them"),
    ],
)
def test_what_cannot_be_run_is_named(tmp_path: Path, change: str, expected: str) -> None:
    path = tmp_path / "job.yaml"
    with pytest.raises(JobFileError) as caught:
        workload(parse(SOUND + change + "\n", path))
    assert str(caught.value).startswith(expected.replace("job.yaml", str(path)))


def test_a_file_without_anything_to_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JobFileError, match="command or python is missing"):
        workload(read(SOUND.replace("command: python train.py {rate}\n", ""), tmp_path))


@pytest.mark.parametrize(
    ("said", "expected"),
    [("2 GB", 2 * 2**30), ("512MiB", 2**29), ("1.5g", 1.5 * 2**30), (4096, 4096)],
)
def test_memory_may_have_a_unit(tmp_path: Path, said: object, expected: float) -> None:
    file = read(SOUND + f"memory: {said}\n", tmp_path)
    with executor(file, 1, workload(file)) as pool:
        assert isinstance(pool, ProcessExecutor) and pool._memory == expected


def test_a_job_file_chooses_its_executor(tmp_path: Path) -> None:
    file = read(SOUND + "executor: process\n", tmp_path)
    with executor(file, 2, workload(file)) as pool:
        assert isinstance(pool, ProcessExecutor) and pool.workers == 2
    with pytest.raises(JobFileError, match="executor: unknown executor 'proces'.*process"):
        workload(read(SOUND + "executor: proces\n", tmp_path))
    with pytest.raises(JobFileError, match="memory: a limit on memory needs the executor process"):
        workload(read(SOUND + "executor: replay\nmemory: 2 GB\n", tmp_path))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{name: ray, resources: {CPU: -1}}", "the resource 'CPU' is -1; expected a number, 0 or"),
        ("{name: ray, resources: CPU}", "the resources are 'CPU'; expected amounts by name"),
        ("{name: ray, resources: {CPU: threads}}", "is 'threads'; expected a number, .* parameter"),
        ("{name: ray, patience: -1}", "patience is -1; expected seconds, 0 or above"),
        ("{name: ray, address: 5}", "address is 5; expected such as 'auto'"),
        ("{name: process, grace: abc}", "grace is 'abc'; expected seconds, 0 or above"),
        ("{name: sky, sky: 5}", "the command of SkyPilot is 5; expected it as a text"),
        ("{name: sky, teardown: abc}", "teardown is 'abc'; expected seconds"),
    ],
)
def test_options_of_an_executor_are_checked_before_anything_runs(
    tmp_path: Path, said: str, expected: str
) -> None:
    file = read(SOUND + PRICED + f"executor: {said}\n", tmp_path)
    work = workload(file)
    with pytest.raises(ExecutionError, match=expected):
        executor(file, 1, work)


def test_an_executor_says_what_this_machine_lacks(tmp_path: Path) -> None:
    said = f"executor: {{name: sky, sky: {tmp_path / 'nowhere'}}}\n"
    file = read(SOUND + PRICED + said, tmp_path)
    with executor(file, 1, workload(file)) as pool:
        assert "nowhere' was not found: SkyPilot needs an environment" in str(pool.missing())


def test_a_job_file_that_is_not_there_is_said_with_the_nearest_that_is(tmp_path: Path) -> None:
    with pytest.raises(JobFileError, match=r"no job file .*jobb.yaml; `tunewise init` writes one"):
        load(tmp_path / "jobb.yaml")
    for name in (".hidden.yaml", "a.yaml", "job.yaml"):
        (tmp_path / name).write_text(SOUND)
    with pytest.raises(JobFileError) as caught:
        load(tmp_path / "jobb.yaml")
    assert str(caught.value).endswith("; did you mean 'job.yaml'? Valid: a.yaml, job.yaml")


@pytest.mark.parametrize(("name", "meant"), [("A=B", "A"), ("=B", "SEED"), ("", "SEED")])
def test_a_name_that_no_variable_can_have_is_refused(tmp_path: Path, name: str, meant: str) -> None:
    expected = f"env: {name!r} names a variable; expected it without =, as {meant!r}"
    with pytest.raises(JobFileError, match=expected):
        workload(read(SOUND + f'env: {{"{name}": 1}}\n', tmp_path))


CONDITIONAL = """\
command: python train.py {optimizer} {momentum}
space:
  optimizer: [adam, sgd, nesterov]
  momentum: {real: [0, 0.99], when: {optimizer: [sgd, nesterov]}}
  damped: {choice: [true, false], when: {optimizer: sgd}}
maximize: accuracy
"""


def test_a_parameter_may_apply_only_beside_some_values_of_another() -> None:
    file = read(CONDITIONAL + "where: momentum < 0.5\n")
    momentum = Real("momentum", 0, 0.99, when={"optimizer": ["sgd", "nesterov"]})
    assert file.problem.space.parameters[1] == momentum
    assert file.problem.space.allows({"optimizer": "adam"})
    assert not file.problem.space.allows({"optimizer": "nesterov", "momentum": 0.7})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("  x: {real: [0, 1], when: {optimiser: sgd}}", "did you mean 'optimizer'?"),
        ("  x: {real: [0, 1], when: {optimizer: sdg}}", "did you mean 'sgd'?"),
        ("  x: {real: [0, 1], when: sgd}", "expected values of other parameters, such as"),
    ],
)
def test_a_condition_that_cannot_be_meant_is_a_mistake_of_the_space(line: str, said: str) -> None:
    found = mistakes(CONDITIONAL.replace("maximize", f"{line}\nmaximize"))
    assert len(found) == 1
    assert said in found[0]


def test_a_price_that_needs_a_parameter_that_does_not_apply_is_a_mistake() -> None:
    (found,) = mistakes(CONDITIONAL + "price: 0.1 * momentum\n")
    assert "'0.1 * momentum' needs 'momentum', which does not apply" in found


def test_a_file_is_called_as_it_was_given_and_its_paths_start_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "job.yaml").write_text(SOUND, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    file = load(Path("job.yaml"))
    assert (file.path, file.shown, file.folder) == (tmp_path / "job.yaml", "job.yaml", tmp_path)
    assert file.text == SOUND
    assert file.within("data/x.csv") == tmp_path / "data/x.csv"
    assert file.within("/else/x.csv") == Path("/else/x.csv")


def test_a_name_may_have_a_hundred_characters() -> None:
    assert read(SOUND + f"name: {'x' * 100}\n").name == "x" * 100
    long = Path(f"{'y' * 101}.yaml")
    with pytest.raises(JobFileError, match="name has 101 characters"):
        parse(SOUND, long)


def test_what_cannot_be_read_is_told_with_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(JobFileError, match="is a folder; expected a job file, such as .*job.yaml"):
        load(tmp_path)
    (tmp_path / "image.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(JobFileError, match="image.yaml is not a text file; expected YAML"):
        load(tmp_path / "image.yaml")
    (tmp_path / "plain").write_text("")
    with pytest.raises(JobFileError, match="job.yaml cannot be read: Not a directory"):
        load(tmp_path / "plain" / "job.yaml")
    with pytest.raises(JobFileError, match="there is no job file .*; `tunewise init` writes one"):
        load(tmp_path / "nowhere" / "job.yaml")


def test_text_beyond_ascii_is_read_whatever_the_locale(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_bytes((SOUND + "name: größer\n").encode())
    assert load(tmp_path / "job.yaml").name == "größer"


def test_a_strategy_is_built_with_the_seed_of_the_file() -> None:
    assert read(SOUND + "seed: 7\nstrategy: random\n").fields.seed == 7
    assert read(SOUND).fields.seed is None


def test_only_so_many_mistakes_are_shown_and_the_others_counted() -> None:
    def wrong(count: int) -> list[str]:
        space = "".join(f"  p{i}: {{real: [1, 0]}}\n" for i in range(count))
        return mistakes(f"command: echo\nspace:\n{space}maximize: accuracy\n")

    assert len(wrong(50)) == 50
    assert wrong(51)[50:] == ["and 1 more mistake"]
    assert wrong(1300)[50:] == ["and 1,250 more mistakes"]


def test_of_long_mistakes_fewer_are_shown_so_that_the_count_is_not_cut_off() -> None:
    found = mistakes(SOUND + "".join(f"field_{i}: 1\n" for i in range(60)))
    *shown, last = found
    assert all("unknown field" in line for line in shown) and 30 < len(shown) < 40
    assert last == f"and {60 - len(shown)} more mistakes"
    assert sum(map(len, shown)) <= 7000


def test_a_mistake_inside_of_several_forms_is_named_at_its_innermost_place() -> None:
    (found,) = mistakes(SOUND + "subject_to:\n  - cost <= 1\n  - [time, [1], 3]\n")
    assert found.startswith("job.yaml:9: subject_to[1][1] is [1]; expected a list of limits")


def test_a_long_value_is_cut_in_its_message() -> None:
    (found,) = mistakes(SOUND + f"seed: {'x' * 70}\n")
    assert found == f"job.yaml:7: seed is '{'x' * 56}...; expected a whole number, 0 or above"
    (empty,) = mistakes(SOUND + "retries:\n")
    assert empty == "job.yaml:7: retries is empty; expected a whole number, 0 or above"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{kind: integer, low: 1, high: 4, values: [1]}", "kind integer expects low and high"),
        ("{kind: choice, low: 1, high: 4}", "kind choice expects values"),
        ("{choice: [a], values: [b]}", "values goes with kind, not with choice"),
        ("{kind: real, real: [0, 1]}", "expected exactly one of choice"),
        ("{ordinal: [1, 2], log: on}", "only an integer or a real has a log scale"),
        ("{kind: integer, low: 1.5, high: 4}", "space.p: "),
    ],
)
def test_the_two_forms_of_a_parameter_are_not_mixed(said: str, expected: str) -> None:
    (found,) = mistakes(f"command: echo\nspace:\n  p: {said}\nmaximize: accuracy\n")
    assert expected in found


def test_a_cluster_may_be_bounded_in_memory_and_price() -> None:
    said = "{cluster: {types: [t2.small, t2.medium], counts: [1, 2], min_memory: 4"
    roomy = read(f"command: echo\nspace: {{p: {said}}}}}}}\nmaximize: accuracy\n").problem.space
    # Two of 2 GiB, or one or two of 4 GiB.
    assert [c["p"] for c in roomy.configs] == ["t2.small:2", "t2.medium:1", "t2.medium:2"]
    cheap = said + ", max_price: 0.05"
    found = read(f"command: echo\nspace: {{p: {cheap}}}}}}}\nmaximize: accuracy\n").problem.space
    assert [c["p"] for c in found.configs] == ["t2.small:2", "t2.medium:1"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [("[1/4, 1]", (0.25, 1.0)), ("['0.5', 1]", (0.5, 1.0)), ("[1/60, 0.1, 1]", (1 / 60, 0.1, 1))],
)
def test_fractions_may_be_written_as_such(said: str, expected: tuple[float, ...]) -> None:
    assert read(SOUND + f"fractions: {said}\n").problem.fractions == pytest.approx(expected)


def test_billing_is_read_with_its_units() -> None:
    billing = read(SOUND + "billing: {tick: 1 min, minimum: 2 min}\n").problem.billing
    assert (billing.tick, billing.minimum) == (60.0, 120.0)


def test_objectives_may_be_two_lists() -> None:
    text = SOUND.replace("maximize: accuracy", "maximize: [accuracy]\nminimize: [cost]")
    assert read(text).problem.aim == "maximise accuracy and minimise cost"
    (found,) = mistakes(text.replace("[cost]", "[accuracy]"))
    assert "'accuracy' is given twice" in found


def test_expressions_are_tried_on_all_configs_or_on_the_ends_and_many_between() -> None:
    small = Space(Ordinal("a", [1, 2, 3]), Choice("b", ["x", "y"]))
    assert sample(small) == small.configs
    wide = Space(Real("a", 0.0, 1.0), Real("b", -1.0, 1.0))
    tried = sample(wide)
    assert tried[:2] == [{"a": 0.0, "b": -1.0}, {"a": 1.0, "b": 1.0}]
    assert len(tried) == 5002
    large = Space(Ordinal("a", list(range(100))), Ordinal("b", list(range(51))))
    assert len(sample(large)) == 5002
    exact = Space(Ordinal("a", list(range(100))), Ordinal("b", list(range(50))))
    assert len(sample(exact)) == 5000


def test_a_price_is_not_asked_for_configs_that_conditions_refuse() -> None:
    file = read(SOUND + "where: vms != 4\nprice: 1 / abs(vms - 4)\n")
    assert file.problem.price is not None
    (found,) = mistakes(SOUND + "where: vms != 8\nprice: 1 / abs(vms - 4)\n")
    assert "has no value for the config" in found


def test_a_job_that_measures_only_time_may_stay_silent(tmp_path: Path) -> None:
    def silent(objective: str) -> bool:
        text = SOUND.replace("maximize: accuracy", objective)
        work = workload(read(text, tmp_path))
        assert isinstance(work, Command)
        return work.silent

    assert silent("minimize: time") and silent("minimize: cost")
    assert not silent("maximize: accuracy")
    assert not silent("minimize: time\nmetrics: [f1]\nsubject_to: f1 >= 0.5")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("preload: yes", "preload: only a python function can be loaded before its trials"),
        ("executor: {workers: 2}", "executor: the executor has no name; expected such as {name"),
        (
            "executor: {name: process, grase: 1}",
            "executor: the executor 'process' has no option 'grase'; did you mean 'grace'",
        ),
        ("executor: {name: 3}", "executor: the executor has no name"),
        ("memory: 1.2.3 GB", "memory: memory is '1.2.3 GB'; expected an amount"),
        ("memory: . GB", "memory: memory is '. GB'; expected an amount"),
        ("memory: 2 PB", "memory: memory is '2 PB'; expected an amount"),
    ],
)
def test_how_it_runs_is_checked_too(tmp_path: Path, change: str, expected: str) -> None:
    with pytest.raises(JobFileError) as caught:
        workload(read(SOUND + change + "\n", tmp_path))
    assert f":7: {expected}" in str(caught.value)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("1k", 1024), ("3 MB", 3 * 2**20), ("1 TiB", 2**40), ("0.5 kb", 512), ("7", 7), ("'7 b'", 7)],
)
def test_a_unit_of_memory_may_be_short_or_long(tmp_path: Path, said: str, expected: int) -> None:
    file = read(SOUND + f"memory: {said}\n", tmp_path)
    with executor(file, 1, workload(file)) as pool:
        assert isinstance(pool, ProcessExecutor) and pool._memory == expected


def test_mistakes_of_the_command_are_said_beside_those_of_the_conditions(tmp_path: Path) -> None:
    text = SOUND.replace("{rate}", "{raet}") + "where: rate > 300\n"
    with pytest.raises(JobFileError) as caught:
        parse(text, tmp_path / "job.yaml", {}, (check, check_here))
    said = str(caught.value)
    assert "unknown field {raet}; did you mean 'rate'" in said
    assert "the script 'train.py' was not found" in said
    assert "holds for no config" in said
    parse(SOUND, tmp_path / "job.yaml", {}, (check, check_here))  # alone it may be elsewhere
