"""Job files: YAML to problem, price, command and executor.

A job file is read once, all that is wrong with it is said at once, each with its line and field,
and what comes out are the values of the rooms above: a problem, a strategy, a job. Nothing here
prints or runs a trial, so that a command, a page or a service can read job files alike.
"""

from tunewise.job.jobfile import JobFile, load, parse

__all__ = ["JobFile", "load", "parse"]
