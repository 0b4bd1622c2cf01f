from pathlib import Path

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.machines.features import MachineFeatures
from tunewise.belief.machines.prices import PriceBelief
from tunewise.errors import SpaceError
from tunewise.job import pricebook
from tunewise.job.loading import load_study


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNEWISE_HOME", str(tmp_path))
    return tmp_path


def test_imported_prices_count_in_a_plain_cluster() -> None:
    assert tw.Cluster(types=["t2.small"]).hourly("t2.small:1") == pytest.approx(0.023)
    pricebook.keep(tw.Catalogue([tw.VM("t2.small", 1, 2, price=0.5), tw.VM("mine", 4, 8, price=2)]))
    cluster = tw.Cluster(types=["t2.small", "t2.medium", "mine"], counts=[2])
    assert cluster.hourly("t2.small:2") == pytest.approx(1.0)
    assert cluster.hourly("mine:2") == pytest.approx(4.0)
    assert cluster.hourly("t2.medium:2") == pytest.approx(2 * 0.0464)


def test_a_catalogue_that_is_given_counts_alone() -> None:
    pricebook.keep(tw.Catalogue([tw.VM("mine", 4, 8, price=2)]))
    given = tw.Catalogue([tw.VM("mine", 4, 8, price=3)])
    assert tw.Cluster(catalogue=given).hourly("mine:1") == pytest.approx(3.0)


def test_imported_prices_that_cannot_be_read_are_refused_by_a_cluster_too(home: Path) -> None:
    (home / "prices.csv").write_text("name,price\nmine,much\n")
    with pytest.raises(SpaceError, match="much"):
        tw.Cluster()


NAMED = tw.Space(tw.Choice("vm", ["m4.large", "m4.xlarge", "big-4x"]), tw.Ordinal("vms", [1, 2]))
"""No price is known, and nobody but the person's own list knows the last one."""


def hourly(problem: tw.Problem) -> list[float]:
    """What an hour of each config is thought to cost before anything was billed."""
    configs = problem.space.configs
    features = MachineFeatures.of(problem, configs)
    believed = PriceBelief(problem, configs, features).given(np.empty(0, np.intp), np.empty(0))
    return list(3600 * np.exp(np.asarray(believed.mean)))


def test_imported_prices_tell_what_named_machines_cost_and_how_large_they_are() -> None:
    unknown = tw.Problem(NAMED, minimize="cost")
    assert MachineFeatures.of(unknown, NAMED.configs).machines == ()
    pricebook.keep(
        tw.Catalogue([tw.VM("m4.large", 2, 8, price=0.5), tw.VM("big-4x", 16, 64, price=2.5)])
    )
    problem = tw.Problem(NAMED, minimize="cost")
    machines = MachineFeatures.of(problem, NAMED.configs).machines
    assert [m.vcpus for m in machines] == [2, 2, 4, 4, 16, 16]
    # The shipped list has m4.xlarge at 0.2 USD per hour, and that counts where the own has none.
    assert hourly(problem) == pytest.approx([0.5, 1.0, 0.2, 0.4, 2.5, 5.0])


def test_a_family_is_priced_by_its_largest_imported_type() -> None:
    pricebook.keep(tw.Catalogue([tw.VM("n1-standard-16", 16, 60, price=1.6)]))
    space = tw.Space(tw.Choice("vm", ["n1-standard-4", "n1-standard-8"]))
    assert hourly(tw.Problem(space, minimize="cost")) == pytest.approx([0.4, 0.8])


def test_a_problem_takes_a_catalogue_of_its_own() -> None:
    pricebook.keep(tw.Catalogue([tw.VM("m4.large", 2, 8, price=0.5)]))
    given = tw.Catalogue([tw.VM("m4.large", 2, 8, price=0.7), tw.VM("big-4x", 16, 64, price=1.0)])
    assert hourly(tw.Problem(NAMED, minimize="cost", catalogue=given))[0] == pytest.approx(0.7)


def test_a_resumed_study_keeps_the_price_list_that_it_began_with(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/t.db"
    pricebook.keep(tw.Catalogue([tw.VM("big-4x", 16, 64, price=2.5)]))
    with tw.Study(tw.Problem(NAMED, minimize="cost"), "lynceus", 0, url, "s") as study:
        before = hourly(study.problem)
    pricebook.keep(tw.Catalogue([tw.VM("big-4x", 32, 64, price=25.0)]))
    fresh = tw.Problem(NAMED, minimize="cost")
    assert hourly(fresh) != pytest.approx(before)
    with tw.Study(fresh, storage=url, name="s") as resumed:
        assert hourly(resumed.problem) == pytest.approx(before)
    with load_study(url, "s") as loaded:
        assert hourly(loaded.problem) == pytest.approx(before)


def test_a_choice_that_names_no_machine_needs_no_price_list(home: Path) -> None:
    (home / "prices.csv").write_text("name,price\nmine,much\n")
    space = tw.Space(tw.Choice("optimizer", ["sgd", "adam"]))
    assert not len(tw.Problem(space, maximize="accuracy").machines)
