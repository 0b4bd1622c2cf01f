"""What could be reached at all on loops of known speeds, while tries cost 5 % at most.

`python -m benchmarks.known_speeds_possible`. "knows" knows every speed from the start, and goes
to the setting for which the rest takes least, if that switch fits into the bound. "one each" knows
a speed exactly after one iteration, tries settings in an order by chance as long as one fits with
its way back, and stops after as many as were best over all seeds. It learns nothing of one setting
from another, but its measurements have no noise. "learns" has no noise either, knows by which law
the speeds of "sums" were drawn, and tries what is expected to save most by it.
"""

import argparse

import numpy as np
from scipy.special import ndtr

from benchmarks.known_speeds import LENGTHS, SPACE, SWITCHES, WORLDS

SHARE = 0.05


def knows(seconds: np.ndarray, first: float, length: int, switch: float) -> float:
    """Seconds of a training whose speeds are known, over those under the best setting."""
    moved = switch + length * seconds
    allowed = moved[switch <= SHARE * moved]
    return min(length * first, float(allowed.min(initial=np.inf))) / length / float(seconds.min())


def one_each(
    seconds: np.ndarray, first: float, length: int, switch: float, order: np.ndarray, most: int
) -> float:
    """The same of one that tries so many settings in this order, as far as the bound allows."""
    best, passed, spent, away, left = first, first, 0.0, False, length - 1
    for place in order[:most]:
        each = float(seconds[place])
        lost = max(each - best, 0.0)
        back = switch if lost else 0.0
        whole = passed - spent + min(best, each) * left
        if left < 2 or spent + switch + lost + back > SHARE * whole:
            continue
        passed, spent, left = passed + switch + each, spent + switch + lost, left - 1
        away = each > best
        best = min(best, each)
    passed += switch * away + left * best
    return passed / length / float(seconds.min())


def learns(seconds: np.ndarray, first: float, length: int, switch: float) -> float:
    """The same of one that knows the law of the speeds, and measures exactly."""
    law, log = _law(), np.log(seconds)
    seen = [int(np.argmin(np.abs(seconds - first)))]
    best, passed, spent, away, left = first, first, 0.0, False, length - 1
    while left > 1:
        within = law[np.ix_(seen, seen)] + 1e-9 * np.eye(len(seen))
        gain = np.linalg.solve(within, law[seen]).T
        # Only ratios of speeds are known by the law: of their level, the mean of all is as good.
        level = float(np.mean(log[seen]))
        mean = level + gain @ (log[seen] - level)
        std = np.sqrt(np.maximum(np.diag(law) - (gain * law[seen].T).sum(1), 1e-12))
        z = (np.log(best) - mean) / std
        saved = best * ndtr(z) - np.exp(mean + std**2 / 2) * ndtr(z - std)
        lost = saved - best + np.exp(mean + std**2 / 2)
        worth = left * saved - switch - (1 - ndtr(z)) * switch - lost
        fits = [
            spent + switch + max(each - best, 0) + switch * (each > best)
            <= SHARE * (passed - spent + min(best, each) * left)
            for each in seconds
        ]
        open_ = [place for place in range(len(log)) if fits[place] and place not in seen]
        place = max(open_, key=lambda each: worth[each], default=None)
        if place is None or worth[place] <= 0:
            break
        each = float(seconds[place])
        spent += switch + max(each - best, 0.0)
        passed, left, seen = passed + switch + each, left - 1, [*seen, place]
        away, best = each > best, min(best, each)
    passed += switch * away + left * best
    return passed / length / float(seconds.min())


def _law() -> np.ndarray:
    """Covariance of the log speeds of `known_speeds.World`, (n, n)."""
    shape = [len(each.values()) for each in SPACE.parameters]
    law = 0.1**2 * np.eye(int(np.prod(shape)))
    for axis, count in enumerate(shape):
        walk = np.tril(np.full((count, count), 0.18))
        walk = walk - walk.mean(0)
        places = np.indices(shape)[axis].ravel()
        law += (walk @ walk.T)[np.ix_(places, places)]
    return law


def main() -> None:
    """Print a line for each world, switch and length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--switches", default=",".join(map(str, SWITCHES)))
    told = parser.parse_args()
    seeds = range(told.first_seed, told.first_seed + told.seeds)
    print("world    switch length  stays  knows  one each (tries)  learns")
    for name, made in WORLDS.items():
        worlds = [made(seed, False) for seed in seeds]
        for switch in map(float, told.switches.split(",")):
            rows = []
            for length in LENGTHS:
                drawn = [
                    (np.array(list(w.seconds.values())), w.seconds[SPACE.key(w.default)])
                    for w in worlds
                ]
                stays = np.mean([first / s.min() for s, first in drawn])
                all_known = np.mean([knows(s, first, length, switch) for s, first in drawn])
                orders = [np.random.default_rng(seed).permutation(48) for seed in seeds]
                by_count = [
                    np.mean(
                        [
                            one_each(s, first, length, switch, order, most)
                            for (s, first), order in zip(drawn, orders, strict=True)
                        ]
                    )
                    for most in range(49)
                ]
                best = int(np.argmin(by_count))
                lawful = np.mean([learns(s, first, length, switch) for s, first in drawn])
                rows.append((stays, all_known, by_count[best], lawful))
                print(
                    f"{name:8} {switch:6} {length:6} {stays:6.2f} {all_known:6.2f}"
                    f" {by_count[best]:9.2f} ({best:2}) {lawful:10.2f}"
                )
            stays, all_known, each, lawful = np.mean(rows, axis=0)
            line = f"{name:8} {switch:6}    all {stays:6.2f} {all_known:6.2f} {each:9.2f}"
            print(f"{line} {lawful:15.2f}")


if __name__ == "__main__":
    main()
