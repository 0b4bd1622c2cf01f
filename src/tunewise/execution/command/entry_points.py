"""Programs that a package of one's own has installed.

A package that was installed from a folder of this machine (`pip install -e .`, `pip install .`)
says so in its `direct_url.json`. Its commands are scripts of one's own, though they lie on PATH
beside those of others.
"""

import json
from importlib.metadata import Distribution, distributions
from pathlib import Path
from urllib.parse import unquote, urlsplit


def of_an_own_package(file: Path) -> bool:
    """Whether a program is a command of a package whose sources lie on this machine."""
    places = list(map(str, file.parent.parent.glob("lib/python*/site-packages")))
    return any(_provides(one, file.name) and _local(one) for one in distributions(path=places))


def _provides(package: Distribution, name: str) -> bool:
    return any(e.name == name for e in package.entry_points.select(group="console_scripts"))


def _local(package: Distribution) -> bool:
    """Whether it was installed from a folder that is still there: builders leave theirs behind."""
    try:
        url = urlsplit(str(json.loads(package.read_text("direct_url.json") or "{}").get("url")))
        return url.scheme == "file" and Path(unquote(url.path)).is_dir()
    except (ValueError, AttributeError):
        return False
