from tunewise.declarative.models.networks.training import Plan

SHORT = {"plan": Plan(epochs=1, batch=16, least=24)}
"""Keywords of networks: enough steps to beat a baseline on made-up examples."""
