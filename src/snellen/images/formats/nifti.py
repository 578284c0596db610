"""NIfTI: slices of a volume in a named plane; the only access to nibabel.

Images follow the radiological convention. The left side of axial and coronal images is the patient's right, that of
sagittal ones the front. The top is the front or the head. Directions come from the file's affine, or from the user's
setting; a file without either is refused.
"""

from __future__ import annotations

import gzip
import logging
import threading
import zlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from struct import unpack
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError, Inapplicable, UnusableImageError
from snellen.images.formats.stacks import (
    OBLIQUE,
    PLANES,
    DecodedImage,
    check_size,
    check_unchanged,
    describe_choice,
    evenly,
    in_proportion,
    mark,
    pick_place,
    translate_errors,
)
from snellen.images.image import Image, Pixels, ViewedImage
from snellen.images.windows import AUTO, HIGH, LOW, GreyRange, in_words, levels, spread, window_called
from snellen.plugins import import_extra

CALLED = "in a NIfTI file"
USUAL = 5
"""Default number of slices of a volume."""
MAX_VOLUME = 2_000_000_000
"""Largest size of one volume, in bytes."""
MAX_KEPT = 256_000_000
"""Largest size in bytes of a volume that is cached for its other slices; a larger one is read again for each."""
MAX_BEFORE = 64_000_000
"""Largest number of bytes before the first voxel, since a compressed file may state any number."""

_CUT_OFF = (EOFError, zlib.error, gzip.BadGzipFile)
Plane = Literal["axial", "coronal", "sagittal"]
_RULES = {
    "axial": "axial slices with the patient's right on the left and the front at the top",
    "coronal": "coronal slices with the patient's right on the left and the head at the top",
    "sagittal": "sagittal slices with the front on the left and the head at the top",
}
_OF_VOLUME = f"values shown from the {LOW:g}th percentile of the volume (black) to the {HIGH:g}th (white)"


@dataclass(frozen=True)
class NiftiSlice(DecodedImage):
    """One slice of a volume, identified by a hash instead of its file name."""

    path: Path = field(repr=False)
    file: str
    plane: Plane
    place: int
    """Position from 0: axial from the feet, coronal from the front, sagittal from the patient's right."""
    volume: int = 0
    window: str = ""
    """A CT window by name or `centre/width`; with it, the user states that values are Hounsfield units."""
    orient: str = ""
    """Directions of the file's axes, in letters such as RAS, if the user overrides the file."""
    choice: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Rule that chose the slice among others."""

    called = CALLED

    def develop(self) -> ViewedImage:
        """Return the slice oriented for viewing, with the rules applied."""
        check_unchanged(self.path, self.file, self.called)
        with translate_errors(CALLED, damaged=_CUT_OFF):
            volume = _header(self.path, self.file, self.orient)
            voxels = _voxels(self.path, self.file, self.volume)
            axis = PLANES.index(self.plane)
            values = _turn_slice(voxels, volume, axis, self.place)
            pixels, shown = self._show(values, voxels, volume)
            size = pixels.shape[1], pixels.shape[0]
            wide, tall = (each for at, each in enumerate(volume.spacing) if at != axis)
            pixels, stretched = in_proportion(pixels, tall, wide, self.called)
        rules = (*self.choice, _RULES[self.plane], *volume.rules, *shown, *stretched)
        return ViewedImage(pixels, size, rules)

    def _show(self, values: NDArray[Any], voxels: NDArray[Any], volume: Volume) -> tuple[Pixels, tuple[str, ...]]:
        if values.dtype.names:
            return np.stack([values[name] for name in ("R", "G", "B")], axis=-1), ()
        measured = values.astype(np.float64) * volume.slope + volume.intercept
        if self.window:
            return levels(window_called(self.window).shares(measured)), (in_words(self.window),)
        ends = (each * volume.slope + volume.intercept for each in _spread(self.path, self.file, self.volume))
        return levels(GreyRange(*sorted(ends)).shares(measured)), (_OF_VOLUME,)

    def with_window(self, window: str) -> NiftiSlice:
        """Return the same slice with another CT window. Raise Inapplicable if it has no window yet."""
        if not self.window:
            raise Inapplicable(
                "a NIfTI file does not say that its values are Hounsfield units; name a window with it, such as "
                "#window=soft-tissue"
            )
        return replace(self, window=window)


class Volume(NamedTuple):
    """Voxels of a NIfTI file: their number, axes, distances and scale."""

    shape: tuple[int, ...]
    volumes: int
    turns: NDArray[np.float64]
    """Per axis of the file, the patient's axis that it follows (right, front, head) and its direction."""
    spacing: tuple[float, float, float]
    """Millimetres between voxels: left to right, front to back, head to feet."""
    slope: float
    intercept: float
    rules: tuple[str, ...]

    def own_axis(self, axis: int) -> int:
        """Return the file's axis that follows an axis of the patient."""
        return int(np.flatnonzero(self.turns[:, 0] == axis)[0])


