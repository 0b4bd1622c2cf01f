"""`tunewise prices` lists VM types and keeps a person's own prices."""

from pathlib import Path

import pytest

from tests.cli.shell import invoke, parsed
from tests.tables import table_path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNEWISE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def names(*words: object) -> list[str]:
    return [vm["name"] for vm in parsed(invoke("prices", "--json", *words).stdout)]


def test_the_shipped_catalogue_is_listed() -> None:
    shown = invoke("prices").stdout
    assert "t2.2xlarge" in shown
    assert "0.3712" in shown


def test_vms_are_filtered() -> None:
    assert "t2.small" not in names("--min-cores", 2)
    assert names("--min-memory", 60) == ["r4.2xlarge"]
    assert "c4.2xlarge" not in names("--max-price", 0.2)
    assert names("--accelerator", "V100") == []
    assert names("--spot") == []
    assert "no VM type is like that" in invoke("prices", "--spot").stdout


def test_own_prices_are_added_and_count_first(tmp_path: Path, home: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("name,price,vcpus\nt2.small,9,1\nmine,1,64\n")
    two.write_text("name,price\nother,2\n")
    done = invoke("prices", "--import", one)
    assert done.stdout == f"2 VM types are imported into {home / 'prices.csv'}\n"
    assert invoke("prices", "--import", two).stdout.startswith("1 VM type is imported into ")
    listed = {vm["name"]: vm["price"] for vm in parsed(invoke("prices", "--json").stdout)}
    assert (listed["t2.small"], listed["mine"], listed["other"]) == (9, 1, 2)
    assert listed["t2.medium"] == 0.0464
    assert names("--min-cores", 64) == ["mine"]


def test_skypilots_catalogue_is_imported_by_region() -> None:
    path = table_path("prices/gcp.csv")
    assert "VM types are imported" in invoke("prices", "--import", path).stdout
    assert len(names()) > 100
    refused = invoke("prices", "--import", path, "--region", "mars-1")
    assert refused.exit_code == 1
    assert "has no region 'mars-1'" in refused.stderr


def test_the_configuration_folder_is_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.csv").write_text("name,price\nmine,1\n")
    monkeypatch.delenv("TUNEWISE_HOME")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    invoke("prices", "--import", tmp_path / "one.csv")
    assert (tmp_path / "xdg" / "tunewise" / "prices.csv").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,prise\na,1\n", "has a column 'prise'; did you mean 'price'"),
        ("name,price\na,cheap\n", "line 2"),
        ("", "is empty"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_wrong_file_is_refused_and_changes_nothing(
    tmp_path: Path, home: Path, text: str | None, sentence: str
) -> None:
    path = tmp_path / "bad.csv"
    if text is not None:
        path.write_text(text)
    done = invoke("prices", "--import", path)
    assert done.exit_code == 1
    assert sentence in done.stderr
    assert not home.exists()


def test_a_region_needs_an_import() -> None:
    assert invoke("prices", "--region", "x").exit_code == 2


def test_accelerators_that_are_sold_apart_are_said_to_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "vms.csv"
    file.write_text(
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,SpotPrice\n"
        "n1-standard-4,,,4,15,0.2,east,\n"
        "a2-highgpu-1g,,,12,85,1.0,east,\n"
        ",A100,1,,,2.9,east,\n"
        ",T4,1,,,0.35,east,\n"
    )
    done = invoke("prices", "--import", file)
    assert done.exit_code == 0
    assert "note: T4 can be attached to VMs of one's choice, and are left out" in done.stderr
