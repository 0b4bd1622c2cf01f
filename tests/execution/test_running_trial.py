"""The trial that a job is given can report while it runs."""

import sys
import time
from pathlib import Path

import pytest

from tunewise.benchmark.replay import ReplayExecutor
from tunewise.errors import MeasurementError
from tunewise.execution import Command, ProcessExecutor
from tunewise.execution.running_trial import RunningTrial
from tunewise.history import Failure, Measurement, Trial
from tunewise.study.executor import Report, Request


def job(trial: RunningTrial) -> dict[str, float]:
    trial.report(accuracy=0.5, fraction=0.1)
    trial.report({"accuracy": 0.6, "time": 1.0}, fraction=0.5)
    trial.report(cost=0.25)
    return {"accuracy": 0.7}


@pytest.mark.parametrize("make", [ProcessExecutor, ReplayExecutor])
def test_reports_are_heard_in_order_and_before_the_outcome(
    make: type[ProcessExecutor] | type[ReplayExecutor],
) -> None:
    heard: list[Report] = []
    with make() as executor:
        future = executor.start(Request(job, Trial(0, {"x": 1}), report=heard.append))
        assert isinstance(future.result(), Measurement)
    assert heard == [
        Report({"accuracy": 0.5}, 0.1),
        Report({"accuracy": 0.6, "time": 1.0}, 0.5),
        Report({"cost": 0.25}),
    ]


def test_a_report_is_heard_while_the_trial_runs() -> None:
    def slow(trial: RunningTrial) -> None:
        trial.report(accuracy=0.5, fraction=0.1)
        time.sleep(1000)

    heard: list[Report] = []
    with ProcessExecutor(grace=0.1) as executor:
        future = executor.start(Request(slow, Trial(0, {}), report=heard.append))
        end = time.monotonic() + 30
        while not heard and time.monotonic() < end:
            time.sleep(0.01)
        assert heard and not future.done()
        executor.stop(future, Failure("enough"))


def test_lines_of_a_command_with_a_fraction_are_reports(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        "import json\n"
        "print(json.dumps({'fraction': 0.1, 'accuracy': 0.5}))\n"
        "print(json.dumps({'cost': 0.25}))\n"
        "print(json.dumps({'fraction': 0.2, 'accuracy': float('nan')}))\n"
        'print(\'{"fraction": "much"}\')\n'
        "print(json.dumps({'fraction': 0.5, 'accuracy': 0.6}))\n"
        "print(json.dumps({'fraction': 0.5, 'accuracy': 0.65}))\n"
    )
    heard: list[Report] = []
    command = Command([sys.executable, str(script)])
    with ProcessExecutor() as executor:
        executor.start(Request(command, Trial(0, {}, 0.5), report=heard.append)).result()
    assert heard == [Report({"accuracy": 0.5}, 0.1), Report({"cost": 0.25})]


def test_a_running_trial_equals_the_trial() -> None:
    trial = Trial(3, {"x": 1}, 0.5, (0.1,))
    assert RunningTrial.of(trial) == trial and trial == RunningTrial.of(trial)
    assert RunningTrial.of(trial) != Trial(4, {"x": 1}, 0.5, (0.1,))


@pytest.mark.parametrize("fraction", [0.0, -1.0, 1.5, True, "half"])
def test_a_report_at_no_fraction_is_refused(fraction: object) -> None:
    with pytest.raises(MeasurementError, match="reported at fraction"):
        RunningTrial.of(Trial(0, {})).report(accuracy=0.5, fraction=fraction)  # type: ignore[arg-type] # on purpose


@pytest.mark.parametrize("name", ["cost", "time"])
def test_a_report_of_less_than_nothing_spent_is_refused(name: str) -> None:
    with pytest.raises(MeasurementError, match=f"reported {name} -1; expected what was spent"):
        RunningTrial.of(Trial(0, {})).report({name: -1}, fraction=0.01, accuracy=0.5)


def test_a_report_beyond_the_trial_is_refused() -> None:
    with pytest.raises(MeasurementError, match=r"runs at fraction 0.1 and cannot"):
        RunningTrial.of(Trial(0, {}, 0.1)).report(accuracy=0.5, fraction=0.5)
