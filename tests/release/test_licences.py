"""The list of licences names every package that Tunewise itself asks for."""

import re
import tomllib

from tests.laws.source import ROOT


def test_every_package_that_a_plain_install_asks_for_is_listed_with_its_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {re.split(r"[^\w-]", each)[0].lower() for each in project["dependencies"]}
    page = (ROOT / "LICENCES.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\S+) \| \S+ \| (.+) \|$", page, re.M))
    listed = {name.lower(): licence for name, licence in rows.items()}
    assert asked <= listed.keys(), "run `make licences`"
    assert "UNKNOWN" not in listed.values()
