from tests.declarative.models.conformance import CLASSES_ONLY, LongerConformance, NetworkConformance
from tunewise.testing import ModelConformance


class TestHog(ModelConformance):
    model = "hog"


class TestLeNet(NetworkConformance):
    model = "lenet"


class TestAlexNet(NetworkConformance):
    model = "alexnet"
    kinds = CLASSES_ONLY


class TestBnAlexNet(NetworkConformance):
    model = "bn_alexnet"
    kinds = CLASSES_ONLY


class TestNin(NetworkConformance):
    model = "nin"
    kinds = CLASSES_ONLY


class TestVgg16(LongerConformance):
    model = "vgg16"
    kinds = CLASSES_ONLY


class TestSqueezeNet(NetworkConformance):
    model = "squeezenet"
    kinds = CLASSES_ONLY


class TestGoogLeNet(NetworkConformance):
    model = "googlenet"
    kinds = CLASSES_ONLY


class TestResNet18(NetworkConformance):
    model = "resnet18"
    kinds = CLASSES_ONLY


class TestResNet50(NetworkConformance):
    model = "resnet50"
    kinds = CLASSES_ONLY
