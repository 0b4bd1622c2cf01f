"""When a parameter applies, as far as configs show it."""

from collections.abc import Iterable, Mapping, Sequence

from tunewise.space.description import parameter_of
from tunewise.space.listed import Choice
from tunewise.space.parameter import Parameter, Value

When = dict[str, list[Value]]


def condition(
    parameters: Iterable[Parameter], name: str, configs: Sequence[Mapping[str, Value]]
) -> When | None:
    """The values of one parameter that only configs with the named one have, where one does.

    That one may itself have a condition: it is in all configs that have the named one, and in
    others.
    """
    with_it = [c for c in configs if name in c]
    without = [c for c in configs if name not in c]
    listed = [p for p in parameters if p.size is not None and p.name != name]
    for decides in sorted(listed, key=lambda p: not isinstance(p, Choice)):
        if not with_it or not all(decides.name in c for c in with_it):
            continue
        having = {c[decides.name] for c in with_it}
        others = [c[decides.name] for c in without if decides.name in c]
        if others and having.isdisjoint(others):
            return {decides.name: [v for v in decides.values() if v in having]}
    return None


def applying(parameter: Parameter, when: When | None) -> Parameter:
    """The parameter with another condition, or with none."""
    plain = {key: said for key, said in parameter.describe().items() if key != "when"}
    return parameter_of(plain if when is None else {**plain, "when": when})
