"""What an integration says where the package that it joins is not installed."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "extra", ["lightning", "mlflow", "optuna", "sklearn", "transformers", "wandb"]
)
def test_a_package_that_is_missing_is_named_with_the_line_that_installs_it(extra: str) -> None:
    code = f"""
import sys
sys.modules[{extra!r}] = None  # as if it were not installed
try:
    import tunewise.integrations.{extra}
except __import__("tunewise").errors.MissingExtraError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == f"{extra} is not installed: pip install 'tunewise[{extra}]'"
