"""Sizes of the usual VM types of the big clouds, by their names.

Sizes are facts that do not change once a type is sold, so they are written down here by rule.
Prices change and are not: they come from the user's own list (`tunewise prices --import FILE`).
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Size:
    """What one VM of a type has.

    Attributes:
        family: Types of one family differ in size only.
        vcpus: Virtual cores.
        memory: GiB.
        accelerator: The name of its accelerators, empty without any.
        accelerators: How many of them.
    """

    family: str
    vcpus: float
    memory: float
    accelerator: str = ""
    accelerators: float = 0.0


_AWS = re.compile(r"(?P<family>[a-z]+\d[a-z]*)\.(?P<size>[a-z]+|\d*x?large)\Z")
_AWS_PER_VCPU = {"m": 4.0, "c": 2.0, "r": 8.0}
"""GiB of memory for each virtual core, by the family's first letter: generations 5 to 7."""

_AWS_REGULAR = re.compile(r"[mcr](5|5a|5n|5d|6i|6a|6id|6g|7i|7a|7g)\Z")
_AWS_LARGEST = 48
"""No regular type above 48xlarge is sold."""

_BURSTING = {
    "nano": (2, 0.5), "micro": (2, 1), "small": (2, 2), "medium": (2, 4), "large": (2, 8),
    "xlarge": (4, 16), "2xlarge": (8, 32),
}  # fmt: skip
"""Virtual cores and GiB of the families t3 and t3a."""

_LISTED = {
    **{
        f"g4dn.{size}": Size("g4dn", vcpus, 4.0 * vcpus, "T4", gpus)
        for size, vcpus, gpus in [
            ("xlarge", 4, 1), ("2xlarge", 8, 1), ("4xlarge", 16, 1), ("8xlarge", 32, 1),
            ("12xlarge", 48, 4), ("16xlarge", 64, 1),
        ]
    },
    **{
        f"g5.{size}": Size("g5", vcpus, 4.0 * vcpus, "A10G", gpus)
        for size, vcpus, gpus in [
            ("xlarge", 4, 1), ("2xlarge", 8, 1), ("4xlarge", 16, 1), ("8xlarge", 32, 1),
            ("12xlarge", 48, 4), ("16xlarge", 64, 1), ("24xlarge", 96, 4), ("48xlarge", 192, 8),
        ]
    },
    "p3.2xlarge": Size("p3", 8, 61, "V100", 1),
    "p3.8xlarge": Size("p3", 32, 244, "V100", 4),
    "p3.16xlarge": Size("p3", 64, 488, "V100", 8),
    "p4d.24xlarge": Size("p4d", 96, 1152, "A100", 8),
    "e2-micro": Size("e2-shared", 2, 1),
    "e2-small": Size("e2-shared", 2, 2),
    "e2-medium": Size("e2-shared", 2, 4),
    **{
        f"a2-highgpu-{gpus}g": Size("a2-highgpu", 12.0 * gpus, 85.0 * gpus, "A100", gpus)
        for gpus in (1, 2, 4, 8)
    },
    "a2-megagpu-16g": Size("a2-megagpu", 96, 1360, "A100", 16),
    **{
        f"Standard_NC{vcpus}s_v3": Size("NCsv3", vcpus, 112.0 * gpus, "V100", gpus)
        for vcpus, gpus in ((6, 1), (12, 2), (24, 4))
    },
}  # fmt: skip

_GCP = re.compile(r"(?P<family>(n1|n2|n2d|e2|c2)-(standard|highmem|highcpu))-(?P<vcpus>\d+)\Z")
_GCP_PER_VCPU = {
    "n1-standard": 3.75, "n1-highmem": 6.5, "n1-highcpu": 0.9,
    "n2-standard": 4.0, "n2-highmem": 8.0, "n2-highcpu": 1.0,
    "n2d-standard": 4.0, "n2d-highmem": 8.0, "n2d-highcpu": 1.0,
    "e2-standard": 4.0, "e2-highmem": 8.0, "e2-highcpu": 1.0,
    "c2-standard": 4.0,
}  # fmt: skip

_AZURE = re.compile(r"Standard_(?P<letter>[DEF])(?P<vcpus>\d+)(?P<kind>[a-z]*)_v(?P<version>\d)\Z")
_AZURE_PER_VCPU = {
    ("D", "3"): 4.0, ("D", "4"): 4.0, ("D", "5"): 4.0, ("E", "4"): 8.0, ("E", "5"): 8.0,
    ("F", "2"): 2.0,
}  # fmt: skip
_AZURE_KINDS = ("", "s", "ds", "d", "as", "ads")
_AZURE_VCPUS = (2, 4, 8, 16, 20, 32, 48, 64, 72, 96)


_LESS_MEMORY = {
    "n2-highmem-128": 864.0,
    **{f"Standard_E64{kind}_v4": 504.0 for kind in ("", "s", "d", "ds")},
    **{f"Standard_E96{kind}_v{v}": 672.0 for kind in _AZURE_KINDS for v in (4, 5)},
}
"""The largest types of some families have less than their rule says."""


@cache
def size_of(name: str) -> Size | None:
    """The size of a VM type, None where its name is not one that is known here."""
    return _LISTED.get(name) or _aws(name) or _gcp(name) or _azure(name)


def _aws(name: str) -> Size | None:
    found = _AWS.match(name)
    if found is None:
        return None
    family, size = found["family"], found["size"]
    if family in ("t3", "t3a") and size in _BURSTING:
        return Size(family, *_BURSTING[size])
    if not _AWS_REGULAR.match(family):
        return None
    times = size.removesuffix("large").removesuffix("x")
    if size == "large":
        vcpus = 2.0
    elif size == "xlarge" or (times.isdecimal() and 2 <= int(times) <= _AWS_LARGEST):
        vcpus = 4.0 * int(times or 1)
    else:
        return None
    return Size(family, vcpus, vcpus * _AWS_PER_VCPU[family[0]])


def _gcp(name: str) -> Size | None:
    found = _GCP.match(name)
    if found is None or found["family"] not in _GCP_PER_VCPU or not 1 <= len(found["vcpus"]) <= 3:
        return None
    vcpus = float(found["vcpus"])
    memory = _LESS_MEMORY.get(name, vcpus * _GCP_PER_VCPU[found["family"]])
    return Size(found["family"], vcpus, memory)


def _azure(name: str) -> Size | None:
    found = _AZURE.match(name)
    if found is None or found["kind"] not in _AZURE_KINDS:
        return None
    per_vcpu = _AZURE_PER_VCPU.get((found["letter"], found["version"]))
    vcpus = int(found["vcpus"]) if len(found["vcpus"]) <= 3 else 0
    if per_vcpu is None or vcpus not in _AZURE_VCPUS:
        return None
    memory = _LESS_MEMORY.get(name, vcpus * per_vcpu)
    return Size(f"{found['letter']}{found['kind']}v{found['version']}", vcpus, memory)
