"""A study that is resumed on another kind of processor goes on in the same way."""

import pytest

from tests.kernels.kernels import Kernel, in_use, kernels
from tests.kernels.studies import names, run

TRIALS, HALF = 10, 5


@pytest.fixture(scope="module")
def modest() -> Kernel:
    """The kernel that differs most from this machine's own."""
    found = kernels()
    if not found:
        pytest.skip("neither OpenBLAS nor an x86-64 processor is here, so there is one kernel")
    return found[-1]


def test_every_kernel_really_runs() -> None:
    assert [kernel.missed(in_use(kernel.variables)) for kernel in kernels()] == [""] * len(
        kernels()
    )


def test_a_kernel_that_does_not_run_is_noticed(modest: Kernel) -> None:
    own = {"openblas": ["Haswell"], "numpy": in_use()["numpy"]}
    assert modest.missed(own) == "OpenBLAS was asked for Prescott and runs ['Haswell']"
    half = {**own, "openblas": in_use(modest.variables)["openblas"]}
    assert not half["numpy"] or "numpy was asked to do without" in modest.missed(half)


SOME = ["cherrypick accuracy 0", "lynceus cheapest 0", "trimtuner accuracy 0"]


@pytest.mark.parametrize("studies", [SOME, pytest.param(names(1), marks=pytest.mark.long)], ids=len)
def test_studies_go_on_in_the_same_way_under_another_kernel(
    modest: Kernel, studies: list[str]
) -> None:
    own = Kernel("own")
    unbroken = run(own, {name: [] for name in studies}, TRIALS)
    begun = {name: trials[:HALF] for name, trials in unbroken.items()}
    assert run(modest, begun, TRIALS) == unbroken
