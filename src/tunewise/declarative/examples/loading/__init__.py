"""Reads examples from files and objects; what cannot be read becomes a line with the reason."""

from tunewise.declarative.examples.loading.objects import from_objects
from tunewise.declarative.examples.loading.paths import from_path, inputs_of

__all__ = ["from_objects", "from_path", "inputs_of"]
