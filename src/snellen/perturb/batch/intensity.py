"""Noise, bias field, contrast and exposure for a batch of images."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import torch
from scipy.special import ndtri

from snellen.perturb.artefacts.bias_field import ORDER, POWERS, BiasField
from snellen.perturb.artefacts.exposure import Exposure
from snellen.perturb.artefacts.low_contrast import LowContrast
from snellen.perturb.artefacts.noise import Noise
from snellen.perturb.artefacts.noise_field import FACTORS, SHIFTS, keys, quantiles
from snellen.perturb.batch.stage import Fuse, Planes, Stage

_LEVELS = 1 << 16


@cache
def _spread() -> float:
    """What √2 erf⁻¹ is multiplied by to become the table of quantiles, whose SD is exactly 1."""
    return float(quantiles()[-1]) / float(ndtri(1 - 0.5 / _LEVELS)) * sqrt(2)


def noise_settings(parts: Sequence[Noise], height: int, width: int) -> tuple[Any, ...]:
    """Both keys of every seed, and the standard deviations."""
    own = np.array([keys(part.seed) for part in parts], dtype=np.uint32).view(np.int32)
    return own[:, 0].copy(), own[:, 1].copy(), _column(part.sd for part in parts), _spread()


def noise(planes: Planes, first: Planes, second: Planes, sd: Planes, spread: float) -> Planes:
    """The hash of `noise_field` at every place. Its quantiles are computed: that is faster than reading a table."""
    count, channels, height, width = planes.shape
    size = height * width
    place = torch.arange(size, dtype=torch.int32, device=planes.device).view(1, 1, height, width)
    if channels == 3:
        # three equal channels are a grey picture, and get one field
        red, green, blue = planes.unbind(1)
        grey = ((red == green) & (green == blue)).flatten(1).all(1)
        start = torch.arange(3, dtype=torch.int32, device=planes.device) * size
        place = place + torch.where(grey[:, None], 0, start).view(count, 3, 1, 1)
    hashed = place >> 1
    for key in (first, second):
        hashed = _mixed(hashed ^ key.view(-1, 1, 1, 1))
    half = (hashed >> ((place & 1) << 4)) & (_LEVELS - 1)
    normal = torch.erfinv((2 * half + (1 - _LEVELS)).to(torch.float32) * (1 / _LEVELS))
    return planes + sd.view(-1, 1, 1, 1) * spread * normal


def _mixed(words: Planes) -> Planes:
    """The finaliser of `noise_field`, in signed numbers: they wrap around alike, and shifts drop the sign's copies."""
    for shift, factor in zip(SHIFTS, (*FACTORS, None), strict=True):
        words = words ^ ((words >> shift) & ((1 << (32 - shift)) - 1))
        if factor is not None:
            words = words * (factor - (factor >> 31 << 32))
    return words


def bias_settings(parts: Sequence[BiasField], height: int, width: int) -> tuple[Any, ...]:
    """The coefficients by powers of row and column, and the shares that may whiten."""
    matrix = np.zeros((len(parts), ORDER + 1, ORDER + 1), dtype=np.float32)
    matrix[:, *np.transpose(POWERS)] = [part.coefficients for part in parts]
    return matrix, np.array([part.most_white for part in parts])


def bias_field(planes: Planes, matrix: Planes, most_white: Planes, *, fuse: Fuse) -> Planes:
    """The image times the field, darkened if more than its share would be white."""
    shaded = fuse(_shade)(planes, matrix)
    ordered = shaded.amax(1).flatten(1).sort(1).values
    rank = ordered.shape[1] - 1 - (most_white * (ordered > 0).sum(1)).to(torch.int64)
    white = torch.where(rank < 0, 1, ordered.gather(1, rank.clamp(0)[:, None])[:, 0])
    return shaded / white.clamp(1).view(-1, 1, 1, 1)


def _shade(planes: Planes, matrix: Planes) -> Planes:
    """The picture times exp of a polynomial, by Horner's scheme in the rows and then in the columns."""
    down, right = (_from_edge_to_edge(size, planes.device) for size in planes.shape[2:])
    exponent = torch.zeros(1, device=planes.device)
    for column in reversed(range(ORDER + 1)):
        along = torch.zeros(1, device=planes.device)
        for row in reversed(range(ORDER + 1 - column)):
            along = along * down + matrix[:, row, column, None]
        exponent = exponent * right + along[:, :, None]
    return planes * torch.exp(exponent)[:, None]


def _from_edge_to_edge(size: int, device: Any) -> Planes:
    """−1 to 1 at the outermost pixels' centres; a single pixel is in the middle."""
    half = (size - 1) / 2
    return (torch.arange(size, dtype=torch.float32, device=device) - half) / (half or 1.0)


def contrast_settings(parts: Sequence[LowContrast], height: int, width: int) -> tuple[Any, ...]:
    """How much contrast is left, and the grey that makes up for the rest."""
    left = _column(part.contrast for part in parts)
    return left, (0.5 * (1 - left.astype(np.float64))).astype(np.float32)


def low_contrast(planes: Planes, left: Planes, grey: Planes) -> Planes:
    """Every value drawn towards mid-grey."""
    return planes * left.view(-1, 1, 1, 1) + grey.view(-1, 1, 1, 1)


def exposure_settings(parts: Sequence[Exposure], height: int, width: int) -> tuple[Any, ...]:
    """The factor, and where light is lost: at white, or nowhere."""
    factor = _column(2.0**part.stops for part in parts)
    return factor, _column(1.0 if part.stops > 0 else np.inf for part in parts)


def exposure(planes: Planes, factor: Planes, ceiling: Planes) -> Planes:
    """Brighter and cut off at white, or darker."""
    return torch.minimum(planes * factor.view(-1, 1, 1, 1), ceiling.view(-1, 1, 1, 1))


def _column(values: Any) -> Any:
    return np.fromiter(values, dtype=np.float32)


NOISE = Stage(noise_settings, noise)
BIAS_FIELD = Stage(bias_settings, bias_field, pointwise=False)
LOW_CONTRAST = Stage(contrast_settings, low_contrast)
EXPOSURE = Stage(exposure_settings, exposure)
