"""Record the pass for one more token on the GPU and replay it without Python.

A small model's pass consists of hundreds of GPU kernels that end before Python can start the next one; a recording (a
CUDA graph) starts them all at once. Attention also reads each key and value only once. If several query heads share a
key head, transformers copies the keys for each of them when there is a mask. With one token per row, these heads can be
treated as that many tokens of one head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

UNRECORDED = 2
"""Passes for one token before one is recorded: one-letter responses end earlier."""


@contextmanager
def replaying(network: Any) -> Iterator[None]:
    """Within the block, replay passes for one token per row. Needs a cache of fixed size."""
    forward = network.forward
    step = _Step(forward)

    @wraps(forward)
    def replay(*args: Any, **inputs: Any) -> Any:
        one = not args and inputs.get("input_ids") is not None and inputs["input_ids"].shape[1] == 1
        return step(inputs) if one else forward(*args, **inputs)

    network.forward = replay
    try:
        with pack_attention():
            yield
    finally:
        network.forward = forward


class _Step:
    """One pass: first computed normally, then recorded, then replayed."""

    def __init__(self, forward: Callable[..., Any]) -> None:
        self._forward = forward
        self._passes = 0
        self._graph: Any = None
        self._inputs: dict[str, Any] = {}
        self._outputs: Any = None

    def __call__(self, inputs: dict[str, Any]) -> Any:
        import torch

        self._passes += 1
        if self._passes <= UNRECORDED:
            return self._forward(**inputs)
        if self._graph is None:
            self._inputs = {name: _own(value) for name, value in inputs.items()}
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._outputs = self._forward(**self._inputs)
            self._graph = graph
        else:
            for name, value in inputs.items():
                _fill(self._inputs[name], value)
        self._graph.replay()
        return self._outputs


def _own(value: Any) -> Any:
    """Copy the tensors for a recorded pass; keep all other values."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.clone()
    return {name: _own(each) for name, each in value.items()} if type(value) is dict else value


def _fill(into: Any, value: Any) -> None:
    import torch

    if isinstance(value, torch.Tensor):
        into.copy_(value)
    elif type(value) is dict:
        for name, each in value.items():
            _fill(into[name], each)


@contextmanager
def pack_attention() -> Iterator[None]:
    """Within the block, use packed attention (see `attend`) wherever a row has one token."""
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS as FUNCTIONS

    usual = FUNCTIONS["sdpa"]

    def attention(module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **more: Any) -> Any:
        if _can_be_packed(query, key, attention_mask, more):
            return attend(query, key, value, attention_mask, more.get("scaling")), None
        return usual(module, query, key, value, attention_mask, **more)

    FUNCTIONS["sdpa"] = attention
    try:
        yield
    finally:
        FUNCTIONS["sdpa"] = usual


def _can_be_packed(query: Any, key: Any, mask: Any, more: dict[str, Any]) -> bool:
    shared = query.shape[2] == 1 and query.shape[1] % key.shape[1] == 0 and query.shape[1] > key.shape[1]
    one_mask = mask is not None and mask.ndim == 4 and mask.shape[1] == 1 and mask.shape[-1] == key.shape[2]
    return shared and one_mask and not more.get("dropout") and more.get("position_bias") is None


def attend(query: Any, key: Any, value: Any, mask: Any, scaling: float | None) -> Any:
    """Return the attention of one token per row to earlier keys and values: (rows, 1, heads, size)."""
    from torch.nn.functional import scaled_dot_product_attention

    rows, heads, _, size = query.shape
    together = query.reshape(rows, key.shape[1], heads // key.shape[1], size)
    made = scaled_dot_product_attention(together, key, value, attn_mask=mask, scale=scaling)
    return made.reshape(rows, 1, heads, value.shape[-1])
