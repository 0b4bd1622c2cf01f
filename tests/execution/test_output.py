"""Results in what a command wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.errors import MeasurementError
from tunewise.execution.command.output import Transcript, measurement, read_file
from tunewise.history import Measurement

names = st.text(min_size=1, max_size=8).filter(lambda n: n not in ("fraction", "metrics"))
numbers = st.floats(allow_nan=False, allow_infinity=False)
metrics = st.dictionaries(names, numbers, min_size=1, max_size=3)


def written(*lines: str, fraction: float = 1.0) -> Measurement | None:
    return measurement(read_file("\n".join(lines)), fraction)


@given(metrics, st.text(max_size=30), st.integers(1, 7), st.booleans())
def test_the_last_object_is_found_however_the_output_arrives(
    told: dict[str, float], noise: str, size: int, ended: bool
) -> None:
    text = f"{noise}\n{json.dumps(told)}" + ("\n" if ended else "")
    transcript = Transcript()
    for i in range(0, len(text), size):
        transcript.add(text[i : i + size])
    transcript.close()
    assert measurement(transcript, 1.0) == Measurement(told)


def test_parts_are_read() -> None:
    found = written(
        '{"metrics": {"a": 1}, "snapshots": {"0.1": {"a": 0.5}}, "deviations": {"a": 0.1}}'
    )
    assert found == Measurement({"a": 1.0}, {0.1: {"a": 0.5}}, {"a": 0.1})


def test_a_file_may_hold_one_object_over_many_lines() -> None:
    assert written('{\n "a": 1\n}') == Measurement({"a": 1.0})


def test_a_file_may_hold_an_object_a_line() -> None:
    found = written('{"fraction": 0.1, "a": 1}', '{"a": 2}')
    assert found == Measurement({"a": 2.0}, {0.1: {"a": 1.0}})


def test_the_last_object_may_name_its_own_fraction() -> None:
    found = written('{"fraction": 0.1, "a": 1}', '{"fraction": 0.5, "a": 2}', fraction=0.5)
    assert found == Measurement({"a": 2.0}, {0.1: {"a": 1.0}})


def test_a_snapshot_in_parts_gives_its_metrics() -> None:
    found = written('{"fraction": 0.1, "metrics": {"a": 1}}', '{"a": 2}')
    assert found == Measurement({"a": 2.0}, {0.1: {"a": 1.0}})


@pytest.mark.parametrize("odd", ["null", '"a"', "[]"])
def test_a_snapshot_whose_fraction_is_no_number_is_ignored(odd: str) -> None:
    found = written(f'{{"fraction": {odd}, "a": 1}}', '{"fraction": 0.1, "a": 2}', '{"a": 3}')
    assert found == Measurement({"a": 3.0}, {0.1: {"a": 2.0}})
    assert found is not None and list(found.ignored) == ["fraction"]


def test_a_trial_that_ended_at_a_snapshot_has_no_result() -> None:
    with pytest.raises(MeasurementError, match=r"last result is at fraction 0.1; expected .* 1"):
        written('{"fraction": 0.1, "a": 1}')


def test_the_result_reported_twice_is_no_snapshot() -> None:
    found = written('{"fraction": 1.0, "a": 1}', '{"a": 2}')
    assert found == Measurement({"a": 2.0})


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"metrics": {"a": 1}, "snapshot": {}}', "unknown part 'snapshot'; did you mean 'snaps"),
        ('{"metrics": {"a": 1}, "snapshots": [1]}', "'snapshots' is .1.; expected a mapping"),
        ('{"metrics": {"a": 1}, "snapshots": {"x": {}}}', "fraction 'x'; expected a number"),
        ('{"fraction": "all", "a": 1}', "fraction 'all'; expected a number"),
        ('{"a": "good"}', "metric 'a' is 'good'; expected a number"),
        ('{"a": null}', "metric 'a' is None; expected a number"),
        ("{}", "needs at least one metric"),
        ('{"metrics": {"a": 1}, "snapshots": {"1.5": {"a": 1}}}', "snapshot at fraction 1.5"),
    ],
)
def test_what_is_no_measurement_is_refused_in_a_sentence(line: str, sentence: str) -> None:
    with pytest.raises(MeasurementError, match=sentence):
        written(line)


@pytest.mark.parametrize("text", ["", "42", "[1]", "{'a': 1}", "{broken}", "loss: {1}"])
def test_text_without_an_object_is_no_result(text: str) -> None:
    assert written(text) is None


def test_results_on_the_error_stream_do_not_count_but_are_shown() -> None:
    transcript = Transcript()
    transcript.add('{"a": 1}\n', "err")
    transcript.close()
    assert transcript.last is None
    assert transcript.tail == '{"a": 1}'


def test_the_tail_shows_the_last_lines_of_both_streams() -> None:
    transcript = Transcript()
    for i in range(9):
        transcript.add(f"out {i}\n")
    transcript.add("10%\r50%\r100%\n", "err")
    transcript.add("no line end", "out")
    transcript.close()
    assert transcript.tail.splitlines() == ["out 6", "out 7", "out 8", "100%", "no line end"]


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    transcript = Transcript()
    for _ in range(50):
        transcript.add("x" * 100_000)
    assert max(map(len, transcript._rest.values())) <= 1_000_000


def test_what_is_no_number_and_nobody_needs_is_set_aside() -> None:
    found = written(
        '{"fraction": 0.1, "accuracy": 0.5, "note": "half"}',
        '{"accuracy": 0.6, "note": "hi", "flag": true, "none": null}',
    )
    assert found == Measurement({"accuracy": 0.6}, {0.1: {"accuracy": 0.5}})
    assert found.ignored == {"note": "'hi'", "flag": "True", "none": "None"}
