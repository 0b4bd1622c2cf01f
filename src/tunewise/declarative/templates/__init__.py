"""Which models fit a program: templates matched from top to bottom, and what they offer."""

from tunewise.declarative.encoders import decode, encode, ready
from tunewise.declarative.templates.candidates import (
    Candidate,
    candidate,
    candidates,
    left_out,
    length_of,
    match,
    missing_extras,
    size_of,
)
from tunewise.declarative.templates.template import POWERS, Template

__all__ = [
    "POWERS",
    "Candidate",
    "Template",
    "candidate",
    "candidates",
    "decode",
    "encode",
    "left_out",
    "length_of",
    "match",
    "missing_extras",
    "ready",
    "size_of",
]
