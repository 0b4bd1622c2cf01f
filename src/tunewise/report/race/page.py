"""The report of a race: one HTML file with the figures of the TrimTuner paper."""

from collections.abc import Mapping, Sequence
from typing import Literal

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.mean_curves import mean_curves
from tunewise.benchmark.measures.pace import Spending
from tunewise.benchmark.measures.savings import Ratio, Savings, compared
from tunewise.benchmark.measures.score import LEVELS, Score, scores
from tunewise.benchmark.race import Run
from tunewise.benchmark.variants import by_filter, by_share
from tunewise.format import duration, measured, money, number, sentence, share_of_data
from tunewise.problem import Problem
from tunewise.report.layout.document import document
from tunewise.report.layout.markup import Child, Markup, tag
from tunewise.report.layout.parts import empty, fragment, plot, section, tabs
from tunewise.report.race.cno import cno_section
from tunewise.report.race.curves import View, draw_mean_curves
from tunewise.report.race.measures import measures_table
from tunewise.report.race.reliability import reliability_section
from tunewise.report.race.savings import draw_savings
from tunewise.strategy.spec import StrategySpec

_VIEWS: tuple[tuple[str, Spending, View], ...] = (
    ("by cost", "cost", "share"),
    ("by time", "time", "share"),
    ("by trials", "trials", "share"),
    ("by time with thinking", "total", "share"),
    ("distance, by cost", "cost", "distance"),
    ("distance, by time", "time", "distance"),
)


def render(
    contest: Contest,
    strategies: Sequence[StrategySpec],
    runs: Sequence[Run],
    script: str | None = None,
) -> str:
    """The report of a race as a page that works offline; `script` as for any document."""
    scored = scores(runs)
    content = [
        _header(contest, scored),
        tag("noscript", tag("p", "The charts need JavaScript.", class_="empty")),
        tag("div", [_headline(scored, level) for level in LEVELS], class_="summary even"),
        cno_section(contest, runs),
        _curves("curves", _title(contest.problem), runs, contest.problem, _about(contest)),
        _table(scored),
        reliability_section(scored),
        _savings(scored),
        _family("filters", "Figure 3: filters", by_filter(strategies), runs, contest.problem,
                "Variants that differ only in which candidates are weighed."),
        _family("shares", "Figure 4: share of the filter", by_share(strategies), runs,
                contest.problem, "Variants that differ only in how many candidates the filter"
                " lets through."),
    ]  # fmt: skip
    return document(f"{contest.table.path.stem} race", fragment(content), script)


def _header(contest: Contest, scored: Sequence[Score]) -> Markup:
    problem, table = contest.problem, contest.table
    facts = [
        ("configs", f"{len(table.configs):,}"),
        (problem.resource, ", ".join(map(problem.amount, problem.fractions))),
        ("optimum", _optimum(contest)),
        ("seeds", str(scored[0].seeds)),
        ("trials", str(contest.trials)),
        ("at once", str(contest.parallel) if contest.parallel > 1 else ""),
        ("budget", "" if problem.budget is None else money(problem.budget)),
    ]
    return tag(
        "header",
        tag("p", "Tunewise race", class_="eyebrow"),
        tag("h1", table.path.name),
        tag("p", sentence(problem.goal), class_="lead"),
        tag("p", [tag("span", f"{k} ", tag("b", v)) for k, v in facts if v], class_="facts"),
    )


def _optimum(contest: Contest) -> str:
    best = contest.table.best(contest.problem)
    if best is None:
        return ""
    part = "" if best.fraction == 1 else f" on {share_of_data(best.fraction)} of the data"
    return measured(contest.problem.metrics[contest.problem.objective], best.objective) + part


def _headline(scored: Sequence[Score], level: float) -> Markup:
    """What the first strategy needs for a level, against the best of the others."""
    first, *others = scored
    cost, time = first.cost_to[level], first.time_to[level]
    if cost is None:
        told = [tag("p", tag("b", "never"), class_="big"), _beside(first, others, level)]
    else:
        spent: list[Child] = [tag("b", money(cost) if cost else duration(time or 0.0))]
        spent += [f" in {duration(time)}"] if cost and time else []
        told = [tag("p", spent, class_="big"), _beside(first, others, level)]
    return tag("section", tag("h2", f"{first.strategy} to {level:.0%}"), told, class_="card")


