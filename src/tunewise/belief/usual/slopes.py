"""What more data usually does to a metric, before a problem says what it does here."""

from tunewise.problem import Problem

PER_DECADE = {"share": 1.2, "effort": 1.8}
"""What ten times the data is assumed to add: to the logit of a share, to the log of cost and time.

About what the three measured networks do; a training in proportion to its data would rise by
log(10) = 2.3, less what its set-up takes. On LCDB's learners the logit of accuracy rises by 0.24
and the log of time by 2.46 per decade: slopes are where beliefs begin, surrogates learn the rest.
"""


DOUBT = 0.5
"""Standard deviation of what is usual, as a part of it: nothing at all and twice as much are two
deviations away, which covers what was measured on networks, learners and rented machines."""


def usual_per_decade(problem: Problem, name: str) -> float:
    """More data makes trials longer and dearer, and shares better, whichever way that is."""
    if name in ("cost", "time"):
        return PER_DECADE["effort"]
    if name not in problem.metrics or problem.metrics[name].kind != "share":
        return 0.0
    limits = (c for c in problem.constraints if c.metric == name)
    wanted_low = (name == problem.objective and not problem.maximize) or any(
        c.sign == "<=" for c in limits
    )
    return -PER_DECADE["share"] if wanted_low else PER_DECADE["share"]
