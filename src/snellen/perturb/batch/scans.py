"""Motion and ghosting for a batch: pictures through k-space and back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import pi
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from snellen.perturb.arithmetic import places
from snellen.perturb.artefacts.ghosting import Ghosting
from snellen.perturb.artefacts.motion import Motion
from snellen.perturb.artefacts.motion_as_published import MotionAsPublished
from snellen.perturb.batch.geometry import sampled
from snellen.perturb.batch.stage import Fuse, Planes, Stage

Moving = Motion | MotionAsPublished


def _still(part: Moving) -> bool:
    return not any(part.degrees) and not np.any(part.translation)


def _starts(parts: Sequence[Moving], width: int) -> NDArray[np.int64]:
    """The column of k-space at which each stretch but the first begins: pictures × movements."""
    return np.asarray((width * np.array([part.times for part in parts])).astype(np.int64))


def _owner(starts: Planes, width: int) -> Planes:
    """The stretch of the scan that each frequency belongs to: pictures × (+f, −f) × frequencies."""
    frequency = torch.arange(width // 2 + 1, device=starts.device)
    column = torch.stack([(width // 2 + frequency) % width, width // 2 - frequency])
    owner = torch.zeros(len(starts), *column.shape, dtype=torch.int64, device=starts.device)
    for start in starts.unbind(1):
        owner += start[:, None, None] <= column
    return owner


def _bounds(starts: NDArray[np.int64], width: int) -> list[tuple[int, int]]:
    """Between which frequencies each stretch lies in any picture; the lowest is that of the middle column."""
    first = [0, *starts.min(axis=0).tolist()]
    last = [*starts.max(axis=0).tolist(), width]
    middle = width // 2
    return [
        (max(0, low - middle, middle - high + 1), max(middle - low, high - 1 - middle) + 1) if low < high else (0, 0)
        for low, high in zip(first, last, strict=True)
    ]


def middle(part: Motion, height: int, width: int) -> Hashable:
    """The stretch with the lowest frequency, and the number of movements; nothing where none is seen."""
    if width == 1 or _still(part):
        return None
    return sum(int(width * time) <= width // 2 for time in part.times), len(part.times)


def motion_settings(parts: Sequence[Motion], height: int, width: int) -> tuple[Any, ...]:
    """Where the pixels of every pose come from, where its stretch of k-space begins, and which pose is unmoved."""
    found = middle(parts[0], height, width)
    if not isinstance(found, tuple):
        return np.zeros(0), np.zeros(0), np.zeros(0), [], 0
    unmoved, movements = found
    turns = np.radians([part.degrees for part in parts])
    cosine, sine = np.cos(turns), np.sin(turns)
    origin = np.stack([np.stack([cosine, -sine], 2), np.stack([sine, cosine], 2)], 2)
    centre = np.array([width - 1, height - 1]) / 2
    shift = np.array([part.translation for part in parts])[:, :, ::-1]
    start = centre - (origin @ (centre + shift)[..., None])[..., 0]
    across, down = places(np.concatenate([origin, start[..., None]], axis=3), height=height, width=width)
    # the scan begins in the pose whose place in the middle the unmoved picture takes
    order = [(stretch or unmoved) - 1 for stretch in range(movements + 1)]
    starts = _starts(parts, width)
    return across[:, order], down[:, order], starts, _bounds(starts, width), unmoved


def motion(
    planes: Planes,
    across: Planes,
    down: Planes,
    starts: Planes,
    bounds: list[tuple[int, int]],
    unmoved: int,
    *,
    fuse: Fuse,
) -> Planes:
    """Each stretch of k-space from another pose. Poses fill all frequencies, so black may stand in for the smallest."""
    if not bounds:
        return planes.clone()
    width = planes.shape[3]
    lowest = planes.amin((2, 3), keepdim=True)
    raised = planes - lowest
    owner = _owner(starts, width)
    mixed = torch.zeros(*planes.shape[:3], width // 2 + 1, dtype=torch.complex64, device=planes.device)
    for stretch, (low, high) in enumerate(bounds):
        if low < high:
            pose = raised if stretch == unmoved else fuse(sampled)(raised, across[:, stretch], down[:, stretch])
            share = (owner[..., low:high] == stretch).to(torch.float32).mean(1)
            lines = torch.view_as_real(torch.fft.rfft(pose)[..., low:high])
            torch.view_as_real(mixed)[..., low:high, :].addcmul_(lines, share[:, None, None, :, None])
    return torch.fft.irfft(mixed, n=width) + lowest


def movements_made(part: MotionAsPublished, height: int, width: int) -> Hashable:
    """How many movements there are; nothing where none is seen."""
    return None if _still(part) else len(part.times)


def published_settings(parts: Sequence[MotionAsPublished], height: int, width: int) -> tuple[Any, ...]:
    """Each stretch's turn and shifts, where it begins in k-space, and which stretch is unmoved."""
    if _still(parts[0]):
        return np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0)
    times = np.array([part.times for part in parts])
    late = times > 0.5
    unmoved = np.where(late.any(1), late.argmax(1), times.shape[1])
    stretch = np.arange(times.shape[1] + 1)
    pose = np.where(stretch == 0, unmoved[:, None], stretch) - 1
    turns = np.take_along_axis(np.radians([part.degrees for part in parts]), pose, 1)
    shifts = np.take_along_axis(np.array([part.translation for part in parts]), pose[..., None], 1)
    return turns, shifts, _starts(parts, width), unmoved


