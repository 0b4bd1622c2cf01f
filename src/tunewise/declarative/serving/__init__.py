"""Answers from stored models: ONNX with one thread; nothing that a model holds is ever executed."""

from tunewise.declarative.serving.answer import Answer
from tunewise.declarative.serving.served import Served

__all__ = ["Answer", "Served"]
