"""Tries cost a training no more than their share, however hostile its settings are."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import ExecutionError
from tunewise.online import Iteration, Switch, Tuner, follow
from tunewise.space import Config, Ordinal, Space

SPACE = Space(Ordinal("loader", [0, 1, 2, 3]), Ordinal("threads", [1, 2, 4]))
KEYS = [SPACE.key(each) for each in SPACE.configs]
SHARE = 0.05
MEASURED = 1.02
"""A belief of what was measured a few times is not what was measured, to the last percent."""


@dataclass
class Ledger:
    """What a training truly cost: each switch, and each stretch behind the best one before it."""

    speeds: dict[object, float]
    first: Config
    now: float = 0.0
    tries: float = 0.0
    largest: float = 0.0
    stretches: list[tuple[Config, int, float]] = field(default_factory=list)

    def begin(self, setting: Config, switch: float) -> None:
        self.stretches.append((setting, 0, switch))

    def iterate(self) -> float:
        setting, count, switch = self.stretches[-1]
        self.stretches[-1] = (setting, count + 1, switch)
        return self.speeds[SPACE.key(setting)]

    def cost(self) -> float:
        """Of all tries; what ran last was chosen."""
        best, cost = self.speeds[SPACE.key(self.first)], 0.0
        for setting, count, switch in self.stretches[1:]:
            each = self.speeds[SPACE.key(setting)]
            cost += switch + count * max(each - best, 0.0)
            best = min(best, each) if count else best
        return cost


def speeds(least: float) -> st.SearchStrategy[list[float]]:
    """Seconds of an iteration under each setting; the first one's is 1."""
    slow = st.sampled_from([1.1, 1.5, 3.0, 10.0, 100.0])
    fast = st.floats(least, 1.0)
    return st.lists(slow | fast, min_size=len(KEYS) - 1, max_size=len(KEYS) - 1)


def loop(
    others: list[float],
    length: int,
    switch: Callable[[int], float],
    broken: frozenset[int],
    share: float = SHARE,
) -> Ledger:
    """A training in the user's own loop; `switch` are the seconds of each, `broken` crash."""
    ledger = Ledger(dict(zip(KEYS, [1.0, *others], strict=True)), SPACE.configs[0])
    tuner = Tuner(
        SPACE, f"samples >= {length}", clock=lambda: ledger.now, transfer=False, tries=share
    )
    for number, setting in enumerate(tuner):
        took = switch(number)
        ledger.begin(setting, took)
        ledger.now += took
        if KEYS.index(SPACE.key(setting)) in broken:
            tuner.failed(RuntimeError("out of memory"))
            continue
        while not tuner.changed:
            ledger.now += ledger.iterate()
            tuner.report(samples=1)
    return ledger


@settings(deadline=None)
@given(speeds(1.0), st.sampled_from([50, 300]), st.floats(0.0, 30.0))
def test_tries_that_all_lose_cost_their_share_and_two_iterations(
    others: list[float], length: int, switch: float
) -> None:
    ledger = loop(others, length, lambda _: switch, frozenset())
    one = 2 * max(others)  # the first one may be a start, as far as anybody knows
    assert ledger.cost() <= MEASURED * SHARE * length + one
    assert ledger.now - switch <= (1 + MEASURED * SHARE) * length + one


@settings(deadline=None)
@given(
    speeds(0.3),
    st.sampled_from([50, 300]),
    st.lists(st.sampled_from([0.0, 0.1, 1.0, 20.0]), min_size=1, max_size=20),
    st.frozensets(st.integers(1, len(KEYS) - 1)),
)
def test_crashes_and_switches_that_cost_more_than_before_pass_it_by_one_try(
    others: list[float], length: int, switches: list[float], broken: frozenset[int]
) -> None:
    ledger = loop(others, length, lambda number: switches[number % len(switches)], broken)
    one = 2 * max(others) + 2 * max(switches)
    assert ledger.cost() <= MEASURED * SHARE * length + one


class Hanging:
    """A job that is started again for each setting; some of its settings never report."""

    def __init__(self, ledger: Ledger, start: float) -> None:
        self.ledger, self.start, self.limit = ledger, start, math.inf
        self.checkpoints = self.unkept = 0
        self.hung = 0.0
        ledger.begin(SPACE.configs[0], start)

    def run(self, iterations: int) -> list[Iteration]:
        fresh = not self.ledger.stretches[-1][1]
        taken = self.ledger.speeds[SPACE.key(self.ledger.stretches[-1][0])]
        taken += self.start * fresh
        if taken > self.limit:
            self.ledger.now += self.limit
            self.hung = self.limit
            raise ExecutionError("it hangs")
        self.ledger.iterate()
        self.checkpoints += 1
        self.ledger.now += taken
        return [Iteration(math.nan, taken, 1.0, starting=fresh)] * iterations

    def switch(self, setting: Config) -> Switch:
        self.ledger.begin(setting, self.start)
        stood, self.hung = self.hung, 0.0
        return Switch(frozenset(setting), stood)

    def checkpoint(self, folder: Path) -> None:
        """It keeps its own."""

    def restore(self, folder: Path) -> bool:
        return False


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([1.0, 2.0, 100.0, math.inf]), min_size=11, max_size=11),
    st.sampled_from([100, 400]),
    st.sampled_from([0.0, 1.0, 5.0]),
)
def test_a_job_that_can_be_cut_passes_its_share_by_one_usual_iteration_at_most(
    others: list[float], length: int, start: float
) -> None:
    ledger = Ledger(dict(zip(KEYS, [1.0, *others], strict=True)), SPACE.configs[0])
    tuner = Tuner(SPACE, f"samples >= {length}", clock=lambda: ledger.now, transfer=False)
    follow(Hanging(ledger, start), tuner)
    assert ledger.now - start <= (1 + MEASURED * SHARE) * length + 1.0


def test_the_share_is_a_parameter() -> None:
    slow, costs = [3.0] * (len(KEYS) - 1), []
    for share in (0.0, 0.02, 0.1):
        costs.append(loop(slow, 1000, lambda _: 5.0, frozenset(), share).cost())
        assert costs[-1] <= share * 1000
    assert costs == sorted(costs) and costs[0] == 0.0 < costs[2]