def motion_as_published(
    planes: Planes, turns: Planes, shifts: Planes, starts: Planes, unmoved: Planes, *, fuse: Fuse
) -> Planes:
    """The unmoved picture's stretch of k-space, and those few rows that the moved slices still have."""
    if not len(turns):
        return planes.clone()
    lowest = planes.amin((2, 3), keepdim=True)
    raised = planes - lowest
    owner = _owner(starts, planes.shape[3])
    share = (owner == unmoved[:, None, None]).to(torch.float32).mean(1)
    mixed = torch.fft.rfft(raised) * share[:, None, None]
    moved = torch.arange(turns.shape[1], device=planes.device) != unmoved[:, None]
    found = _cuts(turns, shifts, planes.shape[2], moved)
    if len(found[0]):
        # as many at a time as the pictures have rows: slices that hardly moved have nearly all of theirs
        for slab in zip(*(each.split(len(planes) * planes.shape[2]) for each in found), strict=True):
            _fill(mixed, raised, owner, slab)
    return torch.fft.irfft(mixed, n=planes.shape[3]) + lowest


def _fill(mixed: Planes, raised: Planes, owner: Planes, slab: tuple[Planes, ...]) -> None:
    """Add the rows that moved slices still have to the lines of k-space that these slices fill."""
    picture, stretch, row, place = slab
    share = (owner[picture] == stretch[:, None, None]).to(torch.float32).mean(1)
    lines = torch.fft.rfft(_between(raised, picture, place)) * share[:, None]
    channel = torch.arange(mixed.shape[1], device=mixed.device)
    torch.view_as_real(mixed).index_put_(
        (picture[:, None], channel[None], row[:, None]), torch.view_as_real(lines), accumulate=True
    )


def _cuts(turns: Planes, shifts: Planes, height: int, moved: Planes) -> tuple[Planes, Planes, Planes, Planes]:
    """All rows that moved slices still have: picture, stretch, row, and where in the original it lies."""
    row = torch.arange(height, dtype=torch.float64, device=turns.device)
    away, along = shifts.unbind(2)
    distance = torch.sin(turns)[..., None] * row + away[..., None]
    origin = torch.cos(turns)[..., None] * row - along[..., None]
    there = (distance.abs() <= 0.5) & (origin >= -0.5) & (origin <= height - 0.5) & moved[..., None]
    picture, stretch, found = there.nonzero(as_tuple=True)
    return picture, stretch, found, origin[there].clamp(0, height - 1)


def _between(planes: Planes, picture: Planes, place: Planes) -> Planes:
    """Rows of the pictures, linear between those above and below a place: rows × channels × width."""
    last = planes.shape[2] - 1
    above = place.to(torch.int64).clamp(max=max(last - 1, 0))
    share = (place - above).to(torch.float32)[:, None, None]
    below = (above + 1).clamp(max=last)
    return planes[picture, :, above] * (1 - share) + planes[picture, :, below] * share


def ghost_axis(part: Ghosting, height: int, width: int) -> Hashable:
    """The axis along which there are ghosts; nothing where none is seen."""
    return part.axis if part.amplitude and (height, width)[part.axis] > 1 else None


def ghosting_settings(parts: Sequence[Ghosting], height: int, width: int) -> tuple[Any, ...]:
    """How far each picture moves and how many ghosts it has, along the axis that all share."""
    axis = ghost_axis(parts[0], height, width)
    return np.array([part.amplitude for part in parts]), np.array([part.ghosts for part in parts]), axis


def ghosting(planes: Planes, amplitude: Planes, ghosts: Planes, axis: int | None, *, fuse: Fuse) -> Planes:
    """Every line turned by its phase."""
    if axis is None:
        return planes.clone()
    size = planes.shape[2 + axis]
    line = torch.arange(size // 2 + 1, dtype=torch.float64, device=planes.device)
    phase = -2 * pi * amplitude[:, None] * line * torch.cos(2 * pi * line / ghosts[:, None])
    turned = torch.polar(torch.ones_like(phase), phase)
    if size % 2 == 0:
        # the highest line of a real picture is real, and transforms differ in what they make of one that is not
        turned[:, -1].imag.zero_()
    turned = turned.to(torch.complex64)[:, None]
    lines = torch.fft.rfft(planes, dim=2 + axis) * (turned[..., None] if axis == 0 else turned[:, :, None])
    return torch.fft.irfft(lines, n=size, dim=2 + axis)


MOTION = Stage(motion_settings, motion, alike=middle, pointwise=False)
MOTION_AS_PUBLISHED = Stage(published_settings, motion_as_published, alike=movements_made, pointwise=False)
GHOSTING = Stage(ghosting_settings, ghosting, alike=ghost_axis, pointwise=False)
