"""NIfTI: slices of a volume in a named plane, the patient's right on the left of the picture; the door to nibabel.

Pictures follow the radiological convention: axial and coronal ones have the patient's right on their left, sagittal
ones the front; the front, or the head, is at the top. Which side is which comes from the file's affine, or from whoever
names the volume; where neither says it, the file is refused.
"""

from __future__ import annotations

import gzip
import logging
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from struct import unpack
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError, Inapplicable, MissingExtraError, SnellenError, UnusableImageError
from snellen.images.formats.stacks import (
    OBLIQUE,
    PLANES,
    check_size,
    check_unchanged,
    chosen,
    evenly,
    in_proportion,
    mark,
    picked,
    said,
)
from snellen.images.image import Image, Pixels, Seen
from snellen.images.windows import AUTO, HIGH, LOW, Range, in_words, levels, spread, window_called

CALLED = "in a NIfTI file"
USUAL = 5
"""Slices of a volume, unless its settings ask for another number."""
MAX_VOLUME = 2_000_000_000
"""Bytes of one volume, at most."""
MAX_KEPT = 256_000_000
"""Bytes of a volume that is kept for its other slices; a larger one is read anew for each."""
MAX_BEFORE = 64_000_000
"""Bytes before the first voxel, at most: a compressed file may say any number."""

Plane = Literal["axial", "coronal", "sagittal"]
_RULES = {
    "axial": "axial slices with the patient's right on the left and the front at the top",
    "coronal": "coronal slices with the patient's right on the left and the head at the top",
    "sagittal": "sagittal slices with the front on the left and the head at the top",
}
_OF_VOLUME = f"values shown from the {LOW:g}th percentile of the volume (black) to the {HIGH:g}th (white)"


@dataclass(frozen=True)
class NiftiSlice:
    """One slice of a volume; the file is known by a mark, so that nothing printed or stored holds its name."""

    path: Path = field(repr=False)
    file: str
    plane: Plane
    place: int
    """Counted from 0: axial from the feet up, coronal from the front, sagittal from the patient's right."""
    volume: int = 0
    window: str = ""
    """A window of CT by name or by `centre/width`, where somebody says that values are Hounsfield units."""
    orient: str = ""
    """Where the axes of the file point, in letters such as RAS, where somebody knows better than the file."""
    choice: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """By which rule it was chosen among others."""

    called = CALLED

    @property
    def origin(self) -> str:
        """What all pictures of the file share."""
        return self.file

    def draw(self) -> Pixels:
        """The pixels."""
        return self.developed().pixels

    def developed(self) -> Seen:
        """The slice turned as it is looked at, and the rules."""
        check_unchanged(self.path, self.file, self.called)
        with _told():
            volume = _header(self.path, self.file, self.orient)
            voxels = _voxels(self.path, self.file, self.volume)
            axis = PLANES.index(self.plane)
            values = _turned(voxels, volume, axis, self.place)
            pixels, shown = self._shown(values, voxels, volume)
            size = pixels.shape[1], pixels.shape[0]
            wide, tall = (each for at, each in enumerate(volume.spacing) if at != axis)
            pixels, stretched = in_proportion(pixels, tall, wide, self.called)
        rules = (*self.choice, _RULES[self.plane], *volume.rules, *shown, *stretched)
        return Seen(pixels, size, rules)

    def _shown(self, values: NDArray[Any], voxels: NDArray[Any], volume: Volume) -> tuple[Pixels, tuple[str, ...]]:
        if values.dtype.names:
            return np.stack([values[name] for name in ("R", "G", "B")], axis=-1), ()
        measured = values.astype(np.float64) * volume.slope + volume.intercept
        if self.window:
            return levels(window_called(self.window).shares(measured)), (in_words(self.window),)
        ends = (each * volume.slope + volume.intercept for each in _spread(self.path, self.file, self.volume))
        return levels(Range(*sorted(ends)).shares(measured)), (_OF_VOLUME,)

    def under(self, window: str) -> NiftiSlice:
        """The same slice by another window of CT; Inapplicable unless it was given one before."""
        if not self.window:
            raise Inapplicable(
                "a NIfTI file does not say that its values are Hounsfield units; name a window with it, such as "
                "#window=soft-tissue"
            )
        return replace(self, window=window)


