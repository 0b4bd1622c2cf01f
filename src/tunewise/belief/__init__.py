"""What is believed of a problem: one posterior over (configs x fractions), and its futures.

`posterior.Posterior` answers all that an acquisition, an affordability rule or a recommender may
ask: what each metric is at each trial, whether limits hold, what a trial spends, and what one more
trial would change. Prices, failures, stopped and pending trials and other studies are inside.
Import from its files: the room itself stays light.
"""

from tunewise.history.prior import Prior

__all__ = ["Prior"]
