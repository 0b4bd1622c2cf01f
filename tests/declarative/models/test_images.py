from tests.declarative.models.short import SHORT
from tunewise.testing import ModelConformance


class TestHog(ModelConformance):
    model = "hog"


class TestLeNet(ModelConformance):
    model = "lenet"
    options = SHORT


class TestAlexNet(ModelConformance):
    model = "alexnet"
    options = SHORT


class TestBnAlexNet(ModelConformance):
    model = "bn_alexnet"
    options = SHORT


class TestNin(ModelConformance):
    model = "nin"
    options = SHORT


class TestVgg16(ModelConformance):
    model = "vgg16"
    options = SHORT


class TestSqueezeNet(ModelConformance):
    model = "squeezenet"
    options = SHORT


class TestGoogLeNet(ModelConformance):
    model = "googlenet"
    options = SHORT


class TestResNet18(ModelConformance):
    model = "resnet18"
    options = SHORT


class TestResNet50(ModelConformance):
    model = "resnet50"
    options = SHORT