class Volume(NamedTuple):
    """What a NIfTI file says of its voxels: how many, where its axes point, how far apart, and of which scale."""

    shape: tuple[int, ...]
    volumes: int
    turns: NDArray[np.float64]
    """For each axis of the file, the axis of the patient that it follows (right, front, head) and its direction."""
    spacing: tuple[float, float, float]
    """Millimetres between voxels from left to right, from front to back, from head to feet."""
    slope: float
    intercept: float
    rules: tuple[str, ...]

    def along(self, axis: int) -> int:
        """How many slices there are along an axis of the patient."""
        return self.shape[int(np.flatnonzero(self.turns[:, 0] == axis)[0])]


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
    """Slices of a volume in a plane: `slices` of them, spread evenly, or one, as `slice` says.

    `slice` 0.5 is the middle, whole numbers count from 1. Of several volumes `volume` takes one. `window` is a window
    of CT by name or by `centre/width`, and says that values are Hounsfield units; else percentiles are taken. `orient`
    says where the axes of the file point, such as RAS, if the file does not say it or is wrong.
    """
    if plane not in PLANES:
        raise ImageError(f"there is no plane {plane!r}; expected {', '.join(reversed(PLANES))}")
    window = "" if window == AUTO else window
    if window:
        window_called(window)
    known = mark(path)
    with _told():
        found = _header(path, known, orient.upper())
    which_volume = picked(volume, found.volumes, "volume")
    count = found.along(PLANES.index(plane))
    which = evenly(count, slices) if slice is None else (picked(slice, count, "slice"),)
    choice = chosen(count, len(which), "slices") if slice is None else ()
    if found.volumes > 1:
        choice = (*choice, "the first of its volumes" if which_volume == 0 else "one of its volumes")
    slices_shown = (
        NiftiSlice(path, known, plane, each, which_volume, window, orient.upper(), choice) for each in which
    )
    return tuple(Image(each, role=f"{plane} slice {each.place + 1} of {count}") for each in slices_shown)


# Reading


def _nibabel() -> Any:
    """The package, quiet: a benchmark may have thousands of files with the same oddity."""
    try:
        import nibabel
    except ImportError as error:
        raise MissingExtraError("nibabel", "nifti") from error
    logging.getLogger("nibabel.global").setLevel(logging.CRITICAL)
    return nibabel


@contextmanager
def _told() -> Iterator[None]:
    """Whatever goes wrong in a file is an UnusableImageError that does not name it."""
    try:
        yield
    except SnellenError:
        raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnusableImageError(CALLED, f"is cut off or damaged: {said(error)}") from error
    except Exception as error:
        raise UnusableImageError(CALLED, f"cannot be decoded: {said(error)}") from error


def _check_start(path: Path) -> None:
    """The first bytes: what the file is, and that its voxels begin where they can."""
    with path.open("rb") as stream:
        start = stream.read(544)
    if start[:2] == b"\x1f\x8b":
        with gzip.open(path) as unpacked:
            start = unpacked.read(544)
    order = next((order for order in "<>" if unpack(f"{order}i", start[:4].ljust(4, b"\0"))[0] in (348, 540)), "")
    second = start[4:8] == b"n+2\0"
    if not order or not (second or start[344:348] == b"n+1\0"):
        what = "a pair of two files" if start[344:348] == b"ni1\0" else f"{len(start)} bytes read"
        raise UnusableImageError(CALLED, f"has the name of one and is none that is read: no n+1 or n+2 in it ({what})")
    before = unpack(f"{order}q", start[168:176])[0] if second else unpack(f"{order}f", start[108:112])[0]
    if not 0 <= before <= MAX_BEFORE:
        raise UnusableImageError(
            CALLED, f"says that its voxels begin at byte {before:g}, at most {MAX_BEFORE:,} is read"
        )


