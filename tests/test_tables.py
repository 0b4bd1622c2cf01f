"""The tables that ship with the tests are those that their generator makes."""

import pytest

import tunewise as tw
from tests.data.generate import FRACTIONS, HERE, tables

CNN = ["vm", "vms", "learning_rate", "batch_size", "mode"]


@pytest.mark.parametrize("name", sorted(tables()))
def test_a_table_is_what_the_generator_makes(name: str) -> None:
    assert (HERE / name).read_text() == tables()[name]


def test_the_tables_are_small_and_all_of_them_are_made() -> None:
    shipped = sorted(HERE.glob("*.csv"))
    assert [path.name for path in shipped] == sorted(tables())
    assert sum(path.stat().st_size for path in shipped) < 150_000


def test_the_made_cnn_is_a_problem_worth_solving() -> None:
    table = tw.Table(HERE / "cnn.csv", CNN, metrics=["accuracy", "time", "cost"])
    assert (table.space.size, len(table)) == (288, 1440)
    assert table.fractions == FRACTIONS
    problem = tw.Problem(table.space, maximize="accuracy", subject_to="cost <= 0.10")
    best, feasible = table.best(problem), table.values("cost") <= 0.10
    assert best is not None
    assert 0.2 < feasible.mean() < 0.6, "the limit matters"
    near = (table.values("accuracy")[feasible] >= 0.99 * best.objective).mean()
    assert near < 0.25, "not everything is good"


def test_some_of_the_made_clusters_do_not_complete_their_job() -> None:
    table = tw.Table(
        HERE / "clusters.csv", ["vm", "vms"], None, ["time", "cost"], completed="completed"
    )
    outcomes = [table(tw.Trial(0, config)) for config in table.configs]
    assert len(table) == 69
    assert 0 < sum(isinstance(outcome, tw.Failure) for outcome in outcomes) < 30
