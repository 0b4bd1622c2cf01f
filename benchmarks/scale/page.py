"""The page "How far it goes", and its figures."""

from pathlib import Path
from typing import Any

from benchmarks.drawings import Axes, Line, drawn
from benchmarks.results import placed
from benchmarks.scale.asks import AXES, TOOLS
from benchmarks.scale.places import PLACES

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURES = ROOT / "docs" / "how-far.md", ROOT / "docs" / "pictures"
SAID = {
    "tunewise": "Tunewise",
    "optuna_tpe": "Optuna TPE",
    "optuna_gp": "Optuna GP",
    "botorch_ei": "BoTorch EI",
}
HEADS = {
    "trials": "trials known",
    "candidates": "configs in the space",
    "limits": "limits",
    "parameters": "parameters",
    "at_once": "trials asked for at once",
}


def write(kept: dict[str, Any]) -> None:
    """Put tables and figures of what was measured into the docs."""
    found = kept["measured"]
    text = PAGE.read_text("utf-8")
    text = placed(text, "machine", f"{kept['machine']}; one thread, processor time")
    text = placed(text, "asks", "\n\n".join(_table(axis, found) for axis in AXES))
    text = placed(text, "places", _places(found))
    PAGE.write_text(text, encoding="utf-8")
    for axis in ("trials", "candidates"):
        if lines := _lines(axis, found):
            axes = Axes(HEADS[axis], "seconds", log=True, log_up=True)
            picture = drawn(lines, axes)
            (PICTURES / f"how-far-{axis}.svg").write_text(picture, encoding="utf-8")


def _table(axis: str, found: dict[str, Any]) -> str:
    measured = {tuple(place.split("/")[1:]) for place in found if place.startswith(f"{axis}/")}
    tools = [who for who in TOOLS if who in {who for _, who in measured}]
    rows = [f"| {HEADS[axis]} | {' | '.join(SAID[who] for who in tools)} | MB, Tunewise |"]
    rows += ["|---" * (len(tools) + 2) + "|"]
    for size in (size for size in AXES[axis] if str(size) in {size for size, _ in measured}):
        cells = [_cell(found.get(f"{axis}/{size}/{who}")) for who in tools]
        memory = found.get(f"{axis}/{size}/tunewise", {}).get("mb")
        cells.append("–" if memory is None else f"{memory:.0f}")
        rows.append(f"| {size:,} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(told: dict[str, Any] | None) -> str:
    if told is None:
        return "not measured"
    if "ask" in told:
        return _seconds(told["ask"])
    return "too long" if "over" in told else "not installed" if "missing" in told else "fails"


def _seconds(seconds: float) -> str:
    """To two digits after the point; the processor's clock says no more of short times."""
    return f"{seconds:.2f} s" if seconds >= 0.005 else "< 5 ms"


def _places(found: dict[str, Any]) -> str:
    rows = ["| what | size | of the processor | MB |", "|---|---|---|---|"]
    for name, (_, sizes) in PLACES.items():
        for size in sizes:
            told = found.get(f"{name}/{size}/tunewise")
            if not told or "mb" not in told:
                rows.append(f"| {name} | {size:,} | {_cell(told)} | – |")
                continue
            seconds = {k: v for k, v in told.items() if not k.endswith("mb")}
            said = ", ".join(f"{k} {_seconds(v)}" for k, v in seconds.items())
            rows.append(f"| {name} | {size:,} | {said} | {told['mb']:.0f} |")
    return "\n".join(rows)


def _lines(axis: str, found: dict[str, Any]) -> list[Line]:
    lines = []
    for who, said in SAID.items():
        points = [(s, found.get(f"{axis}/{s}/{who}", {}).get("ask")) for s in AXES[axis]]
        known = [(size, max(seconds, 0.001)) for size, seconds in points if seconds is not None]
        if len(known) > 1:
            sizes, seconds = zip(*known, strict=True)
            lines.append(Line(said, sizes, seconds))
    return lines
