"""The live line of a run, the same from Python and for a job file."""

import tunewise as tw
from tunewise.study.run.progress import ProgressLine

SPACE = tw.Space(tw.Ordinal("width", [1, 2, 4, 8]))
PROBLEM = tw.Problem(SPACE, maximize="accuracy", subject_to=["cost <= 1"], budget=5.0)


def described(line: ProgressLine) -> str:
    return str(line._bar.tasks[0].description)


def test_the_line_says_trials_money_best_and_the_time_left() -> None:
    study = tw.Study(PROBLEM, "random", seed=0)
    with ProgressLine(study, 4, show=True, timeout=600) as line:
        assert described(line).startswith("0/4 trials · 0 running")
        study.tell(study.ask(), {"accuracy": 0.5, "time": 60, "cost": 0.01})
        line.update(2)
        assert "1/4 trials · 2 running · 0.01" in described(line)
        assert "best 0.5" in described(line)
        assert described(line).endswith("left")


def test_nothing_is_drawn_when_nobody_looks() -> None:
    study = tw.Study(PROBLEM, "random", seed=0)
    with ProgressLine(study, 4, show=False) as line:
        line.update(1)
        line.note("unseen")
        assert line._bar is None
