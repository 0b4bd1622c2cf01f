"""Stored models on their way out: to be served, as a file, or as a folder that runs by itself."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.declarative.examples import Files
from tunewise.declarative.serving import Served
from tunewise.errors import TaskError, optional

_README = """# {model}: {program}

    python infer.py INPUT

answers. INPUT is a file, a folder, a text or JSON. It needs no task and no training:

    pip install '.[tasks]'

in a clone of Tunewise brings what it needs.

- `model.onnx` is the model, for anything that runs ONNX.
- `card.json` says how inputs become what the graph takes (`encoder`), what its outputs mean, one
  after the other (`classes`), and how good it was found to be.
"""

_LINES = '''"""Answers without the task: python infer.py INPUT. README.md says what it needs."""

import sys
from pathlib import Path

from tunewise import TunewiseError
from tunewise.declarative.task.exporting import open_folder

if len(sys.argv) < 2:
    sys.exit("usage: python infer.py INPUT, which is a file, a folder, a text or JSON")
try:
    model = open_folder(Path(__file__).parent)
    for answer in model.answers(model.read(" ".join(sys.argv[1:]))):
        print(answer.line())
except TunewiseError as error:
    sys.exit(f"{error}")
'''


class Exported(Served):
    """A model that was exported to a folder."""

    def read(self, given: str) -> Any:
        """The inputs that a person gave: JSON, a file, a folder, or text."""
        from tunewise.declarative.task.asking import asked

        single = self.program.input.single
        if given and os.path.exists(given):  # of a long text pathlib's would be an error
            return asked(self.program, Path(given), None)[0]
        if single is not None and single.text:
            return [given]
        try:
            value = json.loads(given)
        except ValueError:
            raise TaskError(f"{given!r:.80} is no file or folder, and no JSON") from None
        return asked(self.program, value, None)[0]


def served(files: Files, card: Mapping[str, Any]) -> Served:
    """The model of a card, checked by its checksums."""
    encoder = json.loads(files.get(card["encoder"]))["encoder"]
    return Served(files.get(card["graph"]), {**card, "encoder": encoder})


def export(files: Files, card: Mapping[str, Any], path: Path) -> Path:
    """Write a model: as `.onnx` the graph alone, else a folder with all that answers need."""
    graph = files.get(card["graph"])
    if path.suffix == ".onnx":
        if path.exists():
            raise TaskError(f"{str(path)!r} is there already; expected a new file")
        path.write_bytes(graph)
        return path
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise TaskError(f"{str(path)!r} is there already; expected a new or an empty folder")
    path.mkdir(parents=True, exist_ok=True)
    encoder = json.loads(files.get(card["encoder"]))["encoder"]
    (path / "model.onnx").write_bytes(graph)
    (path / "card.json").write_text(json.dumps({**card, "encoder": encoder}, indent=1))
    (path / "infer.py").write_text(_LINES, encoding="utf-8")
    told = _README.format(model=card["model"], program=card["program"])
    (path / "README.md").write_text(told, encoding="utf-8")
    return path


def write_images(values: Mapping[str, Any], folder: Path) -> None:
    """Write answers that are images as PNG files, each by its name."""
    pillow = optional("PIL.Image", "tasks")
    for name, value in values.items():
        pixels = (np.clip(value, 0, 1) * 255).round().astype(np.uint8)
        plain = pixels[:, :, 0] if pixels.shape[2] == 1 else pixels
        file = folder / (name if name.lower().endswith(".png") else f"{name}.png")
        file.parent.mkdir(parents=True, exist_ok=True)
        pillow.fromarray(plain).save(file, format="PNG")


def open_folder(path: Path) -> Exported:
    """The model of an exported folder."""
    try:
        card = json.loads((path / "card.json").read_text(encoding="utf-8"))
        return Exported((path / "model.onnx").read_bytes(), card)
    except (OSError, ValueError, KeyError) as error:
        raise TaskError(f"{str(path)!r} is no exported model ({error!s:.80})") from error
