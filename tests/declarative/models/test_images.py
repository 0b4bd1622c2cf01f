from tunewise.testing import ModelConformance


class TestHog(ModelConformance):
    model = "hog"


class TestLeNet(ModelConformance):
    model = "lenet"


class TestAlexNet(ModelConformance):
    model = "alexnet"


class TestBnAlexNet(ModelConformance):
    model = "bn_alexnet"


class TestNin(ModelConformance):
    model = "nin"


class TestVgg16(ModelConformance):
    model = "vgg16"


class TestSqueezeNet(ModelConformance):
    model = "squeezenet"


class TestGoogLeNet(ModelConformance):
    model = "googlenet"


class TestResNet18(ModelConformance):
    model = "resnet18"


class TestResNet50(ModelConformance):
    model = "resnet50"
