"""replaying: the pass of one more token, recorded once a batch on the GPU and replayed without Python.

A small model's pass is hundreds of kernels that the GPU finishes before Python can start the next; a recorded one
(a CUDA graph) starts them all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from snellen.models.hf.attention import packed

UNRECORDED = 2
"""Passes of one token before one is recorded: a reply of a letter is over by then."""


@contextmanager
def replaying(network: Any) -> Iterator[None]:
    """Within, passes of one token a row are replayed; the cache must have a fixed size."""
    forward = network.forward
    step = _Step(forward)

    @wraps(forward)
    def replayed(*args: Any, **inputs: Any) -> Any:
        one = not args and inputs.get("input_ids") is not None and inputs["input_ids"].shape[1] == 1
        return step(inputs) if one else forward(*args, **inputs)

    network.forward = replayed
    try:
        with packed():
            yield
    finally:
        network.forward = forward


class _Step:
    """One pass: run as it is at first, then recorded, then replayed on other inputs of the same shapes."""

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
    """A copy of the tensors that a pass is recorded with; all else, such as the cache, as it is."""
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
