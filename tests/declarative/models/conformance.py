from tunewise.declarative.models import CLASSES
from tunewise.declarative.models.networks.training import Plan
from tunewise.testing import ModelConformance


class NetworkConformance(ModelConformance):
    """The suite for networks: enough steps to beat a baseline on made-up examples."""

    options = {"plan": Plan(epochs=1, batch=16, least=24)}
    brief = {"plan": Plan(epochs=1, batch=16, least=3)}


class LongerConformance(ModelConformance):
    """For networks that learn more slowly."""

    options = {"plan": Plan(epochs=1, batch=32, least=120)}
    brief = {"plan": Plan(epochs=1, batch=16, least=3)}


CLASSES_ONLY = (CLASSES,)
