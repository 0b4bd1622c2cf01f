import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from tests.report.studies import expected_better, maximising, measured, mixed, recommended
from tunewise.history import History
from tunewise.report.text import summary, trials_table


def printed(renderable: RenderableType, width: int = 200) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(renderable)
    return out.getvalue()


def test_the_summary_tells_what_was_tried_spent_and_recommended() -> None:
    text = printed(summary(maximising(), mixed(), recommended()))
    for part in (
        "Maximise accuracy with cost ≤ 0.02 USD",
        "9 trials: 1 running, 5 complete, 1 failed, 1 preempted, 1 cancelled",
        "spent 0.082 USD of 1.00 USD (8 %)",
        "1 failed: out of memory",
        "0.9012 ± 0.0051",
        "97 % probability of keeping all limits",
        "measured (trial 4)",
    ):
        assert part in text


def test_the_summary_of_nothing_says_so() -> None:
    text = printed(summary(maximising(), History()))
    assert "no trials yet" in text
    assert "nothing to recommend yet" in text


def test_the_table_lists_every_trial() -> None:
    text = printed(trials_table(maximising(), mixed()))
    assert all(state in text for state in ("complete", "failed", "preempted", "running"))
    assert "out of memory" in text
    assert "not shown" not in text


def test_a_limited_table_lists_the_last_trials_and_counts_the_others() -> None:
    text = printed(trials_table(maximising(), mixed(), limit=2))
    assert "7 earlier trials not shown" in text
    assert "preempted" in text
    assert "out of memory" not in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_table_keeps_every_value_readable_at_any_width(width: int) -> None:
    text = printed(trials_table(maximising(), mixed()), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for part in ("0.002", "0.9", "0.02", "complete"):
        assert part in text


def test_users_text_is_never_read_as_markup() -> None:
    history = History([measured(0, 0.9, 0.01, vm="[red]hot[/red] [/nope]")])
    assert "[red]hot[/red] [/nope]" in printed(trials_table(maximising(), history))
    advice = recommended(config={"vm": "[bold]x[/bold]"})
    assert "[bold]x[/bold]" in printed(summary(maximising(), history, advice))


def test_what_the_models_hold_to_be_better_stands_beside_the_best_measured() -> None:
    beside = replace(expected_better(), config={**recommended().config, "vms": 4}, fraction=0.1)
    both = replace(recommended(), predicted_best=beside)
    text = printed(summary(maximising(), mixed(), both))
    assert text.index("measured (trial 4)") < text.index("expect this one to be better")
    assert "1/10" in text[text.index("expect this one to be better") :]
    agreed = replace(recommended(), predicted_best=recommended())
    assert "expect this one" not in printed(summary(maximising(), mixed(), agreed))