def images_of(
    path: Path,
    *,
    plane: Plane = "axial",
    slices: int = USUAL,
    slice: float | None = None,  # noqa: A002 - the word for it
    volume: int = 1,
    window: str = "",
    orient: str = "",
) -> tuple[Image, ...]:
    """Return slices of a volume in a plane: `slices`, evenly spread, or only `slice`.

    `slice` 0.5 is the middle, whole numbers count from 1. `volume` selects one of several volumes. `window` is a CT
    window by name or `centre/width` and states that values are Hounsfield units; by default percentiles are used.
    `orient` gives the directions of the file's axes, such as RAS, if the file does not or is wrong.
    """
    if plane not in PLANES:
        raise ImageError(f"there is no plane {plane!r}; expected {', '.join(reversed(PLANES))}")
    window = "" if window == AUTO else window
    if window:
        window_called(window)
    known = mark(path)
    with translate_errors(CALLED, damaged=_CUT_OFF):
        found = _header(path, known, orient.upper())
    which_volume = pick_place(volume, found.volumes, "volume")
    count = found.shape[found.own_axis(PLANES.index(plane))]
    which = evenly(count, slices) if slice is None else (pick_place(slice, count, "slice"),)
    choice = describe_choice(count, len(which), "slices") if slice is None else ()
    if found.volumes > 1:
        choice = (*choice, "the first of its volumes" if which_volume == 0 else "one of its volumes")
    slices_shown = (
        NiftiSlice(path, known, plane, each, which_volume, window, orient.upper(), choice) for each in which
    )
    return tuple(Image(each, role=f"{plane} slice {each.place + 1} of {count}") for each in slices_shown)


# Reading


def _nibabel() -> Any:
    """Import nibabel without its log messages, since thousands of files may share a flaw."""
    nibabel = import_extra("nibabel", "nibabel", "nifti")
    logging.getLogger("nibabel.global").setLevel(logging.CRITICAL)
    return nibabel


def _check_start(path: Path) -> None:
    """Check the format and the possible start of the voxels, from the first bytes."""
    with path.open("rb") as stream:
        start = stream.read(544)
    if start[:2] == b"\x1f\x8b":
        with gzip.open(path) as unpacked:
            start = unpacked.read(544)
    order = next((order for order in "<>" if unpack(f"{order}i", start[:4].ljust(4, b"\0"))[0] in (348, 540)), "")
    second = start[4:8] == b"n+2\0"
    if not order or not (second or start[344:348] == b"n+1\0"):
        what = "a pair of two files" if start[344:348] == b"ni1\0" else f"{len(start)} bytes read"
        raise UnusableImageError(CALLED, f"is not a NIfTI file that can be read: no n+1 or n+2 in its header ({what})")
    before = unpack(f"{order}q", start[168:176])[0] if second else unpack(f"{order}f", start[108:112])[0]
    if not 0 <= before <= MAX_BEFORE:
        raise UnusableImageError(
            CALLED, f"states that its voxels begin at byte {before:g}; expected at most {MAX_BEFORE:,}"
        )


@lru_cache(maxsize=256)
def _header(path: Path, known: str, orient: str) -> Volume:
    """Read the header of a file without its voxels. `known` is the file's hash (`mark`)."""
    nibabel = _nibabel()
    _check_start(path)
    image = nibabel.load(path)
    header = image.header
    shape = tuple(int(each) for each in header.get_data_shape())
    if len(shape) < 2 or min(shape) < 1 or any(each > 1 for each in shape[4:]):
        raise UnusableImageError(CALLED, f"has the shape {shape}; expected a volume or several of one size")
    volumes = shape[3] if len(shape) > 3 else 1
    shape = (*shape, 1)[:3]
    kind = header.get_data_dtype()
    if not (kind.kind in "iuf" or (kind.names and set("RGB") <= set(kind.names))) or kind.itemsize > 8:
        raise UnusableImageError(CALLED, f"holds values of the kind {kind}, which is not supported")
    if np.prod(shape, dtype=np.float64) * kind.itemsize > MAX_VOLUME:
        raise UnusableImageError(CALLED, f"has the shape {shape} in {kind}; at most {MAX_VOLUME:,} bytes are read")
    for one, other in combinations(shape, 2):
        check_size(one, other, CALLED)
    affine, rules = _affine(nibabel, header, orient)
    turns = nibabel.io_orientation(affine)
    if np.isnan(turns).any():
        raise UnusableImageError(
            CALLED, "has an affine that leaves an axis without a direction; give one, such as orient=RAS"
        )
    sizes = np.linalg.norm(affine[:3, :3], axis=0)
    spacing = [float(sizes[np.flatnonzero(turns[:, 0] == axis)[0]]) for axis in range(3)]
    slope, intercept = float(image.dataobj.slope), float(image.dataobj.inter)
    if slope == 0 or not np.isfinite((slope, intercept)).all():
        raise UnusableImageError(CALLED, f"has an unusable rescaling: slope {slope:g}, intercept {intercept:g}")
    right, front, head = spacing
    return Volume(shape, volumes, turns, (right, front, head), slope, intercept, rules)


