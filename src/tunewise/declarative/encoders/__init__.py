"""How raw inputs become a graph's input tensors: learned on the training part, kept as JSON.

`learned` looks at examples and returns plain data; `ready` makes a function of it that needs numpy
alone, so that serving knows nothing of how it was learned.
"""

from tunewise.declarative.encoders.encoding import decode, encode, learned, ready

__all__ = ["decode", "encode", "learned", "ready"]
