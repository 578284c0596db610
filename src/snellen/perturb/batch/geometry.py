"""Crop and rotation for a batch, and the sampling of moved pictures."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch.nn.functional import grid_sample

from snellen.perturb.arithmetic import places
from snellen.perturb.artefacts.crop import Crop, window
from snellen.perturb.artefacts.rotation import Rotation, canvas
from snellen.perturb.batch.stage import Planes, Stage

_canvas = lru_cache(maxsize=16)(canvas)  # the same for every picture of one size and angle


def crop_size(part: Crop, height: int, width: int) -> tuple[int, int]:
    """How large the window is."""
    rows, columns = (window(size, part.scale, 0.0) for size in (height, width))
    return rows.stop - rows.start, columns.stop - columns.start


def crop_settings(parts: Sequence[Crop], height: int, width: int) -> tuple[Any, ...]:
    """Where each window starts, and how large all are."""
    top = [window(height, part.scale, part.down).start for part in parts]
    left = [window(width, part.scale, part.right).start for part in parts]
    return np.array(top, dtype=np.int64), np.array(left, dtype=np.int64), *crop_size(parts[0], height, width)


def crop(planes: Planes, top: Planes, left: Planes, height: int, width: int) -> Planes:
    """Windows of one size at different places."""
    count, channels = planes.shape[:2]
    rows = top.view(-1, 1, 1, 1) + torch.arange(height, device=planes.device).view(1, 1, -1, 1)
    columns = left.view(-1, 1, 1, 1) + torch.arange(width, device=planes.device).view(1, 1, 1, -1)
    picture = torch.arange(count, device=planes.device).view(-1, 1, 1, 1)
    channel = torch.arange(channels, device=planes.device).view(1, -1, 1, 1)
    return planes[picture, channel, rows, columns]


def rotation_size(part: Rotation, height: int, width: int) -> tuple[int, int]:
    """The canvas that holds the turned picture."""
    quarters, rest = divmod(part.degrees, 90)
    if rest == 0:
        return (width, height) if quarters % 2 else (height, width)
    _, tall, wide = _canvas(part.degrees, height, width)
    return tall, wide


def rotation_settings(parts: Sequence[Rotation], height: int, width: int) -> tuple[Any, ...]:
    """The angle, which all share, as quarter turns or as where each pixel of the canvas comes from."""
    quarters, rest = divmod(parts[0].degrees, 90)
    if rest == 0:
        return int(quarters) % 4, None, None
    origin, tall, wide = _canvas(parts[0].degrees, height, width)
    return None, *(steps[None] for steps in places(origin, height=tall, width=wide))


def rotation(planes: Planes, quarters: int | None, across: Planes | None, down: Planes | None) -> Planes:
    """Turned counter-clockwise on a black canvas."""
    if across is None or down is None:
        return torch.rot90(planes, quarters, (2, 3))
    return sampled(planes, across.expand(len(planes), -1, -1), down.expand(len(planes), -1, -1))


def sampled(planes: Planes, across: Planes, down: Planes) -> Planes:
    """A canvas whose pixels come from elsewhere (`places`, for each picture), linear between pixels and 0 outside."""
    steps = (across[:, :, None, :] + down[:, :, :, None]) >> 5
    right, bottom = (steps.to(torch.float32) * (1 / 32)).unbind(1)
    if torch.compiler.is_compiling():
        return _gathered(planes, right, bottom)
    sizes = (planes.shape[3], planes.shape[2])
    grid = [(2 * place + 1) / size - 1 for place, size in zip((right, bottom), sizes, strict=True)]
    return grid_sample(planes, torch.stack(grid, dim=3), padding_mode="zeros", align_corners=False)


def _gathered(planes: Planes, right: Planes, bottom: Planes) -> Planes:
    """The same as sums of four neighbours: compiled, it is one kernel, and no grid of places is kept."""
    left, top = right.floor(), bottom.floor()
    beyond, below = (right - left)[:, None], (bottom - top)[:, None]
    count, channels, tall, wide = planes.shape
    picture = torch.arange(count, device=planes.device).view(-1, 1, 1, 1)
    channel = torch.arange(channels, device=planes.device).view(1, -1, 1, 1)
    total = torch.zeros((), device=planes.device)
    for row, down in ((top.int()[:, None], 1 - below), (top.int()[:, None] + 1, below)):
        for column, across in ((left.int()[:, None], 1 - beyond), (left.int()[:, None] + 1, beyond)):
            inside = (row >= 0) & (row < tall) & (column >= 0) & (column < wide)
            value = planes[picture, channel, row.clamp(0, tall - 1), column.clamp(0, wide - 1)]
            total = total + torch.where(inside, value, 0) * (down * across)
    return total


def _angle(part: Rotation, height: int, width: int) -> Hashable:
    return part.degrees


CROP = Stage(crop_settings, crop, alike=crop_size, size=crop_size)
ROTATION = Stage(rotation_settings, rotation, alike=_angle, size=rotation_size)
