"""On-demand relocation: every pushed update is applied exactly once, in every order of messages."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tunewise.paramserver.optimizer import optimizer
from tunewise.paramserver.partition import KINDS, Layout
from tunewise.paramserver.server import Forward, Server
from tunewise.surrogate import Array

SIZE = 6


class Cluster:
    """Servers, workers that hold what they pulled, and messages that arrive in any order."""

    def __init__(self, layout: Layout, rule: str = "sgd") -> None:
        self.rule, self.layout, self.previous, self.epoch = optimizer(rule), layout, layout, 0
        self.begin = np.arange(SIZE, dtype=float)
        self.servers = [Server(i, layout, self.begin, self.rule) for i in range(layout.servers)]
        self.under_way: list[Forward] = []
        self.pushed = np.zeros(SIZE)
        self.pulled: list[dict[str, object]] = []

    def relocate(self, layout: Layout) -> None:
        for index in range(len(self.servers), layout.servers):
            server = Server(index, self.layout, np.empty(0), self.rule)
            server.epoch, part = self.epoch, server.parts[0]
            server.layouts, server.parts = {self.epoch: self.layout}, {self.epoch: part}
            self.servers.append(server)
        for server in self.servers:
            server.relocate(layout)
        self.previous, self.layout, self.epoch = self.layout, layout, self.epoch + 1

    def pull(self, keys: list[int]) -> None:
        asked, originals = np.array(sorted(keys)), {}
        for server, here, local in self.layout.split(asked):
            _, present = self.servers[server].pull(self.epoch, local)
            if present is None:
                continue
            for key in asked[here][~present].tolist():
                old = int(self.previous.owner(np.array([key]))[0])
                place = self.previous.local(np.array([key]))
                originals[key] = self.servers[old].original(self.epoch - 1, place)[:, 0]
        self.pulled.append({"keys": asked, "epoch": self.epoch, "originals": originals})

    def push(self, number: int, update: float) -> None:
        pull = self.pulled.pop(number)
        keys, epoch = pull["keys"], pull["epoch"]
        originals: dict[int, Array] = pull["originals"]  # type: ignore[assignment] # a test's own
        assert isinstance(keys, np.ndarray) and isinstance(epoch, int)
        layout = self.layout if epoch == self.epoch else self.previous
        for server, here, local in layout.split(keys):
            mine = [k for k in keys[here].tolist() if k in originals]
            told = None
            if mine:
                places = layout.local(np.array(mine))
                told = (places, np.stack([originals[k] for k in mine], axis=1))
            count = len(keys[here])
            sent = self.servers[server].push(epoch, local, np.full(count, update), told)
            self.under_way += sent
        self.pushed[keys] += update

    def deliver(self, number: int) -> None:
        message = self.under_way.pop(number)
        self.servers[message.server].receive(message)

    def settle(self) -> None:
        while self.pulled:
            self.push(0, 0.0)
        for server in list(self.servers):
            self.under_way += server.leaving()
        while self.under_way:
            self.deliver(0)

    def values(self) -> Array:
        values = np.empty(SIZE)
        for index in range(self.layout.servers):
            part = self.servers[index].parts[self.epoch]
            assert part.present.all()
            values[self.layout.keys(index)] = part.state[0]
        return values


layouts = st.builds(Layout, st.sampled_from(KINDS), st.integers(1, 4), st.just(SIZE))
some_keys = st.lists(st.integers(0, SIZE - 1), min_size=1, unique=True)
steps = st.one_of(
    st.tuples(st.just("pull"), some_keys),
    st.tuples(st.just("push"), st.integers(0, 9)),
    st.tuples(st.just("deliver"), st.integers(0, 9)),
    st.tuples(st.just("relocate"), layouts),
)


@given(layouts, st.lists(steps, max_size=40))
def test_applied_equals_pushed_under_random_schedules(
    first: Layout, schedule: list[tuple[str, object]]
) -> None:
    cluster = Cluster(first)
    for number, (what, how) in enumerate(schedule):
        if what == "pull":
            cluster.pull(how)  # type: ignore[arg-type] # drawn for this very step
        elif what == "push" and cluster.pulled:
            cluster.push(int(how) % len(cluster.pulled), float(2**number % 97))  # type: ignore[call-overload] # as above
        elif what == "deliver" and cluster.under_way:
            cluster.deliver(int(how) % len(cluster.under_way))  # type: ignore[call-overload] # as above
        elif what == "relocate":
            if any(not s.settled for s in cluster.servers) or cluster.epoch:
                cluster.settle()
            cluster.relocate(how)  # type: ignore[arg-type] # as above
    cluster.settle()
    np.testing.assert_allclose(cluster.values(), cluster.begin + cluster.pushed)


def orders() -> Iterator[tuple[str, ...]]:
    """All orders of two workers' pulls and pushes, a relocation, and two deliveries."""
    events = ("pull a", "push a", "pull b", "push b", "relocate", "deliver", "deliver")
    for order in set(permutations(events)):
        if all(order.index(f"pull {who}") < order.index(f"push {who}") for who in "ab"):
            yield order


def test_applied_equals_pushed_in_every_order_of_a_small_case() -> None:
    checked = 0
    for order in orders():
        cluster, held = Cluster(Layout("range", 2, SIZE)), []
        for event in order:
            what, _, who = event.partition(" ")
            if what == "pull":
                cluster.pull([2, 3, 5])
                held.append(who)
            elif what == "push":
                cluster.push(held.index(who), 1.0 if who == "a" else 10.0)
                held.remove(who)
            elif what == "relocate":
                cluster.relocate(Layout("hash", 3, SIZE))
            elif cluster.under_way:
                cluster.deliver(0)
        cluster.settle()
        np.testing.assert_allclose(cluster.values(), cluster.begin + cluster.pushed)
        checked += 1
    assert checked == 630


def test_late_pushes_reach_the_new_owner_with_the_frozen_value() -> None:
    cluster = Cluster(Layout("range", 1, SIZE))
    cluster.pull([0, 5])
    cluster.pull([5])
    cluster.push(1, 4.0)
    cluster.relocate(Layout("range", 2, SIZE))
    cluster.push(0, 1.0)  # pulled before the change: it goes to the old owner
    [message] = cluster.under_way
    assert (message.server, message.local.tolist()) == (1, [2])
    np.testing.assert_allclose(message.original, [[9.0]])
    cluster.settle()
    np.testing.assert_allclose(cluster.values(), [1, 1, 2, 3, 4, 10])
