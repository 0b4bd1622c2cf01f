"""Stores of MLflow for tests: its tables take seconds to make, so they are made once."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


def empty_store(folder: Path) -> str:
    """The URI of a store in the folder, without a run."""
    file = folder / "mlflow.db"
    file.write_bytes(_tables())
    return f"sqlite:///{file}"


@cache
def _tables() -> bytes:
    from mlflow.tracking import MlflowClient

    with TemporaryDirectory() as folder:
        file = Path(folder) / "mlflow.db"
        MlflowClient(f"sqlite:///{file}").search_experiments()
        return file.read_bytes()
