from tunewise.testing import ModelConformance


class TestHog(ModelConformance):
    model = "hog"
