"""What a torchvision built for CUDA lacks beside a CPU torch. open_clip and transformers import it where it is."""

import sys
from importlib.util import find_spec


def declare_what_torchvision_lacks():
    """Names of two operators that a torchvision built for CUDA cannot load beside a CPU torch, and that nothing calls.

    Package indexes have no other torchvision, and without these names it stops while it is imported.
    """
    if find_spec("torchvision") is None:
        return
    import torch

    try:
        import torchvision  # noqa: F401
    except RuntimeError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        operators = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            operators.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        DECLARED.append(operators)


DECLARED = []
"""Operators are there only as long as somebody holds them."""
