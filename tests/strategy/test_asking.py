"""What one ask takes on a measured table, in calls; benchmarks/ask_speed.py has its seconds."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

import tunewise as tw
from tests.tables import table_path
from tests.work import calls

COLUMNS = ["vm", "vms", "learning_rate", "batch_size", "mode"]
MOST = 30_000
"""Calls of our functions; about 10,000 are made."""


def problems() -> dict[str, tuple[tw.Table, tw.Problem]]:
    full = tw.Table(table_path("lynceus/cnn.csv"), COLUMNS, None, ["time", "cost"])
    sliced = tw.Table(
        table_path("trimtuner/cnn.csv"), COLUMNS, "fraction", ["accuracy", "time", "cost"]
    )

    def best(fractions: Sequence[float]) -> tw.Problem:
        return tw.Problem(
            sliced.space, maximize="accuracy", subject_to="cost <= 0.10", fractions=fractions
        )

    return {
        "lynceus": (full, tw.Problem(full.space, minimize="cost", subject_to=["time <= 230"])),
        "cherrypick": (sliced, best((1.0,))),
        "trimtuner": (sliced, best(sliced.fractions)),
    }


@pytest.mark.parametrize("name", ["lynceus", "cherrypick", "trimtuner"])
def test_an_ask_takes_about_as_much_work_after_forty_trials_as_after_twenty(name: str) -> None:
    table, problem = problems()[name]
    strategy, told = tw.strategy(name).build(problem, 0), list[tw.Trial]()
    strategy.suggest(tw.History(), 1)  # draws the prior once
    for number, row in enumerate(np.random.default_rng(0).permutation(len(table.configs))[:40]):
        trial = tw.Trial(number, table.configs[row])
        told.append(trial.told(table(trial)))
    few, many = (
        calls(partial(strategy.suggest, tw.History(told[:count]), 1)) for count in (20, 40)
    )
    assert many.total() < 3 * few.total()
    assert many.total() < MOST
