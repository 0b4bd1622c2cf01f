"""What differs between two descriptions of problems, in words and one thing at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

from tunewise.format import value

_MAY_CHANGE = ("budget", "price", "machines")
_GOAL = ("maximize", "minimize")
_MOST_LISTED = 6


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs between two descriptions of problems, the budget apart: it may change.

    So may a person's price list: a study keeps to what it knew of machines when it began.
    Descriptions of an older Tunewise do not say whether there is a function for prices.
    """
    names = [n for n in dict.fromkeys([*after, *before]) if n not in _MAY_CHANGE]
    if "price" in before and "price" in after and before["price"] != after["price"]:
        names.append("price")
    return {n: (before.get(n), after.get(n)) for n in names if before.get(n) != after.get(n)}


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The differences in words: one phrase for each parameter, goal and limit."""
    try:
        return _phrases(before, after)
    except (AttributeError, IndexError, KeyError, TypeError):
        # A newer Tunewise described it, or the store is damaged: that they differ is still true.
        return ["what is wanted"] if differences(before, after) else []


def _phrases(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    differing = differences(before, after)
    said = _of_space(*differing.pop("space")) if "space" in differing else []
    if differing.keys() & set(_GOAL):
        said.append(f"the goal was to {_goal(before)} and is to {_goal(after)}")
    if "subject_to" in differing:
        said += _of_limits(*differing.pop("subject_to"))
    if said:
        differing.pop("metrics", None)  # they follow from goals and limits
    others = {name: pair for name, pair in differing.items() if name not in _GOAL}
    return said + [
        f"{name} was {_shown(old)} and is {_shown(new)}" for name, (old, new) in others.items()
    ]


def _of_space(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    old, new = (_by_name(each) for each in (before, after))
    said = [f"the parameter {name} is gone" for name in old if name not in new]
    said += [f"the parameter {name} is new" for name in new if name not in old]
    said += [
        phrase
        for name in new
        if name in old and old[name] != new[name]
        for phrase in _of_parameter(name, old[name], new[name])
    ]
    if not said and before.get("valid") != after.get("valid"):
        said.append("other combinations of values are valid (where)")
    return said or ["the space is another one"]


def _of_parameter(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    if old.get("kind") != new.get("kind"):
        return [f"{name} was {_kind(old)} and is {_kind(new)}"]
    if _without_belief(old) == _without_belief(new):
        return [f"{name} was expected {_belief(old)} and is expected {_belief(new)}"]
    if "low" in new:
        said = [f"{name} went {_range(old)} and goes {_range(new)}"]
    elif old.get("values") != new.get("values"):
        said = [f"{name} {_of_values(old['values'], new['values'])}"]
    else:
        said = [f"{name} is described otherwise"]
    if old.get("when") != new.get("when"):
        condition = f"{name} counted {_condition(old)} and counts {_condition(new)}"
        said = (
            [condition]
            if _without_condition(old) == _without_condition(new)
            else [*said, condition]
        )
    return said


def _of_values(old: Sequence[Any], new: Sequence[Any]) -> str:
    gone, added = [v for v in old if v not in new], [v for v in new if v not in old]
    said = [f"has no {_list(gone)} any more"] * bool(gone) + [f"has {_list(added)} too"] * bool(
        added
    )
    return " and ".join(said) or f"has its values in another order: {_list(new)}"


def _of_limits(old: Sequence[str], new: Sequence[str]) -> list[str]:
    before, after = ({_side(limit): limit for limit in limits} for limits in (old, new))
    said = [f"the limit {limit} is gone" for side, limit in before.items() if side not in after]
    said += [f"the limit {limit} is new" for side, limit in after.items() if side not in before]
    both = [(before[side], limit) for side, limit in after.items() if side in before]
    said += [f"the limit {b} became {a}" for b, a in both if b != a]
    return said or [f"the limits were {_list(old)} and are {_list(new)}"]


def _by_name(space: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {each["name"]: each for each in space.get("parameters", ())}


def _without_condition(described: Mapping[str, Any]) -> dict[str, Any]:
    return {key: said for key, said in described.items() if key != "when"}


def _without_belief(described: Mapping[str, Any]) -> dict[str, Any]:
    return {key: said for key, said in described.items() if key not in ("prior", "confidence")}


def _belief(described: Mapping[str, Any]) -> str:
    if "prior" not in described:
        return "anywhere"
    return f"near {value(described['prior'])} (confidence {described.get('confidence')})"


def _side(limit: str) -> str:
    """The metric and the direction of a limit such as "cost <= 0.02"."""
    return limit.rpartition(" ")[0]


def _goal(described: Mapping[str, Any]) -> str:
    said = [
        f"{verb} {_list([wanted] if isinstance(wanted, str) else wanted)}"
        for verb in _GOAL
        if (wanted := described.get(verb))
    ]
    return " and ".join(said)


def _kind(described: Mapping[str, Any]) -> str:
    listed = (
        f" of {_list(described['values'])}" if "values" in described else f" {_range(described)}"
    )
    kind = described.get("kind")
    return f"a{'n' * (str(kind)[:1] in 'io')} {kind}{listed}"


def _range(described: Mapping[str, Any]) -> str:
    steps = f" in steps of {value(described['step'])}" if described.get("step") else ""
    log = ", log" if described.get("log") else ""
    return f"from {value(described['low'])} to {value(described['high'])}{steps}{log}"


def _condition(described: Mapping[str, Any]) -> str:
    when = described.get("when")
    if not when:
        return "always"
    return "when " + " and ".join(
        f"{name} is {_list(values, 'or')}" for name, values in when.items()
    )


def _list(values: Sequence[Any], word: str = "and") -> str:
    shown = [value(v) for v in values[:_MOST_LISTED]]
    if len(values) > _MOST_LISTED:
        return f"{', '.join(shown)} {word} {len(values) - _MOST_LISTED} more"
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _shown(said: Any) -> str:
    return _list(said) if isinstance(said, list) and said else str(said)
