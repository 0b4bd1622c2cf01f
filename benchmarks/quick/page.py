"""The page of the quick race: a table for each question, and the rows that we lose."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.quick.ground import SECONDS
from benchmarks.quick.questions import Question, questions
from benchmarks.quick.tools import OURS, TOOLS, Run

FEWEST, SEEDS = 3, ", few seeds"
"""Runs of both below which nobody is said to be ahead."""
INTRODUCTION = """# The quick race

Written by `make bench-quick`. Tunewise and today's tools search the same problems, each tool in
its most favourable honest use of the limit and of the slices of the data:

- A tool that knows limits is given the limit. For the others the objective is penalised by as
  much as the limit is broken, which is how the answer is judged too.
- A tool that knows slices may use them. A config that goes on from a smaller slice pays for the
  rest only. Tunewise pays for every trial in full.
- A trial of another tool that passes twice its part of the limit is stopped, and still counts as
  if it had ended.
- A search of another tool ends after {seconds:.0f} seconds of its own computing.

**Regret** is what is missing on the way from a middling config to the best, of the config that
would be deployed: 0 is the best config, 1 a middling one. A unit is one full training at the
limit, or one trial where there are no slices. Means over seeds, with 95 % intervals by the
bootstrap. *Ahead* and *behind* say that the tool's mean is better or worse than ours at the last
mark, and that the interval of the difference does not hold 0. Otherwise it is *level*. With
fewer than three seeds of either nothing is said.

Generated problems like these helped to choose our defaults, so they flatter us. A function that
has neither limit nor slice is where a plain tool should win.
"""


def page(runs: Sequence[Run], where: str, took: str) -> str:
    """The whole page."""
    parts = [INTRODUCTION.format(seconds=SECONDS), f"{where}; {took}\n"]
    lost: list[str] = []
    for name, question in questions().items():
        rows = [run for run in runs if run["question"] == name]
        parts.append(
            "\n".join([f"## {name[0].upper()}{name[1:]}\n", *_table(question, rows, lost)])
        )
    said = "\n".join(f"- {row}" for row in lost) or "None, in this run."
    parts.append(f"## Rows that we lose\n\nWhere a tool's mean is below ours at a mark:\n\n{said}")
    return "\n".join(part + "\n" for part in parts).replace("\n\n\n", "\n\n")


def _table(question: Question, rows: Sequence[Run], lost: list[str]) -> Iterator[str]:
    unit = "units" if question.sliced else "trials"
    marks = [f"regret after {mark:g} {unit}" for mark in question.marks]
    head = ["tool", "seeds", *marks, "against us", "trials", "s per ask"]
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    ours = _regrets(rows, OURS)
    for key, tool in TOOLS.items():
        if not tool.asked(question):
            continue
        found = [run for run in rows if run["tool"] == key]
        if not found:
            missing = "not installed" if tool.version is None else "no time"
            yield f"| {tool.said} | {missing} |{' |' * (len(head) - 2)}"
            continue
        theirs = _regrets(rows, key)
        named = tool.said if tool.package == OURS else f"{tool.said} ({found[0]['version']})"
        verdict = "–" if key == OURS or not len(ours) else _verdict(theirs[:, -1], ours[:, -1])
        cells = [named, str(len(found)), *(_interval(column) for column in theirs.T), verdict]
        cells += [f"{np.mean([run['trials'] for run in found]):.0f}"]
        cells += [f"{np.mean([run['ask'] for run in found]):.3f}"]
        yield f"| {' | '.join(cells)} |"
        for mark, mine, other in zip(question.marks, ours.T, theirs.T, strict=True):
            if key != OURS and other.mean() < mine.mean():
                told = f"{other.mean():.3f} against {mine.mean():.3f}"
                sure = {"ahead": "", "level": ", within chance"}.get(_verdict(other, mine), SEEDS)
                lost.append(f"{question.world.name}, {mark:g} {unit}: {named}, {told}{sure}")


def _regrets(rows: Sequence[Run], tool: str) -> np.ndarray:
    """By seed and mark."""
    return np.array([run["regrets"] for run in rows if run["tool"] == tool])


def _resampled(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.random.default_rng(0).choice(values, (4000, len(values))).mean(1))


def _interval(values: np.ndarray) -> str:
    low, high = np.quantile(_resampled(values), [0.025, 0.975])
    return f"{values.mean():.3f} ({low:.3f}–{high:.3f})"


def _verdict(theirs: np.ndarray, ours: np.ndarray) -> str:
    if min(len(theirs), len(ours)) < FEWEST:
        return "few seeds"
    apart = _resampled(theirs) - np.random.default_rng(1).permutation(_resampled(ours))
    low, high = np.quantile(apart, [0.025, 0.975])
    return "ahead" if high < 0 else "behind" if low > 0 else "level"
