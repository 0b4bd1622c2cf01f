"""The commands.

Each is a thin door to the rooms before it: it reads what a person gave, calls, and prints. What is
heavy is imported inside the commands, so that `tunewise --help` is quick. Results go to standard
output, everything else (progress, questions, errors) to standard error.
"""

from tunewise.cli.app import app, main

__all__ = ["app", "main"]
