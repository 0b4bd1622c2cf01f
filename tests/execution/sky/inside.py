"""Runs in SkyPilot's own environment: what it makes of our task files, as JSON.

Usage: python inside.py TASK.yaml ...
"""

import json
import sys
from typing import Any


def main() -> None:
    """One answer for each file: what was understood, or the error."""
    import sky

    answers: list[dict[str, Any]] = []
    for file in sys.argv[1:]:
        try:
            task = sky.Task.from_yaml(file)
            (resources,) = task.resources
            resources.validate()
            answers.append(
                {
                    "instance_type": resources.instance_type,
                    "nodes": task.num_nodes,
                    "spot": resources.use_spot,
                    "envs": dict(task.envs),
                    "run": task.run,
                    "hourly": resources.get_cost(3600) * task.num_nodes,
                }
            )
        except Exception as error:
            answers.append({"error": f"{type(error).__name__}: {error}"})
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
