"""What the published variants are made of, as the papers and the thesis describe them."""

from typing import Any

import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran
from tunewise.acquisition.entropy_search import EntropySearch
from tunewise.acquisition.improving import ConstrainedImprovement
from tunewise.acquisition.lookahead import Lookahead
from tunewise.acquisition.modelled import Modelled
from tunewise.acquisition.reward import RewardPerCost
from tunewise.belief.model import Model
from tunewise.history import History
from tunewise.strategy.loop.affordability import everything, predicted_feasible, surely_paid
from tunewise.strategy.loop.expected_gain import improvement, knowledge, measured_improvement
from tunewise.strategy.loop.gain import LeastGain
from tunewise.strategy.loop.initial_design import (
    Amount,
    at_random,
    hypercube,
    on_all_slices,
    on_full,
    snapshots,
)
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.published.incumbent import Incumbent, best_full_run, best_run
from tunewise.strategy.spec import STRATEGIES
from tunewise.strategy.successive_halving.brackets import Brackets, by_chance
from tunewise.strategy.successive_halving.newcomer import ByModel, Densities, Improvement
from tunewise.surrogate.registered import SurrogateSpec

SLICED = problem(3, (0.25, 0.5, 1.0), maximize="accuracy", subject_to="cost <= 0.1")


def parts(name: str, **options: Any) -> Any:
    strategy = tw.strategy(name, **options).build(SLICED, 0)
    assert isinstance(strategy, ModelBased)
    return strategy.parts


def trees() -> SurrogateSpec:
    """Extra-trees that know no slope."""
    return SurrogateSpec("trees", (("slope", 0.0),))


def random_trees(count: int) -> SurrogateSpec:
    """So many of Weka's."""
    return SurrogateSpec("trees", (("trees", count), ("slope", 0.0), ("kind", "random")))


PLAIN = SurrogateSpec("gp", (("plain", True),))
PLAIN_BY_MCMC = SurrogateSpec("gp_mcmc", (("plain", True),))


def published(spec: SurrogateSpec) -> Model:
    """FABOLAS' bases, and nothing assumed beside."""
    return Model(spec, "fabolas", known_price=False, published=True)


def mcmc(samples: int = 10) -> Model:
    """Averaged over hyper-parameters, with FABOLAS' kernel."""
    return published(SurrogateSpec("gp_mcmc", (("samples", samples), ("plain", True))))


def test_every_variant_as_published_is_checked_here() -> None:
    names = {name for name in STRATEGIES.names() if name.endswith("_paper")}
    systems = ("bohb", "cherrypick", "fabolas", "fabulinus", "lynceus", "nephele", "trimtuner")
    assert names == {f"{system}_paper" for system in systems}


@pytest.mark.parametrize(
    ("surrogate", "spec"), [("gp", PLAIN), ("gp_mcmc", PLAIN_BY_MCMC), ("trees", trees())]
)
def test_trimtuner_is_equation_5_with_one_root_on_a_tenth_of_the_trials(
    surrogate: str, spec: SurrogateSpec
) -> None:
    made = parts("trimtuner_paper", surrogate=surrogate)
    assert made.acquisition == EntropySearch("feasibility", False, 1, 0.0, 0.9, None)
    assert made.belief == Modelled(published(spec))
    assert (made.design.layout, made.design.amount) == (snapshots, Amount(1))
    assert (made.filter.name, made.filter.share, made.iterations) == ("cea", 0.1, 44)
    assert made.recommender == Incumbent(0.9)
    assert (made.affordability, made.gain) == (everything, knowledge)


def test_trimtuner_may_begin_with_several_configs() -> None:
    assert parts("trimtuner_paper", initial=4).design.amount == Amount(4)
    with pytest.raises(tw.TunewiseError, match="initial is '5 USD'; expected a whole number"):
        parts("trimtuner_paper", initial="5 USD")


def test_fabolas_scores_all_information_on_its_own_bases_and_recommends_what_was_tested() -> None:
    made = parts("fabolas_paper")
    assert made.acquisition == EntropySearch("none", False, 3, 0.0, 0.9, None, limited=False)
    assert made.belief == Modelled(mcmc(), candidates=500)
    assert (made.design.layout, made.design.amount) == (on_all_slices, Amount(10))
    assert made.recommender == Incumbent(None, tested=True)
    assert (made.affordability, made.gain) == (everything, knowledge)


