"""Tables and price lists that are nearly right: rows of CSV, changed in a few places."""

from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from tests.fuzz.watch import Watch
from tunewise.benchmark import Table

HEADER = ["vm", "vms", "rate", "fraction", "accuracy", "time", "cost", "completed"]
PRICES = ["name", "vcpus", "memory", "accelerator", "accelerators", "price", "spot_price"]
SKYPILOT = [
    *("InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "Price"),
    *("Region", "SpotPrice", "AvailabilityZone", "GpuInfo"),
]
NASTY = [
    *("", " ", "nan", "inf", "-inf", "1e400", "-1", "0", "1e308", "5e-324", "1e-320", "9" * 400),
    *(
        "9" * 5000,
        "0x10",
        "1_0",
        "1,5",
        "True",
        "false",
        "maybe",
        "a b",
        "ü☃",
        "\ud800",
        "\x00",
        "\r",
    ),
    *(
        "\n",
        '"',
        '"a',
        'a"b',
        "'",
        "x" * 140_000,
        "1.0",
        "1",
        "None",
        "٣",
        "1e5",
        "-0.0",
        "#",
        "=1+1",
    ),
]
cells = (
    st.sampled_from(NASTY) | st.text(max_size=6) | st.floats().map(repr) | st.integers().map(str)
)


@dataclass(frozen=True)
class Written:
    """A file, and which command reads it."""

    kind: str
    data: bytes
    words: tuple[str, ...]


@st.composite
def tables(draw: st.DrawFn) -> Written:
    """A table of trials, a price list of our own, or one of SkyPilot's."""
    kind = draw(st.sampled_from(["table", "table", "replay", "prices", "skypilot"]))
    rows = {"prices": _prices, "skypilot": _skypilot}.get(kind, _trials)()
    for _ in range(draw(st.integers(1, 4))):
        _change(draw, rows)
    text = "\n".join(",".join(row) for row in rows) + draw(st.sampled_from(["\n", "", "\n\n"]))
    if draw(st.integers(0, 5)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(cells) + text[at + draw(st.integers(0, 3)) :]
    data = text.encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        data = draw(st.sampled_from([b"", b"\xff\xfe", b"\xef\xbb\xbf" + data, data[:7] + b"\xe9"]))
    return Written(kind, data, draw(_words(kind)))


def _words(kind: str) -> st.SearchStrategy[tuple[str, ...]]:
    if kind == "replay":
        limits = st.sampled_from(["cost <= 0.5", "time <= 1", "accuracy >= 0.99", "cost <= nan"])
        goal = st.sampled_from(["--maximize=accuracy", "--minimize=cost", "--minimize=time"])
        return st.tuples(goal, limits.map(lambda limit: f"--subject-to={limit}"))
    if kind == "skypilot":
        return st.sampled_from([(), ("--region", "east"), ("--region", "")])
    return st.just(())


def _trials() -> list[list[str]]:
    rows = [HEADER[:]]
    for vm in ("small", "large"):
        for vms in (1, 2, 4):
            for fraction in (0.25, 1.0):
                time = 100 * fraction / vms
                accuracy = 0.7 + 0.1 * fraction + 0.01 * vms
                shown = (vm, vms, 0.1, fraction, accuracy, time, time / 100, "True")
                rows.append([str(cell) for cell in shown])
    return rows


def _prices() -> list[list[str]]:
    return [
        PRICES[:],
        ["a1.small", "1", "2", "", "", "0.1", "0.05"],
        ["g", "8", "64", "T4", "2", "1", ""],
    ]


def _skypilot() -> list[list[str]]:
    return [
        SKYPILOT[:],
        ["n1-standard-4", "", "", "4", "15", "0.2", "east", "0.05", "a", ""],
        ["a2-highgpu-1g", "", "", "12", "85", "1.0", "east", "", "a", ""],
        ["", "A100", "1", "", "", "2.9", "east", "0.9", "a", "{}"],
        ["", "T4", "1", "", "", "0.35", "east", "0.1", "a", "{}"],
    ]


def _change(draw: st.DrawFn, rows: list[list[str]]) -> None:
    row = draw(st.sampled_from(rows))
    at = draw(st.integers(0, max(len(row) - 1, 0)))
    kind = draw(st.sampled_from(["cell", "cell", "cell", "drop", "add", "twice", "lose"]))
    if kind == "cell" and row:
        row[at] = draw(cells)
    elif kind == "drop" and row:
        del row[at]
    elif kind == "add":
        row.insert(at, draw(cells))
    elif kind == "twice":
        rows.append(list(row))
    elif len(rows) > 1:
        rows.remove(row)


def look(watch: Watch, table: Written, folder: Path) -> None:
    """Give the file to what reads it."""
    file = folder / "table.csv"
    file.write_bytes(table.data)
    shown = (table.kind, table.words, table.data)
    if table.kind == "table":
        watch.call(lambda: _opened(file), shown)
    elif table.kind == "replay":
        race = ["replay", "--table", "table.csv", "--strategies", "random", "--seeds", "1"]
        watch.command([*race, "--trials", "3", *table.words], folder, shown)
    else:
        watch.command(["prices", "--import", "table.csv", *table.words], folder, shown)
        (folder / "home" / "prices.csv").unlink(missing_ok=True)


def _opened(file: Path) -> None:
    table = Table(file, config=["vm", "vms", "rate"], completed="completed")
    assert table.space.size
    assert len(table.values("cost")) == len(table.configs)
