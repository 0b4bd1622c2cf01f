from tests.declarative.models.short import SHORT
from tunewise.testing import ModelConformance


class TestIdentity(ModelConformance):
    model = "identity"
    beats_baseline = False


class TestMean(ModelConformance):
    model = "mean"
    beats_baseline = False


class TestPatchRidge(ModelConformance):
    model = "patch_ridge"


class TestAutoencoder(ModelConformance):
    model = "autoencoder"
    options = SHORT


class TestUNet(ModelConformance):
    model = "u_net"
    options = SHORT


class TestGan(ModelConformance):
    model = "gan"
    options = SHORT


class TestPix2pix(ModelConformance):
    model = "pix2pix"
    options = SHORT
