"""Outcomes on the disk and between processes."""

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.execution import ProcessExecutor, messages, result
from tunewise.history import (
    Cancelled,
    Failure,
    Flaky,
    Measurement,
    Outcome,
    Preempted,
    TimedOut,
    Trial,
    Unaffordable,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(max_size=8)
metrics = st.dictionaries(names, finite, max_size=4)
fractions = st.floats(0, 1, exclude_min=True, exclude_max=True)
measurements = st.builds(
    Measurement,
    st.dictionaries(names, finite, min_size=1, max_size=4),
    st.dictionaries(fractions, metrics, max_size=4),
    st.dictionaries(names, finite.map(abs), max_size=3),
)
failures = st.sampled_from([Failure, Flaky, Preempted, Unaffordable, Cancelled, TimedOut]).flatmap(
    lambda kind: st.builds(kind, st.text(max_size=30), metrics)
)
outcomes: st.SearchStrategy[Outcome] = st.one_of(measurements, failures)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=5,
)
configs = st.dictionaries(st.text(max_size=8), values, max_size=4)


@given(outcomes)
def test_an_outcome_survives_the_way_between_processes(outcome: Outcome) -> None:
    back = messages.read(messages.ended(outcome))
    assert back == outcome
    assert type(back) is type(outcome)


@settings(deadline=None)
@given(outcomes, configs, fractions)
def test_an_outcome_survives_on_the_disk_for_its_trial_alone(
    tmp_path_factory: pytest.TempPathFactory, outcome: Outcome, config: Any, fraction: float
) -> None:
    folder = tmp_path_factory.mktemp("trial")
    trial = Trial(3, config, fraction)
    result.save(folder, result.identity(trial), outcome)
    assert result.recover(folder, trial) == outcome
    assert result.recover(folder, Trial(4, config, fraction)) is None
    assert result.recover(folder, Trial(3, {**config, "more": 1}, fraction)) is None
    assert [file.name for file in folder.iterdir()] == ["result.json"]


@given(outcomes, st.data())
def test_a_part_of_an_outcome_is_none(outcome: Outcome, data: st.DataObject) -> None:
    whole = messages.ended(outcome).strip()
    part = whole[: data.draw(st.integers(0, len(whole) - 1))]
    assert messages.read(part) is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "null",
        "[1]",
        '{"tunewise": 2}',
        '{"tunewise": 1, "trial": {"number": 0, "config": {}, "fraction": 1.0, "lost": {}}}',
        '{"tunewise": 1, "trial": {"number": 0, "config": {}, "fraction": 1.0, "lost": {}},'
        ' "outcome": {"kind": "surprise"}}',
        '{"tunewise": 1, "trial": {"number": 0, "config": {}, "fraction": 1.0, "lost": {}},'
        ' "outcome": {"kind": "failure", "reason": "x", "metrics": {"time": NaN}}}',
        "\udcff",
    ],
)
def test_what_is_no_result_is_not_recovered(tmp_path: Path, content: str) -> None:
    (tmp_path / "result.json").write_text(content, encoding="utf-8", errors="surrogateescape")
    assert result.recover(tmp_path, Trial(0, {})) is None


def test_where_there_is_nothing_nothing_is_recovered(tmp_path: Path) -> None:
    assert result.recover(tmp_path / "nowhere", Trial(0, {})) is None


def test_numbers_of_numpy_and_of_python_name_the_same_config(tmp_path: Path) -> None:
    asked = Trial(0, {"layers": np.int64(2), "rate": np.float64(0.1), "size": (1, 2)})
    result.save(tmp_path, result.identity(asked), Failure("no", {"time": 1.0}))
    loaded = Trial(0, {"layers": 2, "rate": 0.1, "size": [1, 2]})
    assert result.recover(tmp_path, loaded) == Failure("no", {"time": 1.0})


def test_the_file_is_what_its_documentation_says(tmp_path: Path) -> None:
    outcome = Measurement({"accuracy": 0.9, "time": 12.5}, {0.1: {"accuracy": 0.6}})
    result.save(tmp_path, result.identity(Trial(7, {"layers": 2})), outcome)
    documented = (result.__doc__ or "").partition("```json")[2].partition("```")[0]
    assert json.loads((tmp_path / "result.json").read_text()) == json.loads(documented)


def test_a_new_attempt_forgets_the_result_of_the_last(tmp_path: Path) -> None:
    """Else a study killed during the second run would recover what the first one measured."""
    trial = Trial(0, {"x": 1})
    result.save(tmp_path, result.identity(trial), Measurement({"a": 1.0}))

    def look(_: Trial) -> dict[str, float]:
        return {"kept": float((tmp_path / "result.json").exists())}

    with ProcessExecutor() as executor:
        assert executor.submit(look, trial, folder=tmp_path).result().metrics["kept"] == 0.0


def test_the_outcome_of_a_stopped_trial_is_what_is_kept(tmp_path: Path) -> None:
    trial = Trial(0, {"x": 1})
    with ProcessExecutor(grace=5) as executor:
        future = executor.submit(_slow, trial, folder=tmp_path, limit=0.1)
        told = future.result()
    assert told.metrics["time"] >= 0.1
    assert math.isfinite(told.metrics["time"])
    assert result.recover(tmp_path, trial) == told


def _slow(_: Trial) -> dict[str, float]:
    time.sleep(100)
    return {"a": 1.0}
