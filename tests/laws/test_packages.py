"""The plain install stays small."""

from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

MOST_PACKAGES = 25
MOST_FOR_THE_SERVICE = 22
EXTRAS = {"fastapi", "jinja2", "psycopg", "ray", "scikit-learn", "torch", "uvicorn"}


def test_the_plain_install_brings_fewer_than_25_packages() -> None:
    packages = closure("tunewise")
    assert len(packages) < MOST_PACKAGES, sorted(packages)


def test_what_is_an_extra_is_not_in_the_plain_install() -> None:
    assert not closure("tunewise").intersection(EXTRAS)


def test_the_service_brings_at_most_22_packages_more() -> None:
    wanted = [
        canonicalize_name(requirement.name)
        for requirement in _wanted("tunewise", frozenset(["serve"]))
        if requirement.marker is not None and "serve" in str(requirement.marker)
    ]
    brought = set(wanted).union(*(closure(name) for name in wanted)) - closure("tunewise")
    assert wanted
    assert len(brought) <= MOST_FOR_THE_SERVICE, sorted(brought)


def closure(name: str) -> set[str]:
    """All packages that installing this one brings on this machine, without itself."""
    found: set[str] = set()
    open_ends = [(name, frozenset[str]())]
    while open_ends:
        package, extras = open_ends.pop()
        for requirement in _wanted(package, extras):
            needed = canonicalize_name(requirement.name)
            if needed not in found:
                found.add(needed)
                open_ends.append((needed, frozenset(requirement.extras)))
    return found


def _wanted(package: str, extras: frozenset[str]) -> list[Requirement]:
    try:
        listed = [Requirement(text) for text in requires(package) or []]
    except PackageNotFoundError:
        return []
    return [
        requirement
        for requirement in listed
        if requirement.marker is None
        or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]
