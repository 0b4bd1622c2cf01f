from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import StrategyError
from tunewise.strategy import STRATEGIES
from tunewise.testing.strategies import StrategyConformance

ANOTHER = pytest.mark.long
"""Made of the parts of one that is in the suite: what it decides by is tested with its parts.

Those as published are in the suite with their parts and with searches for a front, too."""


class TestRandom(StrategyConformance):
    spec = tw.strategy("random")


class TestCherryPick(StrategyConformance):
    spec = tw.strategy("cherrypick")


class TestEic(StrategyConformance):
    spec = tw.strategy("eic", candidates=300)


@ANOTHER
class TestEicPerUsd(StrategyConformance):
    spec = tw.strategy("eic_per_usd", candidates=300)


@ANOTHER
class TestEi(StrategyConformance):
    spec = tw.strategy("ei", candidates=300)


@ANOTHER
class TestPi(StrategyConformance):
    spec = tw.strategy("pi", candidates=300)


@ANOTHER
class TestUcb(StrategyConformance):
    spec = tw.strategy("ucb", candidates=300)


@ANOTHER
class TestCherryPickPaper(StrategyConformance):
    spec = tw.strategy("cherrypick_paper", candidates=300)


class TestFabolasPaper(StrategyConformance):
    spec = tw.strategy("fabolas_paper", initial=1, samples=1, roots=1, candidates=40)


@ANOTHER
class TestFabulinusPaper(StrategyConformance):
    spec = tw.strategy("fabulinus_paper", initial=1, samples=1, candidates=40)


class TestBohbPaper(StrategyConformance):
    spec = tw.strategy("bohb_paper", candidates=300)
    fewest = (0.3, 1.0)


@ANOTHER
class TestLynceusPaper(StrategyConformance):
    spec = tw.strategy("lynceus_paper", horizon=1, initial=3, candidates=50)


@ANOTHER
class TestNephelePaper(StrategyConformance):
    spec = tw.strategy("nephele_paper", initial=3, candidates=100)


@ANOTHER
class TestTrimTunerPaper(StrategyConformance):
    spec = tw.strategy("trimtuner_paper", candidates=100)


class TestFabolas(StrategyConformance):
    spec = tw.strategy("fabolas", candidates=150)


class TestFabulinus(StrategyConformance):
    spec = tw.strategy("fabulinus", initial=3, candidates=150)


class TestHyperband(StrategyConformance):
    spec = tw.strategy("hyperband")
    fewest = (0.3, 1.0)


class TestBohb(StrategyConformance):
    spec = tw.strategy("bohb", candidates=300)
    fewest = (0.3, 1.0)


class TestLynceus(StrategyConformance):
    spec = tw.strategy("lynceus", candidates=150)


@ANOTHER
class TestLynceusTrees(StrategyConformance):
    spec = tw.strategy("lynceus", surrogate="trees", horizon=1, initial=3, candidates=50)


class TestMachines(StrategyConformance):
    spec = tw.strategy("machines", candidates=60)

    def build(self, problem: tw.Problem, seed: int = 0) -> tw.Strategy:
        wanted = tw.Problem(
            problem.space,
            minimize="cost",
            subject_to=["time <= 80"],
            fractions=problem.fractions,
            price=problem.price,
        )
        return self.spec.build(wanted, seed)


class TestNephele(StrategyConformance):
    spec = tw.strategy("nephele", candidates=150)


@ANOTHER
class TestNepheleLongSighted(StrategyConformance):
    spec = tw.strategy("nephele", candidates=60, horizon=1, bootstrap="paper", initial_budget=0.5)


class TestTrimTuner(StrategyConformance):
    spec = tw.strategy("trimtuner", candidates=150)


@ANOTHER
class TestTrimTunerLiteral(StrategyConformance):
    spec = tw.strategy("trimtuner", acquisition="literal", bootstrap="paper", candidates=150)


@ANOTHER
class TestTrimTunerEntropy(StrategyConformance):
    spec = tw.strategy("trimtuner", acquisition="entropy", initial=2, candidates=150)


@ANOTHER
class TestTrimTunerCea(StrategyConformance):
    spec = tw.strategy("trimtuner", filter="cea", share=0.2, candidates=150)


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_each_that_ships_passes_the_suite_here_or_in_a_file_of_its_own(name: str) -> None:
    here = {c.spec.name for c in StrategyConformance.__subclasses__() if hasattr(c, "spec")}
    own = Path(__file__).parent / f"test_{name}.py"
    assert name in here or "StrategyConformance" in own.read_text(encoding="utf-8")


def test_an_unknown_strategy_or_option_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(StrategyError, match="did you mean 'cherrypick'"):
        tw.strategy("cherypick")
    with pytest.raises(StrategyError, match="no option 'initail'; did you mean 'initial'"):
        tw.strategy("cherrypick", initail=3)
