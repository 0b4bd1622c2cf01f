"""What people declare: the shape of input and output. All between their data and the scheduler.

`models` has one file a family and `encoders` what turns raw inputs into tensors. Heavy packages
are imported where they are used, so that serving needs onnxruntime and numpy alone.
"""

__all__: list[str] = []
