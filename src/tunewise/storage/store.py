"""The contract lives in the study room, which comes first."""

from tunewise.study.store import Store, StudyRecord

__all__ = ["Store", "StudyRecord"]
