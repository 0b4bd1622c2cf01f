"""Networks: layers are data, and each says once what it computes.

The same lines run in PyTorch while a network is trained and write its ONNX graph afterwards
(`operations`), so that the two cannot differ. One loop trains all of them (`training`).
"""
