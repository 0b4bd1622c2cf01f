"""How far a race is, for whoever looks at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(total: int, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar on standard error of so many runs; what it gives is called once a run."""
    from rich.progress import Progress

    from tunewise.screen import screen

    out = screen(stderr=True, quiet=quiet)
    with Progress(console=out, transient=True, disable=not out.is_terminal) as drawn:
        task = drawn.add_task("racing", total=total)

        def advance() -> None:
            drawn.update(task, advance=1)

        yield advance
