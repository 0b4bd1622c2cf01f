"""The one model-based loop, and the parts that each published system is composed of."""