def test_fabulinus_begins_on_all_slices_and_never_runs_the_full_data() -> None:
    made = parts("fabulinus_paper", samples=4)
    assert made.acquisition == EntropySearch("accuracy", False, 1, 0.0, 0.99, None)
    assert made.belief == Modelled(mcmc(4), "slices", 500)
    assert (made.design.layout, made.design.amount) == (on_all_slices, Amount(share=0.03))
    assert (made.filter.name, made.filter.share, made.filter.of_configs) == ("cea", 0.1, True)
    assert (made.recommender, made.iterations) == (Incumbent(0.99), 100)
    assert (made.affordability, made.gain) == (everything, knowledge)


def test_nephele_has_five_trees_a_hypercube_for_5_usd_and_its_feasible_set() -> None:
    made = parts("nephele_paper")
    assert made.belief == Modelled(Model(random_trees(5), published=True), "deployable", 2000)
    assert made.acquisition == RewardPerCost(Lookahead(0, 3, 3, 0.9, by_means=True))
    assert parts("nephele_paper", accuracy_roots=1).acquisition.ahead.accuracy_roots == 1
    assert (made.design.layout, made.design.amount) == (hypercube, Amount(usd=5.0))
    assert (made.affordability, made.gain) == (predicted_feasible, measured_improvement)
    assert made.recommender is best_run


def test_lynceus_looks_two_steps_ahead_on_ten_trees_at_the_full_data() -> None:
    made = parts("lynceus_paper")
    model = Model(random_trees(10), full_only=True, published=True)
    assert made.belief == Modelled(model, "full", 400)
    assert made.acquisition.ahead == Lookahead(2, 3, 1, 0.9)
    assert (made.design.layout, made.design.amount) == (on_full, Amount(share=0.03))
    assert (made.affordability, made.gain) == (surely_paid, measured_improvement)
    assert made.recommender is best_full_run


def test_cherrypick_begins_with_three_and_ends_below_a_tenth_after_six() -> None:
    made = parts("cherrypick_paper")
    model = Model(PLAIN, full_only=True, published=True)
    assert made.belief == Modelled(model, "full", 4096)
    assert made.acquisition == ConstrainedImprovement(measured=True)
    assert (made.design.layout, made.design.amount) == (at_random, Amount(3))
    assert made.recommender is best_full_run
    assert made.stop == LeastGain(0.1, relative=True, trials=6)
    assert (made.affordability, made.gain) == (everything, improvement)


@pytest.mark.parametrize(
    "name",
    [name for name in STRATEGIES.names() if name.endswith("_paper") and name != "bohb_paper"],
)
def test_as_published_no_trial_is_given_up_or_repeated(name: str) -> None:
    made = parts(name)
    assert made.patience is made.time_limit is made.reports is None
    repeated = History([ran(0, number=n, accuracy=0.5 + n / 9, cost=0.05) for n in range(2)])
    posterior = made.belief.posterior(SLICED, repeated, 0, None)
    assert not (posterior.grid.fraction(posterior.open)[posterior.grid.config(posterior.open) == 0]
                == 1).any()  # fmt: skip


def test_cherrypicks_own_rule_is_there_for_the_asking() -> None:
    assert parts("cherrypick").stop is None
    assert parts("cherrypick", stop=0.2, least=3).stop == LeastGain(0.2, True, 3)
    assert parts("cherrypick", surrogate="trees").belief.model.surrogate == SurrogateSpec("trees")


def test_hyperband_and_bohb_differ_by_where_new_configs_come_from() -> None:
    def made(name: str, **options: Any) -> Brackets:
        strategy = tw.strategy(name, **options).build(SLICED, 0)
        assert isinstance(strategy, Brackets)
        return strategy

    assert made("hyperband")._newcomer is by_chance
    ours = Improvement(Model(SurrogateSpec("trees"), basis="none"))
    assert made("bohb", surrogate="trees", random=0.5)._newcomer == ByModel(0.5, 2000, ours)
    assert made("bohb_paper")._newcomer == ByModel(1 / 3, 2000, Densities(0.15))
    assert made("bohb_paper", top=0.3, candidates=9)._newcomer == ByModel(1 / 3, 9, Densities(0.3))
    assert made("bohb_paper", eta=2).brackets != made("bohb_paper", eta=4).brackets
