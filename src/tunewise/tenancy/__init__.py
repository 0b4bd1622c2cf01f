"""Who is served next: many users, one cluster, each with a set of candidate models.

Pure: no clock, no files. Time is what the caller tells.
"""

from tunewise.tenancy.devices import Device
from tunewise.tenancy.log import Log
from tunewise.tenancy.outlook import Outlook, Pick
from tunewise.tenancy.rules.rule import Rule
from tunewise.tenancy.rules.spec import RULES, RuleSpec
from tunewise.tenancy.scheduler import Scheduler
from tunewise.tenancy.score import Score

__all__ = ["Device", "Log", "Outlook", "Pick", "RULES", "Rule", "RuleSpec", "Scheduler", "Score"]