def _affine(nibabel: Any, header: Any, orient: str) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return the affine of the voxels, with the rules applied; refuse an unclear one."""
    if orient:
        return _make_affine(nibabel, header, orient), ("with the sides that were given with the file",)
    found = {
        name: affine
        for name, code, affine in (
            ("sform", int(header["sform_code"]), header.get_sform()),
            ("qform", int(header["qform_code"]), header.get_qform() if header["qform_code"] > 0 else None),
        )
        if code > 0 and affine is not None
    }
    if not found:
        raise UnusableImageError(
            CALLED,
            "does not give its orientation (its sform and qform codes are 0). Give the direction of its axes, such as "
            "orient=RAS",
        )
    for name, affine in found.items():
        if not np.isfinite(affine).all() or abs(np.linalg.det(affine[:3, :3])) < 1e-9:
            raise UnusableImageError(
                CALLED, f"has an affine ({name}) that is singular or not finite. Fix it, or give orient=RAS"
            )
    axes = {name: nibabel.aff2axcodes(affine) for name, affine in found.items()}
    codes = {name: "".join(letters) for name, letters in axes.items() if None not in letters}
    if len(set(codes.values())) > 1:
        raise UnusableImageError(
            CALLED,
            f"gives two orientations (sform {codes['sform']}, qform {codes['qform']}). Choose one, such as "
            f"orient={codes['sform']}",
        )
    affine = next(iter(found.values()))
    leaning = float(np.degrees(nibabel.affines.obliquity(affine).max()))
    rule = f"cut along the grid of the scan, which leans by more than {OBLIQUE:g}° against the patient's axes"
    return affine, (rule,) if leaning > OBLIQUE else ()


def _make_affine(nibabel: Any, header: Any, orient: str) -> NDArray[np.float64]:
    """Build an affine for axes with these directions, with the file's voxel distances."""
    if len(orient) != 3 or {frozenset("RL"), frozenset("AP"), frozenset("SI")} != {
        next((pair for pair in map(frozenset, ("RL", "AP", "SI")) if letter in pair), frozenset()) for letter in orient
    }:
        raise ImageError(f"orient is three letters such as RAS: R or L, A or P, S or I in any order, got {orient!r}")
    turns = nibabel.orientations.axcodes2ornt(tuple(orient))
    affine = np.zeros((4, 4))
    sizes = (*(abs(float(each)) or 1.0 for each in header.get_zooms()), 1.0, 1.0)
    for axis, (towards, direction) in enumerate(turns):
        affine[int(towards), axis] = direction * sizes[axis]
    affine[3, 3] = 1
    return affine


_READING = threading.Lock()


def _voxels(path: Path, known: str, volume: int) -> NDArray[Any]:
    """Read the stored voxels of one volume, cached for all its slices."""
    with _READING:
        voxels = _read_voxels(path, known, volume)
        if voxels.nbytes > MAX_KEPT:
            _read_voxels.cache_clear()
        return voxels


@lru_cache(maxsize=1)
def _read_voxels(path: Path, known: str, volume: int) -> NDArray[Any]:
    nibabel = _nibabel()
    image = nibabel.load(path)
    header = image.header
    shape = tuple(int(each) for each in header.get_data_shape())
    spec = (shape, header.get_data_dtype(), image.dataobj.offset, 1.0, 0.0)
    stored = nibabel.arrayproxy.ArrayProxy(image.file_map["image"].filename, spec, mmap=False)
    beyond = (volume, *(0,) * (len(shape) - 4)) if len(shape) > 3 else ()
    voxels = np.asanyarray(stored[(*(slice(None),) * min(3, len(shape)), *beyond)])
    return cast("NDArray[Any]", voxels.reshape((*shape, 1)[:3]))


@lru_cache(maxsize=256)
def _spread(path: Path, known: str, volume: int) -> GreyRange:
    """Return the stored values shown as black and white: percentiles of the whole volume."""
    return spread(_voxels(path, known, volume))


def _turn_slice(voxels: NDArray[Any], volume: Volume, axis: int, place: int) -> NDArray[Any]:
    """Orient a slice for viewing: rows from the top down, columns from left to right."""
    own = volume.own_axis(axis)
    towards = int(volume.turns[own, 1])
    # axial slices are counted towards the head, coronal and sagittal ones away from the front and the right
    onwards = towards > 0 if PLANES[axis] == "axial" else towards < 0
    at = place if onwards else voxels.shape[own] - 1 - place
    flat = np.take(voxels, [at], axis=own)
    right_front_head = _nibabel().apply_orientation(flat, volume.turns)
    # the patient's axes are opposite to the image's: right to left, front to back, head to feet
    return cast("NDArray[Any]", np.flip(right_front_head.take(0, axis=axis), axis=(0, 1)).T)
