"""Candidate models: one file a family, one class a model, each of them stored as an ONNX graph."""

from tunewise.declarative.models.graph import Graph, answers, disagreement, session
from tunewise.declarative.models.model import (
    CLASSES,
    NUMBERS,
    SEQUENCES,
    TENSORS,
    Data,
    Fitted,
    Model,
    Size,
)

__all__ = [
    "CLASSES",
    "NUMBERS",
    "SEQUENCES",
    "TENSORS",
    "Data",
    "Fitted",
    "Graph",
    "Model",
    "Size",
    "answers",
    "disagreement",
    "session",
]
