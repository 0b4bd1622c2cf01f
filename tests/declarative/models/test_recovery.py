import pytest

from tests.declarative.models.conformance import LongerConformance, NetworkConformance
from tunewise.declarative.models.networks.recovery import normalised
from tunewise.testing import ModelConformance


def test_a_normalisation_also_judges_outputs_by_their_normalised_values() -> None:
    torch = pytest.importorskip("torch")
    found, wanted = torch.tensor([0.16]), torch.tensor([0.25])
    # With k = 1/2: (0.25 - 0.16)^2, and ((0.5 - 0.25) - (0.4 - 0.16))^2.
    told = float(normalised(0.5)(found, None, wanted))
    assert told == pytest.approx(0.0081 + 0.0001, rel=1e-4)


class TestNormalised(NetworkConformance):
    model = "u_net"
    options = {**NetworkConformance.options, "power": 0.5}


class TestIdentity(ModelConformance):
    model = "identity"
    beats_baseline = False


class TestMean(ModelConformance):
    model = "mean"
    beats_baseline = False


class TestPatchRidge(ModelConformance):
    model = "patch_ridge"


class TestAutoencoder(LongerConformance):
    model = "autoencoder"


class TestUNet(NetworkConformance):
    model = "u_net"


class TestGan(LongerConformance):
    model = "gan"


class TestPix2pix(NetworkConformance):
    model = "pix2pix"
