"""Stage: one artefact for a batch of pictures, choosing what fits together apart from doing it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import torch

Planes: TypeAlias = torch.Tensor
"""Pictures × channels × height × width, 32-bit fractions: 0 is black, 1 the full range of the stored type."""

Fuse: TypeAlias = Callable[[Callable[..., Planes]], Callable[..., Planes]]
"""What is done to a function of planes before it is called: nothing, or compiling it into one kernel."""


def _alike(part: Any, height: int, width: int) -> Hashable:
    return None


def _same_size(part: Any, height: int, width: int) -> tuple[int, int]:
    return height, width


@dataclass(frozen=True)
class Stage:
    """How pictures of one size are given one kind of artefact, each with its own fields.

    `settings` turns the artefacts into arrays with a row for each picture, and into plain numbers that all share;
    `apply` takes the planes and these. Artefacts share a batch where `alike` is the same for them. One that is not
    `pointwise` (a pixel from a few pixels, and nothing to be kept in between) also takes `fuse`, for the parts of it
    that are.
    """

    settings: Callable[[Sequence[Any], int, int], tuple[Any, ...]]
    apply: Callable[..., Planes]
    alike: Callable[[Any, int, int], Hashable] = _alike
    size: Callable[[Any, int, int], tuple[int, int]] = _same_size
    pointwise: bool = True


def as_it_is(function: Callable[..., Planes]) -> Callable[..., Planes]:
    """The function itself, an operation after the other."""
    return function


@cache
def compiled(function: Callable[..., Planes]) -> Callable[..., Planes]:
    """The function as one kernel, which reads its input and writes its output once."""
    joined: Callable[..., Planes] = torch.compile(function, dynamic=False)
    return joined
