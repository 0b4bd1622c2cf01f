"""Whether a model is worth anything is said, in all, of each class, and of what is on now."""

import numpy as np
import pytest

import tunewise as tw
from tests.extras import needs
from tunewise.declarative.quality import Quality, confusion, never_found, recalls
from tunewise.declarative.quality.curve import shrinkage

needs("onnxruntime", "tasks")
needs("sklearn", "tasks")
needs("lightgbm", "tasks")


def test_recall_and_what_is_taken_for_what_by_hand() -> None:
    counts = confusion(["a", "a", "a", "b", "c"], ["a", "b", "a", "a", "c"])
    assert counts == {"a": {"a": 2, "b": 1}, "b": {"a": 1}, "c": {"c": 1}}
    assert recalls(counts) == pytest.approx({"a": 2 / 3, "b": 0.0, "c": 1.0})
    assert never_found(counts) == "it never finds 'b' (0 of 1)"
    assert never_found(confusion("ab", "ab")) == ""


@pytest.mark.parametrize(
    ("low", "usual", "said"),
    [
        (0.51, "no", ""),
        (0.5, "no", "no better than always saying 'no', as far as 100 examples tell"),
        (0.2, "", "no better than always the same answer, as far as 100 examples tell"),
    ],
)
def test_a_model_that_does_not_surely_beat_none_is_called_so(
    low: float, usual: str, said: str
) -> None:
    quality = Quality(0.6, low, 0.7, 0.5, "accuracy", 100, 0.0, usual)
    assert quality.verdict == said
    assert str(quality).endswith(f"without a model 0.500){': ' + said if said else ''}")


@pytest.fixture(scope="module")
def rare() -> tw.Task:
    """A class of 4 % that nothing in the inputs tells."""
    rng = np.random.default_rng(0)
    task = tw.Task("table(3) -> [often, rare]")
    task.feed(rng.normal(size=(300, 3)), ["rare" if at % 25 == 0 else "often" for at in range(300)])
    task.train(None, models=1)
    return task


def test_a_class_that_is_never_found_is_named(rare: tw.Task) -> None:
    told = rare.status()
    assert told["recall"] == pytest.approx({"often": 1.0, "rare": 0.0}, abs=0.05)
    assert "no better than always saying 'often'" in told["verdict"]
    assert "it never finds 'rare' (0 of 12)" in told["verdict"]
    (model,) = [model for model in rare.models() if model.serves]
    assert sum(model.confusion["rare"].values()) == 12
    assert model.recall == told["recall"] == model.card["recall"]
    assert rare.infer([0.0, 0.0, 0.0]).quality.usual == "often"


def test_what_no_model_reaches_is_that_of_the_examples_which_are_on(rare: tw.Task) -> None:
    assert rare.quality.baseline == pytest.approx(288 / 300)
    rare.refine(off="label == rare")
    assert rare.quality.baseline == 1.0
    rare.refine(off="label == often", on="label == rare")
    assert (rare.quality.baseline, rare.quality.usual) == (1.0, "rare")
    rare.refine(on="label == often")


def test_more_examples_never_bring_less_than_is_told_now(rare: tw.Task) -> None:
    best = rare._need_standing()
    left = shrinkage(rare._store.models(rare._id), best.card, 100)
    assert left is not None
    more = rare.with_more(100)
    assert more == pytest.approx(1 - (1 - rare.quality.value) * left)
    assert more is not None and more >= rare.quality.value
