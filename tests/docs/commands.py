"""Runs `tunewise` within a page's script."""

import sys


def run(commands: list[list[str]]) -> None:
    """Run one command after the other; the first that fails ends the script."""
    from tunewise.cli import main

    for words in commands:
        sys.argv = words
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise SystemExit(f"{words} ended with {end.code}") from None