def _beside(first: Score, others: Sequence[Score], level: float) -> Markup:
    there = [(c, other) for other in others if (c := other.cost_to[level]) is not None]
    if not others:
        return tag("p", "of the optimum", class_="note")
    if not there:
        return tag("p", "no other strategy gets there", class_="note")
    theirs, best = min(there, key=lambda pair: pair[0])
    own = first.cost_to[level]
    if not own or not theirs:
        return tag("p", f"best of the others: {best.strategy}, {money(theirs)}", class_="note")
    more, less = ("less", theirs / own) if own <= theirs else ("more", own / theirs)
    text = f"{number(less, 2)}× {more} than {best.strategy}, the best of the others"
    return tag("p", f"{text} ({money(theirs)})", class_="note")


def _title(problem: Problem) -> str:
    return f"Figure 1: {problem.objective} of the recommended config"


def _about(contest: Contest) -> str:
    problem = contest.problem
    penalty = (
        ", made worse by limit / value for each limit it misses" if problem.constraints else ""
    )
    where = "on the full data" if problem.deploy == "full" else "at the fraction chosen with it"
    return (
        f"After each trial, the true {problem.objective} of the config that the strategy would"
        f" deploy, {where}{penalty}, as a share of the optimum: the mean over the seeds with"
        " its standard error. Dashed until the last seed has ended its bootstrap; before its first"
        " trial has ended a seed counts as nothing."
    )


def _curves(
    key: str,
    title: str,
    runs: Sequence[Run],
    problem: Problem,
    note: str,
    names: Mapping[str, str] | None = None,
) -> Markup:
    panels = []
    for shown, kind, view in _VIEWS:
        curves = mean_curves(runs, kind, names)
        if curves:
            drawn = draw_mean_curves(curves, kind, problem.objective, view)
            about = f"Mean share of the optimum against search {kind}, {len(curves)} strategies"
            panels.append((shown, plot(f"{key}-{kind}-{view}", drawn, about, "tall")))
    body = tabs(panels) if panels else empty("Nothing was spent in this race.")
    return section(f"{key}-section", title, body, note=note)


def _family(
    key: str,
    title: str,
    names: Mapping[str, str],
    runs: Sequence[Run],
    problem: Problem,
    note: str,
) -> Markup | None:
    return _curves(key, title, runs, problem, note, names) if names else None


def _table(scored: Sequence[Score]) -> Markup:
    note = (
        "Shares of the optimum after the last trial: the mean, the mean where a config that misses"
        " a limit counts as nothing (strict), the worst seed, and how many seeds ended at 99 % or"
        " more; how often the recommended config truly keeps the limits; seconds"
        " per ask. Below what a level took stands its 95 % interval, by the bootstrap over seeds."
    )
    kinds: tuple[Literal["cost", "time"], ...] = ("cost", "time")
    panels = [(f"by {kind}", measures_table(scored, kind)) for kind in kinds]
    return section("measures", "Measures", tabs(panels), note=note)


def _savings(scored: Sequence[Score]) -> Markup | None:
    if len(scored) < 2:
        return None
    first = scored[0].strategy
    panels = []
    for level in LEVELS:
        data = compared(scored, level)
        panels.append((f"{level:.0%}", _bars(data) if data.rivals else empty(
            f"The mean of {first} never stays above {level:.0%} of the optimum.")))  # fmt: skip
    note = (
        f"What each strategy spends until its mean stays above a share of the optimum, as a"
        f" multiple of what {first} spends. Paler bars never got there: they are what was spent"
        " in vain."
    )
    return section("savings", f"Figure 2: what {first} saves", tabs(panels), note=note)


def _bars(data: Savings) -> Markup:
    told = [f"{s.strategy} {_told(s.cost)}" for s in data.rivals]
    about = f"Cost against that of {data.first}: {', '.join(told)}"
    height = 110 + 62 * len(data.rivals)
    return plot(f"savings-{data.level:.0%}".rstrip("%"), draw_savings(data), about, "bars", height)


def _told(ratio: Ratio | None) -> str:
    return "unknown" if ratio is None else str(ratio)
