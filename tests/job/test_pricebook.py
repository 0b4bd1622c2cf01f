from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import SpaceError
from tunewise.job import pricebook


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
