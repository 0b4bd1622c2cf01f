"""Stored models, damaged: graphs, cards and checkpoints, none of which may run anything."""

import json
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.watch import Watch
from tunewise.declarative.models import Data, Fitted
from tunewise.declarative.models.networks.network import going_on
from tunewise.declarative.models.networks.perceptron import Mlp
from tunewise.declarative.models.networks.training import Plan
from tunewise.declarative.schema import parse
from tunewise.declarative.serving import Served
from tunewise.declarative.templates import candidate

PROGRAM = parse("table(3) -> [no, yes]")
KINDS = ("ridge", "boosting", "checkpoint")


@cache
def _data() -> Data:
    x = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
    return Data(x, (x.sum(axis=1) > 0).astype(np.int64), PROGRAM, ("no", "yes"))


@cache
def _fitted(kind: str) -> Fitted:
    if kind == "checkpoint":
        return Mlp(plan=Plan(epochs=1, batch=16, least=2, rates="adam")).fit(_data())
    return candidate(PROGRAM, kind).fit(_data())


def content_of(kind: str) -> bytes:
    """The bytes of a sound one, made once."""
    fitted = _fitted(kind)
    return fitted.checkpoint or b"" if kind == "checkpoint" else fitted.onnx


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes, str]:
    """What it is, its bytes and its card as JSON, both with some of it changed."""
    kind = draw(st.sampled_from(KINDS))
    content = bytearray(content_of(kind))
    card = {"program": str(PROGRAM), "classes": ["no", "yes"], "encoder": _fitted("ridge").encoder}
    text = bytearray(json.dumps(card).encode())
    for each in (content, text):
        for _ in range(draw(st.integers(0, 3))):
            at = draw(st.integers(0, len(each) - 1))
            if draw(st.booleans()):
                each[at] = draw(st.integers(0, 255))
            else:
                del each[at : at + draw(st.integers(1, 30))]
    return kind, bytes(content), text.decode("latin-1")


def look(watch: Watch, given: tuple[str, bytes, str]) -> None:
    """Load it, and where it loads ask it."""
    kind, content, text = given
    if kind == "checkpoint":
        network = Mlp().network((3,), (2,))
        watch.call(lambda: going_on(network, (3,), content), given)
        return
    try:
        card: Any = json.loads(text)
    except ValueError:
        return
    if isinstance(card, dict):
        inputs = np.zeros((4, 3), np.float32)
        watch.call(lambda: Served(content, card).answers(inputs), given)
