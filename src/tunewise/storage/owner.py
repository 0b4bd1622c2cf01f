"""The contract lives in the study room, which comes first."""

from tunewise.study.owner import Owner

__all__ = ["Owner"]
