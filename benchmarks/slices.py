"""How strategies that learn from slices of the data do on a measured table, in virtual time."""

import argparse

import tunewise as tw
from benchmarks import machine
from tunewise.benchmark.columns import Columns, read
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.entrants import entrants
from tunewise.benchmark.measures.score import LEVELS, Score, scores
from tunewise.benchmark.race import race

CONFIG = ["vm", "vms", "learning_rate", "batch_size", "mode"]
ENTRANTS = (
    "trimtuner,trimtuner(surrogate=trees),trimtuner(acquisition=entropy),"
    "trimtuner(acquisition=literal,bootstrap=paper,growth=null),"
    "fabolas,fabulinus,eic,eic_per_usd,random"
)


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="trimtuner/cnn.csv", help="below a folder of tables")
    parser.add_argument("--limit", default="cost <= 0.10", help="none for no limit at all")
    parser.add_argument("--strategies", default=ENTRANTS)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trials", type=int, default=45, help="44 after the first")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    path = machine.table(given.table)
    table = read(path, Columns())
    limits = [] if given.limit == "none" else [given.limit]
    problem = tw.Problem(
        table.space, maximize="accuracy", subject_to=limits, fractions=table.fractions
    )
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    contest = Contest(table, problem, given.trials)
    print(machine.described() + f", seeds {seeds[0]} to {seeds[-1]}\n", flush=True)
    print_head()
    first: Score | None = None
    for spec in entrants(given.strategies):
        score = scores(race(contest, [spec], seeds, given.jobs))[0]
        first = first or score
        print_row(score, first)


def print_head() -> None:
    """The head of the table."""
    head = ["strategy", *(f"USD to {level:.0%}" for level in LEVELS), "× to 90%", "× to 99%"]
    head += ["final", "worst", "feasible", "seconds per ask"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)


def print_row(score: Score, first: Score) -> None:
    """A strategy as soon as it has run; its costs also as multiples of the first one's."""
    costs = ["–" if usd is None else f"{usd:.3g}" for usd in score.cost_to.values()]
    times = [_ratio(score.cost_to[level], first.cost_to[level]) for level in (0.90, 0.99)]
    cells = [f"`{score.strategy}`", *costs, *times, f"{score.final:.3f}", f"{score.worst:.3f}"]
    cells += [f"{score.feasible:.0%}", f"{score.seconds_per_ask:.3f}"]
    print(f"| {' | '.join(cells)} |", flush=True)


def _ratio(usd: float | None, base: float | None) -> str:
    return "–" if usd is None or not base else f"{usd / base:.1f}"


if __name__ == "__main__":
    main()
