"""Job files that are nearly right: sound ones, changed in a few places."""

import copy
from typing import Any

import yaml
from hypothesis import strategies as st

from tests.fuzz.nasty import Raw, values, written
from tunewise.job.fields import NESTED

SOUND: list[dict[str, Any]] = [
    {
        "name": "plain",
        "command": "python3 train.py {x} {y} --data {fraction}",
        "space": {"x": {"real": [0.001, 1.0], "log": True}, "y": [1, 2, 4], "z": ["a", "b"]},
        "where": ["z != 'a' or y >= 2"],
        "maximize": "accuracy",
        "subject_to": ["cost <= 0.02 USD", ["time", "<=", 300]],
        "fractions": ["1/10", 0.5, 1],
        "price": "0.05 * y",
        "billing": {"tick": "1 s", "minimum": 60},
        "budget": "2 USD",
        "strategy": "random",
        "seed": 1,
        "trials": 5,
        "timeout": "10 min",
        "trial_timeout": 60,
        "parallel": 2,
        "target": 0.9,
        "min_gain": "10 %",
        "min_trials": 2,
        "memory": "2 GB",
        "storage": "studies.db",
        "report": "report.html",
        "env": {"A": "{x}", "B": 1},
    },
    {
        "python": "train.py:train",
        "cwd": ".",
        "space": {
            "cluster": {
                "cluster": {
                    "types": ["t2.small", "t2.medium"],
                    "counts": {"t2.small": [4, 8], "t2.medium": [2]},
                    "helpers": ["same"],
                    "spot": False,
                    "min_memory": 1.0,
                    "max_price": 1.0,
                }
            },
            "n": {"integer": [1, 8], "log": True},
            "m": {"kind": "ordinal", "values": [1, 10, 100]},
        },
        "minimize": "cost",
        "subject_to": "accuracy >= 85 %",
        "metrics": {"loss": "positive"},
        "deploy": "any",
        "fractions": [0.25, 1.0],
        "strategy": {"name": "cherrypick", "initial": 3},
        "seed": 0,
    },
    {
        "command": ["sh", "train.sh", "{vms}", "{size:>8}"],
        "shell": False,
        "space": {
            "vms": [1, 2],
            "size": ["small", "medium"],
            "k": {"kind": "real", "low": 0, "high": 1},
        },
        "price": {"vm": "t2.{size}", "count": "vms", "helpers": ["same"], "spot": False},
        "minimize": "time",
        "metrics": ["loss"],
    },
]
_NAMES = sorted({name for fields in NESTED.values() for name in fields.model_fields})


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in the file."""
    if isinstance(node, dict):
        inside = [place for key, value in node.items() for place in _places(value, (*path, key))]
        return [path, *inside]
    if isinstance(node, list):
        inside = [place for i, value in enumerate(node) for place in _places(value, (*path, i))]
        return [path, *inside]
    return [path]


def _at(node: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        node = node[part]
    return node


@st.composite
def job_files(draw: st.DrawFn) -> bytes:
    """The bytes of a job file."""
    data = copy.deepcopy(draw(st.sampled_from(SOUND)))
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        _change(draw, data)
    text = written(data) if draw(st.booleans()) else _block(data)
    return _scratch(draw, text).encode("utf-8", "surrogatepass")


def _change(draw: st.DrawFn, data: dict[str, Any]) -> None:
    place = draw(st.sampled_from(_places(data)[1:]))
    around, last = _at(data, place[:-1]), place[-1]
    kind = draw(
        st.sampled_from(["value", "value", "value", "drop", "add", "rename", "wrap", "many"])
    )
    if kind == "value":
        around[last] = draw(values)
    elif kind == "drop":
        del around[last]
    elif kind == "add":
        field = draw(st.sampled_from(_NAMES) | st.text(max_size=5))
        (around if isinstance(around, dict) else data)[field] = draw(values)
    elif kind == "rename" and isinstance(around, dict):
        around[draw(st.text(max_size=8) | st.sampled_from(_NAMES))] = around.pop(last)
    elif kind == "wrap":
        around[last] = [around[last]]
    elif isinstance(around, list):
        around += [draw(values) for _ in range(draw(st.integers(1, 4)))]


def _block(data: dict[str, Any]) -> str:
    """Fields on lines of their own, each in flow style."""
    lines = [f"{written(key)}: {written(value)}" for key, value in data.items()]
    return "\n".join(lines) + "\n"


def _scratch(draw: st.DrawFn, text: str) -> str:
    """Now and then the text itself is damaged."""
    if draw(st.integers(0, 5)):
        return text
    at = draw(st.integers(0, len(text)))
    return draw(
        st.sampled_from(
            [
                text[:at],
                text[:at] + draw(st.characters()) + text[at:],
                text[:at] + text[at + 1 :],
                text + text[:at],
                yaml.safe_dump({"space": {"a": [1]}}) + text,
                text[:at] + "\x00" + text[at:],
            ]
        )
    )


TRAIN = """def train(trial):
    return {"accuracy": 0.5, "cost": 1.0}
"""
__all__ = ["SOUND", "TRAIN", "Raw", "job_files"]
