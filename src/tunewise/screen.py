"""The one place through which everything is printed: nothing a terminal obeys, no password.

Names, values, reasons and logs may hold control characters, which would clear or forge other
people's screens. Colours and living lines come from `screen`, all other text goes through `Guard`.
"""

import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

from tunewise.format.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

_SHORTEST_SECRET = 3
"""Characters of a password that is hidden wherever it stands: a shorter one is a part of words."""

_secrets: set[str] = set()


def keep_secret(*texts: str) -> None:
    """Never print these from now on."""
    _secrets.update(text for text in texts if len(text) >= _SHORTEST_SECRET)


def shown(text: str) -> str:
    """The text as it may be printed."""
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return printable(text)


class Guard:
    """A stream whose text is shown and not obeyed."""

    def __init__(self, stream: TextIO) -> None:
        """Guard a stream, which stays reachable as `unguarded`."""
        self.unguarded = stream

    def write(self, text: str) -> int:
        """Write what may be printed of the text."""
        self.unguarded.write(shown(text))
        return len(text)

    def writelines(self, lines: "Iterable[str]") -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        """All else is the stream's own."""
        return getattr(self.unguarded, name)


def guard_output() -> None:
    """Guard this process's output and errors."""
    if not isinstance(sys.stdout, Guard):
        sys.stdout = cast(TextIO, Guard(sys.stdout))
    if not isinstance(sys.stderr, Guard):
        sys.stderr = cast(TextIO, Guard(sys.stderr))


def screen(*, stderr: bool = False, quiet: bool = False) -> "Console":
    """Standard output or errors, with colours where it has them; "[/x]" in a name is no markup."""
    from rich.console import Console
    from rich.segment import Segment

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the command, which knows the exit code for it."""
            raise BrokenPipeError

        def render(
            self, renderable: "RenderableType", options: "ConsoleOptions | None" = None
        ) -> "Iterable[Segment]":
            """What is drawn, with control characters of its own only."""
            for segment in super().render(renderable, options):
                own = segment.control or segment.text == (text := shown(segment.text))
                yield segment if own else Segment(text, segment.style)

    stream = sys.stderr if stderr else sys.stdout
    file = stream.unguarded if isinstance(stream, Guard) else stream
    return Screen(file=file, highlight=False, markup=False, quiet=quiet)
