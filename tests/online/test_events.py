"""What happens to a training is kept as JSON, and comes back as it was."""

import json
import math

import pytest

from tunewise.errors import StorageError
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.record.events import (
    Decided,
    Due,
    Event,
    Refused,
    Reported,
    Resumed,
    Saved,
    Switched,
    decoded,
    encoded,
)

EVENTS: list[Event] = [
    Reported(Iteration(0.5, 0.1, 32.0)),
    Reported(Iteration(0.5, 0.1, 32.0), earlier=True),
    Decided({"workers": 2}, 20, "it is faster", (12.0, 3.0), 11.5),
    Decided({"workers": 2}, 20),
    Switched(frozenset({"workers", "batch"}), 1.5, 0.25),
    Switched(frozenset(), 0.0),
    Refused("no node is left"),
    Saved(),
    Resumed(),
    Resumed(0.0),
    Resumed(1.0),
    Due(3600.0),
    Due(None),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda each: type(each).__name__)
def test_an_event_comes_back_from_json_as_it_was(event: Event) -> None:
    assert decoded(json.loads(json.dumps(encoded(event)))) == event


def test_a_loss_that_was_not_measured_is_kept_without_a_number() -> None:
    kept = encoded(Reported(Iteration(math.nan, 0.1, 32.0)))
    assert kept == {"reported": [None, 0.1, 32.0]}
    back = decoded(kept)
    assert isinstance(back, Reported) and math.isnan(back.iteration.loss)


@pytest.mark.parametrize("left", [(math.inf, 0.0), (1.0, math.nan)])
def test_what_is_left_is_kept_only_where_it_is_known(left: tuple[float, float]) -> None:
    back = decoded(encoded(Decided({"workers": 2}, 20, left=left)))
    assert isinstance(back, Decided) and back.left is None


@pytest.mark.parametrize(
    "damaged",
    [
        {"reported": [0.5]},
        {"reported": "abc"},
        {"decided": {"workers": 2}},
        {"decided": {"workers": 2}, "left": [1.0], "why": "", "iterations": 3},
        {"switched": 1.0},
        {"due": "soon"},
        {"resumed": "soon"},
        {"paused": True},
        {},
    ],
)
def test_a_damaged_event_is_named(damaged: dict[str, object]) -> None:
    with pytest.raises(StorageError, match="holds an event of a training that is none"):
        decoded(damaged)
