"""`tunewise task models`: what was trained."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from tunewise.cli.options import Json, Namespace, Server, Storage, console, print_json
from tunewise.cli.task.opened import TaskName, reached

if TYPE_CHECKING:
    from rich.console import Console

    from tunewise.declarative.task.told import TrainedModel


_CLASSES = 12
"""Of which a terminal shows how often each is taken for which."""


def models(
    task: TaskName,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """List what was trained on what, how good it is, and what it cost."""
    found = reached(task, storage, namespace, server)
    trained = found.models()
    if json:
        print_json([asdict(model) for model in trained])
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("model", "quality", "interval", "examples", "data", "seconds", ""):
        table.add_column(name, justify="left" if name in ("model", "") else "right")
    for model in trained:
        failed = model.quality is None
        table.add_row(
            model.name,
            "failed" if failed else f"{model.quality:.3f}",
            "" if failed else f"{model.low:.3f} to {model.high:.3f}",
            "" if failed else str(model.examples),
            "" if failed else f"version {model.data}",
            f"{model.seconds:.1f}",
            "serves" if model.serves else model.why,
        )
    out = console()
    out.print(table)
    _say_confusion(out, trained)
    out.print(found.outlook())


def _say_confusion(out: "Console", trained: "Sequence[TrainedModel]") -> None:
    """How often each class is found by the model that serves, and what it is taken for."""
    from rich.table import Table

    counts: dict[str, dict[str, int]] = next((m.confusion for m in trained if m.serves), {})
    if not counts:
        return
    names = sorted({*counts, *(answer for answers in counts.values() for answer in answers)})
    shown = names[:_CLASSES]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("true class", "found", *(f"as {name}" for name in shown)):
        table.add_column(name, justify="left" if name == "true class" else "right")
    for label in [name for name in shown if name in counts]:
        answers = counts[label]
        found = answers.get(label, 0) / sum(answers.values())
        table.add_row(label, f"{found:.0%}", *(str(answers.get(name, "")) for name in shown))
    out.print(table)
    if len(names) > len(shown):
        out.print(f"and {len(names) - len(shown)} classes more; --json lists all")
