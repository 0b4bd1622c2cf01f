import sys

import pytest

from tunewise.declarative.schema import parse
from tunewise.declarative.templates import (
    POWERS,
    Template,
    candidate,
    candidates,
    match,
    missing_extras,
)
from tunewise.errors import ProgramError, TaskError

FIGURE = {
    "image(28, 28) -> 10 classes": "images",
    "{[Tensor[256, 256, 3]], []} -> {[Tensor[1000]], []}": "images",
    "image(8, 8) -> image(16, 16, 3)": "recovery",
    "series(6) -> 2 classes": "series",
    "{[Tensor[4], note :: Tensor[2, 2]], [next]} -> {[Tensor[3]], []}": "series",
    "series(6) -> series(2)": "translation",
    "tree(8) -> [yes, no]": "trees",
    "{[Tensor[4], Tensor[2]], [a, c]} -> {[Tensor[3]], []}": "trees",
    "table(20) -> number": "tables",
    "table(age number, city category) -> [yes, no]": "tables",
    "text -> 3 classes": "general",
    "{[Tensor[2, 2]], []} -> {[Tensor[3]], []}": "general",
    "{[Tensor[2]], [a, b, c]} -> {[Tensor[3]], []}": "general",
    "text -> text": "autoencoder",
    "table(4) -> text": "autoencoder",
}


@pytest.mark.parametrize(("program", "template"), FIGURE.items())
def test_the_first_template_that_fits_is_taken(program: str, template: str) -> None:
    assert match(parse(program)).name == template


@pytest.mark.parametrize("program", FIGURE)
def test_every_program_has_candidates_without_pytorch_or_is_told(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    parsed = parse(program)
    offered = {each.name for each in candidates(parsed)}
    lost = missing_extras(parsed)
    assert not offered & {*lost["torch"]} if "torch" in lost else offered
    assert all("torch" not in each.model.needs for each in candidates(parsed))


def test_images_are_first_tried_with_the_quickest_models() -> None:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")
    names = [each.name for each in candidates(parse("image(28, 28) -> 10 classes"))]
    assert names.index("hog") < names.index("lenet") < names.index("resnet50")


def test_each_normalisation_is_a_candidate_of_its_own() -> None:
    names = [each.name for each in candidates(parse("image(28, 28) -> 10 classes"))]
    assert {f"hog@k={k:g}" for k in POWERS} <= {*names}
    assert candidate(parse("image(8, 8) -> 2 classes"), "hog@k=0.5").model.power == 0.5


def test_numbers_are_not_offered_what_only_knows_classes() -> None:
    names = {each.name for each in candidates(parse("table(4) -> number"))}
    assert "logistic" not in names and "ridge" in names


def test_an_undecided_output_is_offered_both() -> None:
    names = {each.name for each in candidates(parse("{[Tensor[4]], []} -> {[Tensor[2]], []}"))}
    assert {"logistic", "ridge"} <= names


def test_pixels_that_move_are_not_offered_models_that_keep_them() -> None:
    names = {each.name for each in candidates(parse("image(8, 8) -> image(4, 4)"))}
    assert "identity" not in names and "mean" in names


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(TaskError, match="did you mean 'boosting'"):
        candidate(parse("image(8, 8) -> 2 classes"), "boostin")


def test_a_template_that_is_no_type_is_refused() -> None:
    with pytest.raises(ProgramError, match="expected a type"):
        Template("mine", 3.5, "Tensor[A]", "{[*], [*]}", "mine")
