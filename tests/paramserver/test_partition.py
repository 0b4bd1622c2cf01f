import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.errors import ExecutionError
from tunewise.paramserver.partition import KINDS, Layout, rows_of

layouts = st.builds(
    lambda kind, size, servers: Layout(kind, min(servers, size), size),
    st.sampled_from(KINDS),
    st.integers(1, 60),
    st.integers(1, 9),
)


@given(layouts)
def test_every_key_has_one_owner_and_one_place(layout: Layout) -> None:
    owned = [layout.keys(server) for server in range(layout.servers)]
    assert sorted(np.concatenate(owned).tolist()) == list(range(layout.size))
    for server, keys in enumerate(owned):
        assert layout.count(server) == len(keys)
        assert (layout.owner(keys) == server).all()
        assert layout.local(keys).tolist() == list(range(len(keys)))


@given(layouts, st.data())
def test_a_split_request_reaches_each_key_at_its_place(layout: Layout, data: st.DataObject) -> None:
    every = st.lists(st.integers(0, layout.size - 1), min_size=1, unique=True)
    chosen = data.draw(st.one_of(st.none(), every))
    keys = None if chosen is None else np.array(sorted(chosen))
    asked = np.arange(layout.size) if keys is None else keys
    seen = np.full(len(asked), -1)
    for server, here, local in layout.split(keys):
        seen[here] = layout.keys(server)[local]
    assert seen.tolist() == asked.tolist()


@given(st.sampled_from(KINDS), st.integers(1, 50), st.integers(1, 8))
def test_every_row_has_one_worker(kind: str, rows: int, workers: int) -> None:
    dealt = np.concatenate([rows_of(kind, rows, workers, w) for w in range(workers)])
    assert sorted(dealt.tolist()) == list(range(rows))


def test_more_servers_than_parameters_are_refused() -> None:
    with pytest.raises(ExecutionError, match="5 servers for 3 parameters: expected 1 to 3"):
        Layout("range", 5, 3)


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(ExecutionError, match="did you mean 'range'"):
        Layout("rang", 1, 3)


def test_ranges_keep_neighbours_together_and_hashes_spread_them() -> None:
    assert [Layout("range", 2, 5).keys(s).tolist() for s in (0, 1)] == [[0, 1], [2, 3, 4]]
    assert [Layout("hash", 2, 5).keys(s).tolist() for s in (0, 1)] == [[0, 2, 4], [1, 3]]
    assert [rows_of("range", 5, 2, w).tolist() for w in (0, 1)] == [[0, 1], [2, 3, 4]]
    assert [rows_of("hash", 5, 2, w).tolist() for w in (0, 1)] == [[0, 2, 4], [1, 3]]


def test_rows_are_dealt_in_a_known_way() -> None:
    with pytest.raises(ExecutionError, match="unknown data partition 'hsh'; did you mean 'hash'"):
        rows_of("hsh", 5, 2, 0)


def test_only_servers_that_own_a_key_are_asked() -> None:
    asked = list(Layout("hash", 3, 9).split(np.array([0, 3, 4])))
    assert [(server, np.asarray(local).tolist()) for server, _, local in asked] == [
        (0, [0, 1]),
        (1, [1]),
    ]
