"""Where trials run: in a process, as a command.

An executor runs a job on a trial and gives a future of its outcome. Whatever the job does, return,
raise, crash, hang or eat the memory, ends as an outcome and never harms the study.
"""

from tunewise.execution.command.command import Command
from tunewise.execution.executor import Job, TrialExecutor
from tunewise.execution.process import ProcessExecutor
from tunewise.execution.result import recover
from tunewise.execution.running_trial import RunningTrial

__all__ = [
    "Command",
    "Job",
    "ProcessExecutor",
    "RunningTrial",
    "TrialExecutor",
    "recover",
]
