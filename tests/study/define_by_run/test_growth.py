"""How a space grows by what trainings ask for, computed by hand."""

import tunewise as tw
from tunewise.study.define_by_run.found import Shown
from tunewise.study.define_by_run.growth import grown

MOMENTUM = tw.Real("momentum", 0, 1)
SPACE = tw.Space(tw.Choice("optimizer", ["adam", "sgd", "lion"]), tw.Integer("layers", 1, 3))


def when(space: tw.Space, name: str = "momentum") -> dict[str, list[object]]:
    described = {p["name"]: p for p in space.describe()["parameters"]}
    return dict(described[name].get("when", {}))


def found(config: dict[str, object], others: list[dict[str, object]]) -> tw.Space:
    return grown(SPACE, config, Shown({"momentum": MOMENTUM}, {"momentum": 0.5}), others)


SGD = {"optimizer": "sgd", "layers": 3, "momentum": 0.5}


def test_what_the_first_trial_asks_for_always_applies() -> None:
    assert when(found(SGD, [])) == {}


def test_what_others_did_without_applies_where_only_those_who_asked_are() -> None:
    assert when(found(SGD, [{"optimizer": "adam", "layers": 3}])) == {"optimizer": ["sgd"]}
    by_layers = [{"optimizer": "sgd", "layers": 1}]
    assert when(found(SGD, by_layers)) == {"layers": [3]}


def test_where_nothing_tells_them_apart_it_always_applies() -> None:
    assert when(found(SGD, [{"optimizer": "sgd", "layers": 3}])) == {}


def test_a_condition_that_was_too_narrow_is_widened() -> None:
    narrow = found(SGD, [{"optimizer": "adam", "layers": 3}])
    lion = {"optimizer": "lion", "layers": 3, "momentum": 0.1}
    shown = Shown({"momentum": MOMENTUM}, {"momentum": 0.1})
    wider = grown(narrow, lion, shown, [SGD, {"optimizer": "adam", "layers": 3}])
    assert when(wider) == {"optimizer": ["sgd", "lion"]}


def test_what_a_training_did_without_gets_its_condition() -> None:
    always = found(SGD, [])
    adam = {"optimizer": "adam", "layers": 3}
    assert when(grown(always, adam, Shown(unused=("momentum",)), [SGD])) == {"optimizer": ["sgd"]}
    same = {"optimizer": "sgd", "layers": 3}
    assert when(grown(always, same, Shown(unused=("momentum",)), [SGD])) == {}
