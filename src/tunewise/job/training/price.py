"""The price of a training, kept beside its checkpoints for those who look at it later."""

import json
from collections.abc import Callable
from pathlib import Path

from tunewise.errors import TunewiseError
from tunewise.job.fields import PriceFields
from tunewise.job.price import price
from tunewise.job.training.file import TrainFile
from tunewise.online.record.course import Course
from tunewise.online.time_left import cost
from tunewise.space import Config

_FILE = "price.json"


def keep_price(folder: Path, file: TrainFile) -> None:
    """Keep what the job file says of prices now, which counts for the whole training."""
    said = file.fields.price
    if said is None:
        (folder / _FILE).unlink(missing_ok=True)
        return
    stated = said.model_dump() if isinstance(said, PriceFields) else said
    folder.mkdir(parents=True, exist_ok=True)
    kept = {"price": stated, "beside": str(file.path.parent)}
    (folder / _FILE).write_text(json.dumps(kept), encoding="utf-8")


def kept_price(folder: Path, course: Course) -> Callable[[Config], float] | None:
    """USD per hour of a setting; None where none is kept, or where it has none for what ran."""
    try:
        kept = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        said, beside = kept["price"], Path(kept["beside"])
        stated = PriceFields.model_validate(said) if isinstance(said, dict) else said
        found = price(stated, [each.name for each in course.space.parameters], beside)
        cost(course.segments, found)
    except (OSError, ValueError, KeyError, TypeError, TunewiseError):
        return None  # a page without USD says more than none
    return found
