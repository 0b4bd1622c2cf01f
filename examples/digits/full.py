"""What would the answer of the search on slices have cost on full trainings? Measured, here.

The same problem without slices, by the strategy that Tunewise takes for that, runs until it has
measured a config that keeps the limit and is as accurate, to half a percent.
"""

import sys

from train import train
from tune import problem

import tunewise as tw
from tunewise.format import money

AS_GOOD = 0.005
TRIALS, SECONDS = 20, 20


def answer_of(sliced: tw.Study) -> tuple[float, float]:
    """What the recommended config reaches on all the data, and USD until that was known."""
    config, spent = sliced.recommend().config, sliced.spent["cost"]
    full = [t for t in sliced.history.complete if t.config == config and t.fraction == 1]
    if full:
        return full[-1].metrics["accuracy"], spent
    measured, price = train(tw.Trial(0, config)), problem().price  # what is not known is paid for
    assert price is not None
    return measured["accuracy"], spent + price(config) * measured["time"] / 3600


def main(storage: str) -> None:
    """Run the search on full trainings, or resume it, and print one line that compares both."""
    with tw.load_study(storage, "digits") as sliced:
        reached, spent = answer_of(sliced)
    print("for comparison, the same search on full trainings")
    with tw.Study(problem(slices=False), seed=1, storage=storage, name="digits-full") as study:
        target = reached - AS_GOOD
        study.optimize(train, trials=TRIALS, timeout=SECONDS, parallel=2, target=target)
        best, cost = study.best, study.spent["cost"]
    found = best is not None and best.metrics["accuracy"] >= target
    ended = f"the same took {money(cost)}" if found else f"{money(cost)} did not reach it"
    print(
        f"On slices, an accuracy of {reached:.3f} took {money(spent)}; on full trainings"
        f" {ended} ({cost / spent:.1f} times as much). The same is within {AS_GOOD}."
    )


if __name__ == "__main__":
    main(sys.argv[1])
