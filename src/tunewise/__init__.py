"""Find the cloud resources and hyper-parameters that train a model best."""
