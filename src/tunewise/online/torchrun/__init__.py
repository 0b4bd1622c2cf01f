"""Groups of PyTorch processes under `torchrun`, tuned while they train.

`Replica`, in `tunewise.online.torchrun.replica`, needs PyTorch; the job itself does not.
"""

from tunewise.online.torchrun.group import TorchrunJob

__all__ = ["TorchrunJob"]
