"""The API against its own description: `python -m benchmarks.service.conformance`.

Needs the command `schemathesis`, in an environment of its own: it brings many packages. A service
is started, filled with a trained task, a study and a training that share one name, and asked for
everything that its description allows, once with that name and once with names that nobody has.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

from tests.service.server import Server, started
from tunewise.declarative.task import Task
from tunewise.online import Tuner
from tunewise.problem import Problem
from tunewise.space import Ordinal, Space
from tunewise.study import Study

CHECKS = ("not_a_server_error", "status_code", "content_type", "response_schema")
NAMED = """[parameters]
"path.name" = "plans"
"path.id" = "e1"
"path.number" = 1
"""


def main() -> None:
    """Print what schemathesis found; the exit code is its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--schemathesis", default="schemathesis", metavar="COMMAND")
    parser.add_argument("--examples", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with started(folder, "--no-accounts", "--workers", "0") as server:
            fill(server)
            named = folder / "schemathesis.toml"
            named.write_text(NAMED, encoding="utf-8")
            words = command(server, asked.examples, asked.schemathesis)
            codes = [
                subprocess.call([*words[:1], "--config-file", str(named), *words[1:], *_KEEP]),
                subprocess.call(words, cwd=folder / "empty"),
            ]
    raise SystemExit(max(codes))


_KEEP = ("--exclude-method", "DELETE")


def command(server: Server, examples: int, program: str) -> list[str]:
    """What is run."""
    checks = ",".join([CHECKS[0], *(f"{check}_conformance" for check in CHECKS[1:])])
    described = f"{server.url}/api/v1/openapi.json"
    options = ["--max-examples", str(examples), "--checks", checks, "--continue-on-failure"]
    return [program, "run", described, *options, "--phases", "examples,coverage,fuzzing"]


def fill(server: Server) -> None:
    """A task with a model, a study with trials, and a training, all of one name."""
    (Path(server.log).parent / "empty").mkdir()
    task = Task("table(4) -> [low, high]", name="plans", storage=server.storage)
    rows = [[i % 7, i / 100, 1.0, i % 3] for i in range(60)]
    task.feed(rows, ["low" if row[0] < 4 else "high" for row in rows])
    task.train(60.0, models=1)
    task.close()
    problem = Problem(Space(Ordinal("x", [1, 2, 3])), minimize="loss")
    with Study(problem, strategy="random", storage=server.storage, name="plans", seed=0) as study:
        study.optimize(lambda trial: {"loss": float(trial.config["x"])}, trials=3)
    tuner = Tuner(
        Space(Ordinal("x", [1, 2])), until="loss <= 0.001", storage=server.storage, name="plans"
    )
    for _ in tuner:
        for step in range(40):
            tuner.report(loss=1 / (1 + step), seconds=0.01)
            if tuner.changed:
                break
        else:
            break


if __name__ == "__main__":
    main()
