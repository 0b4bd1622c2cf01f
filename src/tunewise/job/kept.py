"""What of a job file is kept in a storage, where others can read it: no secret.

The values of `env` and the URL of `storage` are left out. Whoever joins the study finds the values
of `env` in the job file, where it is on the machine, or in its own environment.
"""

import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tunewise.errors import JobFileError, StudyError
from tunewise.job.yaml_document import read
from tunewise.study.record import JobText

_FIELD = re.compile(r"\{[\w.]+(:[\w.]*)?\}")
"""A value that is a parameter's, and so no secret."""

_WORDS = {math.inf: ".inf", -math.inf: "-.inf"}


def kept_text(path: Path, text: str, changes: dict[str, Any]) -> JobText:
    """The job file as a store keeps it, with the names of variables whose values it lacks."""
    data = dict(read(text, str(path)).data)
    if not data.keys() & {"storage", "env"}:
        return JobText(str(path), text, changes)
    data.pop("storage", None)
    env = data.pop("env", None) or {}
    open_ = {name: value for name, value in env.items() if _FIELD.fullmatch(str(value))}
    if open_:
        data["env"] = open_
    written = "".join(f"{name}: {_written(value)}\n" for name, value in data.items())
    return JobText(str(path), written, changes, tuple(name for name in env if name not in open_))


def environment(study: str, job: JobText, path: Path) -> dict[str, Any]:
    """The variables of a stored job, for whoever joins its study.

    Raises:
        StudyError: The value of one is neither in the job file nor in the environment.
    """
    there = _stated(path) or _stated(Path(job.path))
    values = {**{name: os.environ[name] for name in job.withheld if name in os.environ}, **there}
    for name in job.withheld:
        if name not in values:
            raise StudyError(
                f"the job of study {study!r} needs the environment variable {name!r}, whose value"
                " is not kept in the storage; set it before this command, or put the job file"
                f" at {str(path)!r}"
            )
    return {name: values[name] for name in job.withheld}


def _stated(path: Path) -> Mapping[str, Any]:
    """The variables of the job file there; none where it cannot be read."""
    try:
        data = read(path.read_text(encoding="utf-8"), str(path)).data
    except (OSError, ValueError, JobFileError):
        return {}
    env = data.get("env") if isinstance(data, dict) else None
    return env if isinstance(env, dict) else {}


def _written(value: Any) -> str:
    """YAML that is JSON, but for the numbers that JSON lacks."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(k)}: {_written(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return _WORDS.get(value, ".nan")
    return json.dumps(value, ensure_ascii=False)
