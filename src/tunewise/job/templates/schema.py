"""What an editor knows of a job file: a JSON schema, from the fields themselves."""

from typing import Any, Literal

from tunewise.job.fields import Fields, JobFields
from tunewise.job.training.fields import TrainFields

_SCALARS = {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}}


def schema(kind: Literal["tune", "train"]) -> dict[str, Any]:
    """The JSON schema of the job files of a command, with what each field holds.

    It is a little wider than the checks of a run: an editor completes and warns, a dry run decides.
    """
    fields: type[Fields] = JobFields if kind == "tune" else TrainFields
    found = fields.model_json_schema()
    found["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    found["title"] = f"A job file of `tunewise {kind}`"
    _without_titles(found)
    parameters = found["properties"]["space"]
    parameters["additionalProperties"] = {"anyOf": [_SCALARS, parameters["additionalProperties"]]}
    return found


def _without_titles(found: dict[str, Any]) -> None:
    """Titles that only repeat the names of fields are noise in an editor."""
    for group in (found, *found.get("$defs", {}).values()):
        for each in group.get("properties", {}).values():
            each.pop("title", None)
