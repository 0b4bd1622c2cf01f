"""Mutants made by hand: each takes from a published system what defines it, and has to die.

Usage: python -m tests.mutation.papers [--folder build/mutants]
"""

import argparse
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.copies import copied, go_on_in, in_child, warm

TESTS = "tests/strategy/test_by_hand.py"


@dataclass(frozen=True)
class Loss:
    """What a published system loses.

    Attributes:
        what: In words.
        file: In `src/tunewise`.
        text: What stands there, once or more often.
        instead: What stands there after the loss.
        noticed_by: The test that fails then.
    """

    what: str
    file: str
    text: str
    instead: str
    noticed_by: str


SEARCH = "acquisition/entropy_search.py"
LOSSES = (
    Loss(
        "Fabulinus without its CEA factor",
        "strategy/fabulinus.py",
        '"accuracy",',
        '"none",',
        "test_fabulinus_weighs_accuracy_and_feasibility_of_the_next_incumbent",
    ),
    Loss(
        "equation 4.5 without the accuracy",
        "acquisition/entropy.py",
        "value[each, best] if with_value else 1.0",
        "1.0",
        "test_fabulinus_weighs_accuracy_and_feasibility_of_the_next_incumbent",
    ),
    Loss(
        "equation 5 without feasibility",
        SEARCH,
        "return incumbent_feasibility(future, self.least, self.roots)",
        "return np.ones(len(future))",
        "test_equation_5_prefers_what_makes_the_incumbent_safe",
    ),
    Loss(
        "FABOLAS not per cost",
        SEARCH,
        " / with_overhead(posterior, trials, self.overhead)",
        "",
        "test_fabolas_is_information_per_cost",
    ),
    Loss(
        "eic_per_usd not per USD",
        "strategy/eic.py",
        "ConstrainedImprovement(per_usd=True)",
        "ConstrainedImprovement()",
        "test_eic_per_usd_divides_by_the_usd_expected",
    ),
    Loss(
        "Nephele ignoring cost",
        "acquisition/reward.py",
        "improvement - np.log(at(posterior.spending(seen), trials))",
        "improvement",
        "test_nephele_is_constrained_improvement_per_cost",
    ),
    Loss(
        "TrimTuner's overhead",
        "acquisition/knowledge_gradient.py",
        "(spending + self.overhead * posterior.spent)",
        "spending",
        "test_where_trials_may_be_given_up_money_spent_makes_each_of_them_worth_less",
    ),
    Loss(
        "TrimTuner's overhead where trials are not stopped",
        "acquisition/knowledge_gradient.py",
        "with_overhead(posterior, trials, self.overhead)",
        "with_overhead(posterior, trials, 0.0)",
        "test_trimtuner_is_the_expected_rise_of_the_recommendation_per_cost_and_overhead",
    ),
    Loss(
        "TrimTuner's guard against a lucky measurement",
        "strategy/loop/recommender.py",
        "safe[measured] &= posterior.feasible()[measured, -1] >= _LIKELY",
        "pass",
        "test_a_lucky_measurement_within_the_limit_is_not_recommended",
    ),
    Loss(
        "CherryPick ignoring pending trials",
        "strategy/loop/model_based.py",
        "[(t.config, t.fraction) for t in history.pending]",
        "[]",
        "test_cherrypick_takes_a_pending_trial_as_measured_where_it_was_expected",
    ),
)


def rewrite(file: Path, text: str) -> None:
    """Write a module anew; bytecode of the same second would be taken for its own."""
    file.write_text(text)
    for old in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
        old.unlink()


def notices(loss: Loss) -> bool:
    """Whether the test fails once the system has lost what defines it, and passes before."""
    file = Path("src/tunewise") / loss.file
    whole, test = file.read_text(), f"{TESTS}::{loss.noticed_by}"
    assert loss.text in whole, f"{loss.what}: {loss.file} no longer has this text"
    assert in_child("", [test]) == 0, f"{test} fails without any loss"
    rewrite(file, whole.replace(loss.text, loss.instead))
    status = in_child("", [test])
    rewrite(file, whole)
    assert status in (0, 1), f"{loss.what}: {test} could not be run"
    return status == 1


def main() -> int:
    """Say of each whether a test notices; 1 if any survives."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("build/mutants"))
    parser.add_argument("--ready", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    copy = asked.folder.resolve() / "papers"
    if not asked.ready:
        shutil.rmtree(copy, ignore_errors=True)
        copied(Path.cwd(), copy)
        go_on_in(copy, "tests.mutation.papers", *sys.argv[1:], "--ready")
    warm()
    survived = 0
    for loss in LOSSES:
        dead = notices(loss)
        survived += not dead
        print(f"{'killed' if dead else 'SURVIVED'}: {loss.what}", flush=True)
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main())
