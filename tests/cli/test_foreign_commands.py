"""Commands that other tools have are answered with ours."""

import pytest
from typer.testing import CliRunner

from tunewise.cli import app


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("optimize", "write tunewise tune job.yaml"),
        ("study", "tunewise show NAME"),
        ("best", "write tunewise show NAME"),
        ("dashboard", "write tunewise ui"),
        ("shwo", "Did you mean 'show'"),
    ],
)
def test_a_command_of_another_tool(command: str, line: str) -> None:
    done = CliRunner().invoke(app, [command, "NAME"])
    assert done.exit_code == 2 and line in done.output
