"""Every published system as published beside our default of its kind, raced once.

Usage: python -m benchmarks.published [--only NAME] [--seeds 2] [--first-seed 3000]

Printed as it comes: USD until what would be deployed is within 5 % of the optimum the first time
(looked at after every fifth trial), how good it is at the end (0 where it breaks a limit), USD
spent, and the processor's seconds per ask. A row for each seed: few seeds say which variants
break, not which of two good ones is better.
"""

import argparse

from benchmarks import machine
from benchmarks.before_after import CHEAPEST, ON_SLICES, Race, raced

SLICES = ON_SLICES._replace(trials=60)
FULL = SLICES._replace(slices=False, trials=40)
ANY = Race(
    "trimtuner/cnn.csv",
    {"minimize": "cost", "subject_to": ["accuracy >= 0.85", "time <= 300"], "deploy": "any"},
    slices=True,
    trials=60,
)
PUBLISHED = {
    **dict.fromkeys(["trimtuner", "trimtuner_paper", "fabulinus", "fabolas", "bohb"], SLICES),
    **dict.fromkeys(["bohb_paper", "hyperband"], SLICES),
    **dict.fromkeys(["cherrypick", "cherrypick_paper", "eic", "eic_per_usd"], FULL),
    **dict.fromkeys(["ei", "pi", "ucb", "random"], FULL),
    **dict.fromkeys(["nephele", "nephele_paper"], ANY),
    **dict.fromkeys(["machines", "lynceus_paper"], CHEAPEST),
    **dict.fromkeys(["fabulinus_paper", "fabolas_paper"], SLICES),
}
"""The slow ones last: they draw hyper-parameters by MCMC for each ask."""
KINDS = {id(SLICES): "slices", id(FULL): "full data", id(ANY): "any", id(CHEAPEST): "cheapest"}


def main() -> None:
    """Print a table for benchmarks/PUBLISHED.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=[*PUBLISHED], help="may be repeated")
    parser.add_argument("--first-seed", type=int, default=3000)
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    print(machine.described() + "\n", flush=True)
    print("| race | strategy | seed | USD to 95 % | final | USD spent | s per ask |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for name in given.only or PUBLISHED:
        race = PUBLISHED[name]
        machine.table(race.table)
        for seed in range(given.first_seed, given.first_seed + given.seeds):
            found = raced(machine.tables(), name, race, seed, 5)
            usd = "–" if found["usd"] is None else f"{found['usd']:.3f}"
            cells = [KINDS[id(race)], f"`{name}`", str(seed), usd, f"{found['final']:.3f}"]
            cells += [f"{found['spent']:.3f}", f"{found['ask']:.3f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
