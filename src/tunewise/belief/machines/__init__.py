"""A belief that knows machines: times and prices of clusters before anything was measured."""
