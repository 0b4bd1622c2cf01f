"""The loop: ask, run, tell, resume, stop.

A study joins a problem, a strategy and a history. What it needs from the outside, a place to keep
histories and a place to run trials, it knows only by contract (`Store`, `TrialExecutor`).
"""

from tunewise.study.executor import Job, TrialExecutor
from tunewise.study.owner import Owner
from tunewise.study.run.stopping import StopRule
from tunewise.study.store import Store, StudyRecord
from tunewise.study.study import Study

__all__ = ["Job", "Owner", "StopRule", "Store", "Study", "StudyRecord", "TrialExecutor"]
