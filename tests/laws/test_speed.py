"""Starting is quick: heavy packages are imported where they are used."""

import subprocess
import sys
from pathlib import Path

import tunewise as tw

HEAVY = {
    *("alembic", "numpy", "optuna", "pandas", "plotly", "psycopg", "pydantic", "ray", "rich"),
    *("scipy", "sklearn", "sqlalchemy", "torch", "yaml"),
}
MOST_FOR_IMPORT = 150
"""Modules that `import tunewise` may load, those of Python itself included; about 60 are."""
MOST_FOR_HELP = 350
"""Modules that `tunewise --help` may load; about 180 are."""
HELP = """
from tunewise.cli import main
sys.argv = ["tunewise", "--help"]
try:
    main()
except SystemExit:
    pass
"""


def test_import_brings_few_modules_and_no_heavy_package() -> None:
    _, loaded = run("import tunewise")
    assert not packages(loaded) & {*HEAVY, "typer"}
    assert len(loaded) < MOST_FOR_IMPORT


def test_help_lists_the_commands_with_few_modules_and_no_heavy_package() -> None:
    printed, loaded = run(HELP)
    assert "tune " in printed
    assert not packages(loaded) & HEAVY
    assert len(loaded) < MOST_FOR_HELP


def test_studies_are_listed_without_the_packages_that_fit_models(tmp_path: Path) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    study = tw.Study(problem, "random", storage=f"sqlite:///{tmp_path}/s.db", name="s")
    study.tell(study.ask(), {"accuracy": 0.5})
    given = ["tunewise", "list", "--storage", f"{tmp_path}/s.db"]
    printed, loaded = run(HELP.replace('["tunewise", "--help"]', repr(given)))
    assert "accuracy 0.5" in printed
    assert not packages(loaded) & {"alembic", "pandas", "psycopg", "scipy", "sklearn"}


def run(code: str) -> tuple[str, list[str]]:
    """What a program prints in a new Python, and the modules that are there at its end."""
    words = [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    printed, _, loaded = done.stdout.rstrip().rpartition("\n")
    return printed, loaded.split()


def packages(modules: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}
