"""What a Gaussian process is made of: kernels, their hyper-parameters, linear algebra."""