@lru_cache(maxsize=256)
def _header(path: Path, known: str, orient: str) -> Volume:
    """What a file says of its voxels; none is read. `known` is its mark."""
    nibabel = _nibabel()
    _check_start(path)
    image = nibabel.load(path)
    header = image.header
    shape = tuple(int(each) for each in header.get_data_shape())
    if len(shape) < 2 or min(shape) < 1 or any(each > 1 for each in shape[4:]):
        raise UnusableImageError(CALLED, f"is of the shape {shape}; expected a volume or several of one size")
    volumes = shape[3] if len(shape) > 3 else 1
    shape = (*shape, 1)[:3]
    kind = header.get_data_dtype()
    if not (kind.kind in "iuf" or (kind.names and set("RGB") <= set(kind.names))) or kind.itemsize > 8:
        raise UnusableImageError(CALLED, f"holds values of the kind {kind}, which are not shown")
    if np.prod(shape, dtype=np.float64) * kind.itemsize > MAX_VOLUME:
        raise UnusableImageError(CALLED, f"is of the shape {shape} in {kind}; at most {MAX_VOLUME:,} bytes are read")
    for one, other in combinations(shape, 2):
        check_size(one, other, CALLED)
    affine, rules = _affine(nibabel, header, orient)
    turns = nibabel.io_orientation(affine)
    if np.isnan(turns).any():
        raise UnusableImageError(CALLED, "has an affine that leaves an axis without a direction; say orient=RAS")
    sizes = np.linalg.norm(affine[:3, :3], axis=0)
    spacing = [float(sizes[np.flatnonzero(turns[:, 0] == axis)[0]]) for axis in range(3)]
    slope, intercept = float(image.dataobj.slope), float(image.dataobj.inter)
    if slope == 0 or not np.isfinite((slope, intercept)).all():
        raise UnusableImageError(CALLED, f"has the slope {slope:g} and the intercept {intercept:g}, which mean nothing")
    return Volume(
        shape,
        volumes,
        turns,
        (spacing[0], spacing[1], spacing[2]),
        slope,
        intercept,
        rules,
    )


def _affine(nibabel: Any, header: Any, orient: str) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Where voxels lie in the patient, and what is to be said of it; an affine that says nothing sure is refused."""
    if orient:
        return _oriented(nibabel, header, orient), ("with the sides that were given with the file",)
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
            "does not say which side is which (its sform and qform codes are 0). Say where its axes point, such as "
            "orient=RAS",
        )
    for name, affine in found.items():
        if not np.isfinite(affine).all() or abs(np.linalg.det(affine[:3, :3])) < 1e-9:
            raise UnusableImageError(
                CALLED, f"has an affine ({name}) that is singular or holds no numbers. Mend it, or say orient=RAS"
            )
    codes = {
        name: "".join(nibabel.aff2axcodes(affine)) for name, affine in found.items() if _is_complete(nibabel, affine)
    }
    if len(set(codes.values())) > 1:
        raise UnusableImageError(
            CALLED,
            f"says two things of its sides (sform {codes['sform']}, qform {codes['qform']}). Say which is right, such "
            f"as orient={codes['sform']}",
        )
    affine = next(iter(found.values()))
    leaning = float(np.degrees(nibabel.affines.obliquity(affine).max()))
    rule = f"cut along the grid of the scan, which leans by more than {OBLIQUE:g}° against the patient's axes"
    return affine, (rule,) if leaning > OBLIQUE else ()


def _is_complete(nibabel: Any, affine: Any) -> bool:
    return None not in nibabel.aff2axcodes(affine)


def _oriented(nibabel: Any, header: Any, orient: str) -> NDArray[np.float64]:
    """An affine for axes that point as letters say, with the file's distances between voxels."""
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
    """The voxels of one volume as they are stored; read once for all its slices, and kept until the next."""
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
def _spread(path: Path, known: str, volume: int) -> Range:
    """The stored values that are black and white, by percentiles of the whole volume."""
    return spread(_voxels(path, known, volume))


def _turned(voxels: NDArray[Any], volume: Volume, axis: int, place: int) -> NDArray[Any]:
    """A slice as it is looked at: rows from the top down, columns from left to right."""
    own = int(np.flatnonzero(volume.turns[:, 0] == axis)[0])
    towards = int(volume.turns[own, 1])
    # axial slices are counted towards the head; coronal and sagittal ones away from the front and the right
    onwards = towards > 0 if PLANES[axis] == "axial" else towards < 0
    at = place if onwards else voxels.shape[own] - 1 - place
    flat = np.take(voxels, [at], axis=own)
    right_front_head = _nibabel().apply_orientation(flat, volume.turns)
    # every axis of the patient runs against the picture: from right to left, from front to back, from head to feet
    return cast("NDArray[Any]", np.flip(right_front_head.take(0, axis=axis), axis=(0, 1)).T)
