"""The page "How far it goes", and its figures."""

import math
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
            axes = Axes(f"{HEADS[axis]} (log)", "log10 s", log=True)
            picture = drawn(lines, axes)
            (PICTURES / f"how-far-{axis}.svg").write_text(picture, encoding="utf-8")


def _table(axis: str, found: dict[str, Any]) -> str:
    rows = [f"| {HEADS[axis]} | {' | '.join(SAID.values())} | MB, Tunewise |"]
    rows += ["|---" * (len(TOOLS) + 2) + "|"]
    for size in AXES[axis]:
        cells = [_cell(found.get(f"{axis}/{size}/{who}")) for who in TOOLS]
        memory = found.get(f"{axis}/{size}/tunewise", {}).get("mb")
        cells.append("–" if memory is None else f"{memory:.0f}")
        rows.append(f"| {size:,} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(told: dict[str, Any] | None) -> str:
    if told is None:
        return "not measured"
    if "ask" in told:
        return f"{told['ask']:.2f} s" if told["ask"] >= 0.005 else "< 5 ms"
    return "too long" if "over" in told else "not installed" if "missing" in told else "fails"


def _places(found: dict[str, Any]) -> str:
    rows = ["| what | size | processor seconds | MB |", "|---|---|---|---|"]
    for name, (_, sizes) in PLACES.items():
        for size in sizes:
            told = found.get(f"{name}/{size}/tunewise")
            if not told or "mb" not in told:
                rows.append(f"| {name} | {size:,} | {_cell(told)} | – |")
                continue
            seconds = {k: v for k, v in told.items() if not k.endswith("mb")}
            said = ", ".join(f"{k} {v:.4g}" for k, v in seconds.items())
            rows.append(f"| {name} | {size:,} | {said} | {told['mb']:.0f} |")
    return "\n".join(rows)


def _lines(axis: str, found: dict[str, Any]) -> list[Line]:
    lines = []
    for who, said in SAID.items():
        points = [(s, found.get(f"{axis}/{s}/{who}", {}).get("ask")) for s in AXES[axis]]
        known = [(size, max(seconds, 0.001)) for size, seconds in points if seconds is not None]
        if len(known) > 1:
            sizes, seconds = zip(*known, strict=True)
            lines.append(Line(said, sizes, [math.log10(s) for s in seconds]))
    return lines
