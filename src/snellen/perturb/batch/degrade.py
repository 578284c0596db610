"""degrade_batch: many pictures at once, with the same results as `Degradation` one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch

from snellen.errors import ImageError
from snellen.perturb.artefacts.degradation import Degradation, Scale
from snellen.perturb.batch.members import stage_of
from snellen.perturb.batch.stage import Fuse, Planes, Stage, as_it_is, compiled

Settings = tuple[Any, ...]

FULL = {torch.uint8: 255.0, torch.uint16: 65_535.0}
_BYTES = 1 << 26  # of 32-bit fractions at a time, on the CPU; a GPU takes a sixteenth of what it has free
_MOST_BYTES = 1 << 30
_MOST_JOINED = 1 << 30  # pixels that one kernel is given: places are counted in 32 bits


def degrade_batch(
    pixels: torch.Tensor, degradations: Sequence[Degradation], *, device: Any = None, fused: bool = False
) -> torch.Tensor:
    """Each picture after its own degradation: pictures × height × width (× 3), 8 or 16 bits, in and out.

    Every pixel is that of `Degradation.__call__`, or the next level of 255 where the two round to different sides: on
    less than one in a thousand, more only where many values lie exactly between two levels, as low contrast and
    stretching leave them. Only a JPEG after another artefact may make more of such a level: a step of its own in a
    block. The artefacts in `ONE_BY_ONE` are done on the CPU, a picture at a time. Artefacts may be mixed, but the
    results must have one size. `device` is where it is done and left; by default where the pixels are.
    `fused` joins operations by torch.compile: it takes seconds at first and pays from thousands of pictures on a GPU.
    """
    _check(pixels, degradations)
    pixels = pixels if device is None else pixels.to(device)
    groups = _groups(pixels, degradations)
    sizes = {_sizes(degradations[first], *pixels.shape[1:3])[-1] for _, (first, *_) in groups}
    if len(sizes) > 1:
        listed = " and ".join(f"{height} × {width}" for height, width in sorted(sizes))
        raise ImageError(f"Results of one batch have one size, got {listed}. Degrade these in batches of their own.")
    fuse = compiled if fused else as_it_is
    if len(groups) == 1:
        return _together(pixels, degradations, grey=groups[0][0], fuse=fuse)
    done = torch.empty((len(pixels), *sizes.pop(), *pixels.shape[3:]), dtype=pixels.dtype, device=pixels.device)
    for grey, group in groups:
        place = torch.tensor(group, device=pixels.device)
        own = _signed(pixels)[place].view(pixels.dtype)
        spoilt = _together(own, [degradations[index] for index in group], grey=grey, fuse=fuse)
        _signed(done)[place] = _signed(spoilt)
    return done


def _check(pixels: torch.Tensor, degradations: Sequence[Degradation]) -> None:
    shaped = pixels.ndim == 3 or (pixels.ndim == 4 and pixels.shape[3] == 3)
    if pixels.dtype not in FULL or not shaped or pixels.numel() == 0:
        raise ImageError(
            "Expected a batch of 8- or 16-bit grey or RGB pixels (pictures × height × width, or × 3), "
            f"got {pixels.dtype} of shape {tuple(pixels.shape)}."
        )
    if len(pixels) != len(degradations):
        raise ImageError(f"Expected a degradation for each of {len(pixels)} pictures, got {len(degradations)}.")


def _signed(pixels: torch.Tensor) -> torch.Tensor:
    """The same bits as a type that torch can pick from and put into; of 16 bits without a sign it cannot."""
    return pixels.view(torch.int16) if pixels.dtype == torch.uint16 else pixels


def _sizes(degradation: Degradation, height: int, width: int) -> list[tuple[int, int]]:
    """Height and width before each part, and after the last."""
    sizes = [(height, width)]
    for part in degradation.parts:
        sizes.append(stage_of(part).size(part, *sizes[-1]))
    return sizes


def _kinds(degradation: Degradation, height: int, width: int) -> tuple[Hashable, ...]:
    """What degradations must have in common to be done together, part by part."""
    kinds: list[Hashable] = [degradation.scale]
    for part in degradation.parts:
        stage = stage_of(part)
        kinds.append((type(part), stage.alike(part, height, width)))
        height, width = stage.size(part, height, width)
    return tuple(kinds)


def _groups(pixels: torch.Tensor, degradations: Sequence[Degradation]) -> list[tuple[bool, list[int]]]:
    """The pictures that can be done together, and whether they are grey pictures stored as coloured ones."""
    grey = [False] * len(pixels)
    if pixels.ndim == 4:
        red, green, blue = _signed(pixels).unbind(3)
        grey = ((red == green) & (green == blue)).flatten(1).all(1).tolist()
    height, width = pixels.shape[1:3]
    groups: dict[tuple[bool, Hashable], list[int]] = defaultdict(list)
    for index, degradation in enumerate(degradations):
        groups[grey[index], _kinds(degradation, height, width)].append(index)
    return [(equal, group) for (equal, _), group in groups.items()]


def _together(pixels: torch.Tensor, degradations: Sequence[Degradation], *, grey: bool, fuse: Fuse) -> torch.Tensor:
    """Pictures that can be done together, in chunks that fit into memory."""
    if grey:
        one = _together(pixels[..., 0].contiguous(), degradations, grey=False, fuse=fuse)
        return torch.stack([_signed(one)] * 3, dim=3).view(pixels.dtype)
    stages = tuple(stage_of(part) for part in degradations[0].parts)
    joined = fuse is compiled and all(stage.pointwise for stage in stages)
    # joined into one kernel, nothing is kept in between
    count = max(1, (_MOST_JOINED if joined else _budget(pixels) // 4) // pixels[0].numel())
    through = fuse(_in_one(stages, degradations[0].scale)) if joined else _in_turn(stages, degradations[0].scale, fuse)
    done = []
    for start in range(0, len(pixels), count):
        settings = _settings(degradations[start : start + count], stages, pixels)
        done.append(through(pixels[start : start + count], settings))
    return done[0] if len(done) == 1 else torch.cat([_signed(each) for each in done]).view(pixels.dtype)


def _budget(pixels: torch.Tensor) -> int:
    if pixels.device.type != "cuda":
        return _BYTES
    return min(_MOST_BYTES, int(torch.cuda.mem_get_info(pixels.device)[0]) // 16)


def _settings(some: Sequence[Degradation], stages: Sequence[Stage], pixels: torch.Tensor) -> tuple[Settings, ...]:
    """What each stage needs, on the device."""
    sizes = _sizes(some[0], *pixels.shape[1:3])
    return tuple(
        _there(stage.settings([each.parts[index] for each in some], *sizes[index]), pixels.device)
        for index, stage in enumerate(stages)
    )


def _there(setting: Any, device: torch.device) -> Any:
    if isinstance(setting, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(setting)).to(device)
    return tuple(_there(each, device) for each in setting) if isinstance(setting, tuple) else setting


@cache
def _in_one(stages: tuple[Stage, ...], scale: Scale) -> Any:
    """From stored pixels to stored pixels, to be compiled as a whole."""
    return _in_turn(stages, scale, as_it_is)


def _in_turn(stages: tuple[Stage, ...], scale: Scale, fuse: Fuse) -> Any:
    """From stored pixels to stored pixels, stage by stage."""

    def through(pixels: torch.Tensor, settings: tuple[Settings, ...]) -> torch.Tensor:
        planes = fuse(_fractions)(pixels)
        for stage, own in zip(stages, settings, strict=True):
            planes = fuse(stage.apply)(planes, *own) if stage.pointwise else stage.apply(planes, *own, fuse=fuse)
        return fuse(_stretched if scale == "stretched" else _kept)(planes, pixels)

    return through


def _fractions(pixels: torch.Tensor) -> Planes:
    fractions = pixels.to(torch.float32) * (1 / FULL[pixels.dtype])
    return fractions.unsqueeze(1) if pixels.ndim == 3 else fractions.permute(0, 3, 1, 2)


def _kept(planes: Planes, pixels: torch.Tensor) -> torch.Tensor:
    return _stored(planes.clamp(0, 1) * FULL[pixels.dtype], pixels)


def _stretched(planes: Planes, pixels: torch.Tensor) -> torch.Tensor:
    darkest, brightest = planes.amin((1, 2, 3), keepdim=True), planes.amax((1, 2, 3), keepdim=True)
    range_ = torch.where(brightest > darkest, brightest - darkest, torch.inf)
    return _stored((planes - darkest) * (FULL[pixels.dtype] / range_), pixels)


def _stored(levels: Planes, pixels: torch.Tensor) -> torch.Tensor:
    # by way of 32 bits: not every device turns fractions into 16 bits without a sign
    stored = torch.round(levels).clamp(0, FULL[pixels.dtype]).to(torch.int32).to(pixels.dtype)
    return stored.squeeze(1) if pixels.ndim == 3 else stored.permute(0, 2, 3, 1).contiguous()
