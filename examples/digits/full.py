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


def accuracy_of(sliced: tw.Study) -> float:
    """What the config that the search on slices recommends reaches on all the data."""
    config = sliced.recommend().config
    full = [t for t in sliced.history.complete if t.config == config and t.fraction == 1]
    measured = full[-1].metrics if full else train(tw.Trial(0, config))
    return measured["accuracy"]


def main(storage: str) -> None:
    """Run the search on full trainings, or resume it, and print one line that compares both."""
    with tw.load_study(storage, "digits") as sliced:
        reached, spent = accuracy_of(sliced), sliced.spent["cost"]
    print("for comparison, the same search on full trainings")
    with tw.Study(problem(slices=False), seed=1, storage=storage, name="digits-full") as study:
        target = reached - AS_GOOD
        study.optimize(train, trials=TRIALS, timeout=SECONDS, parallel=2, target=target)
        best, cost = study.best, study.spent["cost"]
    found = best is not None and best.metrics["accuracy"] >= target
    ended = f"the same took {money(cost)}" if found else f"{money(cost)} did not reach it"
    print(
        f"On slices, an accuracy of {reached:.3f} took {money(spent)}; on full trainings"
        f" {ended} ({cost / spent:.1f} times as much)."
    )


if __name__ == "__main__":
    main(sys.argv[1])
