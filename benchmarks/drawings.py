"""Draws the figures of docs/explanation, each computed from a formula or from a table of ours.

`python -m benchmarks.drawings` writes them to docs/pictures. They are plain SVG, so that a reader's
browser needs nothing else, and the same on every machine.
"""

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[1]
COLOURS = ("#0f766e", "#6d28d9", "#b45309", "#64748b")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 300, 60, 46, 34
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """One named curve, or points where `dots` is true."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    dots: bool = False


@dataclass(frozen=True)
class Axes:
    """What stands along the axes; `log` and `log_up` make them logarithmic."""

    across: str
    up: str
    log: bool = False
    log_up: bool = False


def drawn(lines: Sequence[Line], axes: Axes) -> str:
    """The curves as an SVG picture with a white ground, readable in light and dark pages."""
    xs = [_along(x, axes.log) for line in lines for x in line.x]
    ys = [_along(y, axes.log_up) for line in lines for y in line.y]
    if axes.log_up:
        ys += [math.floor(min(ys)), math.ceil(max(ys))]  # small differences look small
    place = _placing((min(xs), max(xs)), (min(ys), max(ys)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - 12}" fill="none" stroke="#334155"/>',
        f'<text x="{WIDTH - 12}" y="{HEIGHT - 10}" text-anchor="end" fill="#334155">'
        f"{axes.across}</text>",
        f'<text x="8" y="{TOP - 12}" fill="#334155">{axes.up}</text>',
        *_ticks(xs, ys, place, axes),
    ]
    apart = 150 if len(lines) <= 3 else 100
    for number, line in enumerate(lines):
        key_at = LEFT + 90 + apart * number
        parts += _curve(line, COLOURS[number % len(COLOURS)], key_at, place, axes)
    return "\n".join([*parts, "</svg>\n"])


def _along(value: float, log: bool) -> float:
    return math.log10(value) if log else value


Placing = Callable[[float, float], tuple[float, float]]


def _placing(across: tuple[float, float], up: tuple[float, float]) -> Placing:
    wide, high = WIDTH - LEFT - 24, HEIGHT - BOTTOM - TOP - 8

    def place(x: float, y: float) -> tuple[float, float]:
        right = (x - across[0]) / (across[1] - across[0])
        above = (y - up[0]) / (up[1] - up[0])
        return round(LEFT + right * wide, 1), round(HEIGHT - BOTTOM - above * high, 1)

    return place


def _ticks(xs: Sequence[float], ys: Sequence[float], place: Placing, axes: Axes) -> list[str]:
    parts = []
    for x, said in _marks(xs, axes.log):
        at = place(x, min(ys))[0]
        anchor = "end" if x == max(xs) else "middle"
        parts.append(
            f'<text x="{at}" y="{HEIGHT - BOTTOM + 16}" text-anchor="{anchor}" fill="#64748b">'
            f"{said}</text>"
        )
    for y, said in _marks(ys, axes.log_up):
        at = place(min(xs), y)[1]
        if axes.log_up:
            parts.append(f'<path d="M{LEFT} {at}H{WIDTH - 12}" stroke="#e2e8f0"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{at + 4}" text-anchor="end" fill="#64748b">{said}</text>'
        )
    return parts


def _marks(places: Sequence[float], log: bool) -> list[tuple[float, str]]:
    """Where numbers stand along an axis: both ends, or the powers of ten where there are some."""
    low, high = min(places), max(places)
    powers = range(math.ceil(low), math.floor(high) + 1) if log else ()
    if len(powers) > 2:
        return [(power, f"{10**power:,.9g}") for power in powers]
    return [(end, _said(10**end if log else end)) for end in (low, high)]


def _said(value: float) -> str:
    return "0" if abs(value) < 1e-9 else f"{value:.3g}"


def _curve(line: Line, colour: str, key_at: int, place: Placing, axes: Axes) -> list[str]:
    points = [
        place(_along(x, axes.log), _along(y, axes.log_up))
        for x, y in zip(line.x, line.y, strict=True)
    ]
    key = f'<text x="{key_at}" y="{TOP - 12}" fill="{colour}">{line.name}</text>'
    if line.dots:
        return [key, *(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points)]
    path = " ".join(f"{x},{y}" for x, y in points)
    return [key, f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']


def measured() -> list[dict[str, float]]:
    """Our own table of a convolutional network: numbers only."""
    path = ROOT / "benchmarks" / "data" / "fashion_cnn.csv"
    with path.open(encoding="utf-8") as file:
        return [
            {name: float(cell) for name, cell in row.items() if name != "mode"}
            for row in csv.DictReader(file)
            if row["mode"] == "sync"
        ]


def slices() -> str:
    """TrimTuner: what the accuracy of a slice says about the full data."""
    lines = []
    for rate, name in ((0.006, "rate 0.006"), (0.002, "rate 0.002"), (0.0005, "rate 0.0005")):
        rows = _config(rate, 8)
        lines.append(Line(name, [r["fraction"] for r in rows], [r["accuracy"] for r in rows]))
    return drawn(lines, Axes("fraction of the data (log)", "accuracy", log=True))


def costs() -> str:
    """FABOLAS: what a slice costs beside the full data."""
    rows = _config(0.006, 8)
    full = rows[-1]["cost"]
    share = Line("cost", [r["fraction"] for r in rows], [r["cost"] / full for r in rows])
    loss = Line(
        "accuracy lost",
        share.x,
        [max(0.0, rows[-1]["accuracy"] - r["accuracy"]) for r in rows],
    )
    return drawn([share, loss], Axes("fraction of the data (log)", "share", log=True))


def _config(rate: float, width: int) -> list[dict[str, float]]:
    wanted = {"learning_rate": rate, "batch_size": 128, "width": width, "workers": 1}
    rows = [r for r in measured() if all(r[k] == v for k, v in wanted.items())]
    return sorted(rows, key=lambda row: row["fraction"])


def feasibility() -> str:
    """Fabulinus: how sure a limit is kept, by what is expected and how unsure that is."""
    from scipy.stats import norm

    x = np.linspace(0.5, 1.5, 60)
    lines = [
        Line(f"deviation {d:g}", list(x), list(norm.cdf((1.0 - x) / d))) for d in (0.05, 0.1, 0.2)
    ]
    return drawn(lines, Axes("expected cost, in units of the limit", "P(kept)"))


def cheapest() -> str:
    """Nephele: the cost and the accuracy of every run, by fraction."""
    lines = []
    for fraction, name in ((0.1, "a tenth"), (0.5, "a half"), (1.0, "all data")):
        rows = [r for r in measured() if abs(r["fraction"] - fraction) < 1e-3]
        lines.append(
            Line(name, [r["cost"] for r in rows], [r["accuracy"] for r in rows], dots=True)
        )
    return drawn(lines, Axes("cost of the run, USD (log)", "accuracy", log=True))


def _toy() -> tuple[Numbers, Numbers, Numbers, float]:
    """A Gaussian process over [0, 1] after five trials: places, mean, deviation and best."""
    seen = np.array([0.05, 0.25, 0.5, 0.8, 0.95])
    values = np.sin(5 * seen) * 0.3 + 0.6
    x = np.linspace(0, 1, 80)

    def kernel(a: Numbers, b: Numbers) -> Numbers:
        return np.asarray(0.09 * np.exp(-((a[:, None] - b[None, :]) ** 2) / (2 * 0.12**2)))

    gain = kernel(x, seen) @ np.linalg.inv(kernel(seen, seen) + 1e-6 * np.eye(5))
    mean = 0.6 + gain @ (values - 0.6)
    deviation = np.sqrt(np.maximum(1e-9, 0.09 - np.sum(gain * kernel(x, seen), axis=1)))
    return x, mean, deviation, float(values.max())


def _improvement() -> tuple[Numbers, Numbers]:
    from scipy.stats import norm

    x, mean, deviation, best = _toy()
    z = (mean - best) / deviation
    return x, np.asarray(deviation * (z * norm.cdf(z) + norm.pdf(z)))


def constrained() -> str:
    """CherryPick: expected improvement, and the same times the probability of keeping a limit."""
    from scipy.stats import norm

    x, gain = _improvement()
    kept = norm.cdf((0.55 - x) / 0.12)
    return drawn(
        [
            Line("EI", list(x), list(gain / gain.max())),
            Line("P(limit kept)", list(x), list(kept)),
            Line("EI × P", list(x), list(gain * kept / gain.max())),
        ],
        Axes("configs, from cheap to dear", "value"),
    )


def per_usd() -> str:
    """Lynceus: expected improvement, and the same for each USD of the trial."""
    x, gain = _improvement()
    price = 0.2 + 1.8 * x
    rate = gain / price
    return drawn(
        [
            Line("EI", list(x), list(gain / gain.max())),
            Line("cost", list(x), list(price / price.max())),
            Line("EI per USD", list(x), list(rate / rate.max())),
        ],
        Axes("configs, from cheap to dear", "share"),
    )


def switching() -> str:
    """SelfTF: the loss of a training that changes its setting on the way."""
    hours = np.linspace(0, 10, 60)
    slow, fast = 1 / (1 + 0.5 * hours), 1 / (1 + 1.2 * hours)
    begun = 1 / (1 + 0.5 * np.minimum(hours, 2))
    after = np.maximum(hours - 2.4, 0)  # 0.4 hours go into the switch
    switched = np.where(hours < 2.4, begun, begun / (1 + 1.2 * begun * after))
    return drawn(
        [
            Line("first setting", list(hours), list(slow)),
            Line("best setting", list(hours), list(fast)),
            Line("switched at 2 h", list(hours), list(switched)),
        ],
        Axes("hours", "loss"),
    )


def sharing() -> str:
    """ease.ml: the mean loss of five users while one machine trains for them."""
    from tunewise.benchmark.tenants.measures import mean, steps
    from tunewise.benchmark.tenants.race import Protocol, race
    from tunewise.benchmark.tenants.syn import syn
    from tunewise.tenancy import RuleSpec

    names = ("hybrid", "round_robin", "fcfs")
    table, rules = syn(0.5, 1.0, users=30, models=8), [RuleSpec(name) for name in names]
    runs = race(table, rules, Protocol(users=5, repeats=6, enough=0.0))
    grid = np.linspace(0.0, 1.0, 80)
    means = {name: mean([steps(run, "time", "loss") for run in runs[name]]) for name in names}
    lines = [Line(name, list(grid), list(means[name].on(grid))) for name in names]
    return drawn(lines, Axes("share of all run time", "mean loss"))


def luckiest() -> str:
    """Quality: how good the best of several models looks where all are equally good."""
    from scipy.stats import norm

    true, examples = 0.8, 367
    deviation = math.sqrt(true * (1 - true) / examples)
    z = np.linspace(-6, 6, 2001)
    models = np.arange(1, 41)
    # The mean of the largest of k normals.
    most = [float(np.trapezoid(z * k * norm.pdf(z) * norm.cdf(z) ** (k - 1), z)) for k in models]
    return drawn(
        [
            Line("measured", list(models), [true + deviation * each for each in most]),
            Line("true", list(models), [true] * len(models)),
        ],
        Axes("models that were tried", "accuracy"),
    )


def outclassed() -> str:
    """Early stops: what a poor config may still reach, as more of its training is over."""
    from scipy.stats import norm

    every = np.array([r["accuracy"] for r in measured() if r["fraction"] == 1.0])
    poor, best = _config(0.0005, 8), float(every.max())
    fractions = [r["fraction"] for r in poor]
    # Less sure by half of the usual spread, for each factor of ten in data.
    doubt = 0.5 * float(every.std()) * np.log10(1 / np.array(fractions))
    may = poor[-1]["accuracy"] + norm.ppf(0.98) * doubt
    return drawn(
        [
            Line("may still reach", fractions, list(may)),
            Line("has reached", fractions, [r["accuracy"] for r in poor]),
            Line("best config", fractions, [best] * len(fractions)),
        ],
        Axes("share of the training (log)", "accuracy", log=True),
    )


FIGURES: dict[str, Callable[[], str]] = {
    "trimtuner": slices,
    "fabolas": costs,
    "fabulinus": feasibility,
    "nephele": cheapest,
    "lynceus": per_usd,
    "cherrypick": constrained,
    "selftf": switching,
    "easeml": sharing,
    "quality": luckiest,
    "stopped-early": outclassed,
}


def main() -> None:
    """Write every figure to docs/pictures."""
    for name, figure in FIGURES.items():
        path = ROOT / "docs" / "pictures" / f"{name}.svg"
        path.write_text(figure(), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
