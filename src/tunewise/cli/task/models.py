"""`tunewise task models`: what was trained."""

from dataclasses import asdict

from tunewise.cli.options import Json, Namespace, Server, Storage, console, print_json
from tunewise.cli.task.opened import TaskName, reached


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
    out.print(found.outlook())
