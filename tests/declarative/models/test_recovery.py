from tests.declarative.models.conformance import LongerConformance, NetworkConformance
from tunewise.testing import ModelConformance


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
