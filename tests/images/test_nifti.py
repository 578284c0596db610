"""NIfTI: planes and sides by the affine, windows by stated rules, and what is refused."""

import gzip
from contextlib import suppress
from itertools import permutations, product
from pathlib import Path

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import ImageError, Inapplicable, MissingExtraError, UnusableImageError
from snellen.images.formats import nifti as reader
from snellen.images.formats.nifti import images_of

SHIPPED = Path(nibabel.__file__).parent / "tests" / "data"
CODES = ["".join(code) for order in permutations(("RL", "AP", "SI")) for code in product(*order)]
"""All 48 ways in which three axes can follow those of a patient."""
SIZES = {"R": 5, "A": 6, "S": 7}
PAIRS = {"L": "R", "P": "A", "I": "S"}


def saved(path, values, affine=None, **header):
    image = nibabel.Nifti1Image(values, np.eye(4) if affine is None else affine)
    for name, value in header.items():
        image.header[name] = value
    nibabel.save(image, path)
    return path


def marked(path, code):
    """A head whose only bright voxel lies 1 mm from the right, 2 mm from the front and 3 mm from the top of its box.

    World coordinates are written out here voxel by voxel: x grows to the right, y to the front, z to the head.
    """
    axes = [PAIRS.get(letter, letter) for letter in code]
    shape = [SIZES[axis] for axis in axes]
    affine = np.zeros((4, 4))
    affine[3, 3] = 1
    for place, (letter, axis) in enumerate(zip(code, axes, strict=True)):
        forward = letter == axis
        affine["RAS".index(axis), place] = 1 if forward else -1
        affine["RAS".index(axis), 3] = 0 if forward else SIZES[axis] - 1
    values = np.zeros(shape, dtype=np.int16)
    wanted = np.array([SIZES["R"] - 1 - 1, SIZES["A"] - 1 - 2, SIZES["S"] - 1 - 3])
    for voxel in np.ndindex(*shape):
        if np.array_equal(affine[:3, :3] @ voxel + affine[:3, 3], wanted):
            values[voxel] = 1000
    assert values.sum() == 1000
    return saved(path, values, affine)


@pytest.mark.parametrize("code", CODES)
def test_right_is_on_the_left_whatever_the_axes_of_the_file(tmp_path, code):
    """One voxel of known place is seen where a radiologist expects it, in all three planes and all 48 orders."""
    path = marked(tmp_path / "head.nii", code)
    assert "".join(nibabel.aff2axcodes(nibabel.load(path).affine)) == code
    expected = {  # slice, row, column
        "axial": (SIZES["S"] - 1 - 3, 2, 1),
        "coronal": (2, 3, 1),
        "sagittal": (1, 3, 2),
    }
    for plane, (place, row, column) in expected.items():
        image = images_of(path, plane=plane, slice=place + 1)[0]
        assert np.argwhere(image.pixels() == 255).tolist() == [[row, column]]


def test_sides_are_told_as_a_rule(tmp_path):
    """What is on the left of the picture is among the rules, with the choice of slices and of values."""
    path = saved(tmp_path / "a.nii", np.random.default_rng(1).normal(size=(8, 9, 40)).astype(np.float32))
    found = images_of(path)
    assert [image.role for image in found] == [f"axial slice {k} of 40" for k in (5, 13, 21, 29, 37)]
    rule = found[0].encoded().rule
    for words in ("middle one of each of 5", "patient's right on the left", "0.5th percentile of the volume"):
        assert words in rule


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64, np.uint16])
def test_values_are_shown_by_percentiles_of_the_volume(tmp_path, kind):
    """The slope of the header does not change what is seen, unless it turns the scale round."""
    values = np.random.default_rng(2).integers(0, 200, size=(9, 9, 9)).astype(kind)
    low, high = np.percentile(values, (0.5, 99.5))
    expected = np.clip((values[::-1, ::-1, 4].T - low) / (high - low), 0, 1) * 255
    for slope in (1.0, 2.0, -2.0):
        path = tmp_path / "a.nii"
        image = nibabel.Nifti1Image(values, np.eye(4))
        image.header.set_slope_inter(slope, 10)
        nibabel.save(image, path)
        data = bytearray(path.read_bytes())
        data[112:120] = np.array([slope, 10], dtype=np.float32).tobytes()  # nibabel writes a slope of its own
        data[352:] = values.tobytes(order="F")
        path.write_bytes(data)
        shown = images_of(path, slice=5)[0].pixels()
        assert np.abs(shown - (expected if slope > 0 else 255 - expected)).max() <= 1


def test_a_window_makes_values_hounsfield_units(tmp_path):
    """Whoever names a window of CT says what the values are; then other windows apply, and before that none."""
    values = np.linspace(-1000, 1000, 10 * 10 * 3).reshape(10, 10, 3).astype(np.int16)
    path = saved(tmp_path / "ct.nii.gz", values)
    image = images_of(path, window="lung", slice=2)[0]
    expected = np.clip((values[::-1, ::-1, 1].T + 600.5) / 1499 + 0.5, 0, 1) * 255
    assert np.abs(image.pixels() - expected).max() <= 0.5 + 1e-9
    bone = np.clip((values[::-1, ::-1, 1].T - 399.5) / 1799 + 0.5, 0, 1) * 255
    assert np.abs(image.source.with_window("bone").draw() - bone).max() <= 0.5 + 1e-9
    with pytest.raises(Inapplicable, match="Hounsfield"):
        images_of(path)[0].source.with_window("bone")


def test_thick_slices_are_shown_in_proportion(tmp_path):
    """A coronal picture of slices 4 mm apart is four times as tall as it has slices."""
    path = saved(tmp_path / "a.nii", np.ones((20, 20, 10), dtype=np.uint8), np.diag([1, 1, 4, 1]))
    assert images_of(path, plane="coronal", slice=1)[0].pixels().shape == (40, 20)
    assert images_of(path, plane="axial", slice=1)[0].pixels().shape == (20, 20)


def test_of_several_volumes_the_first_is_shown_and_said(tmp_path):
    """A series in time is one volume unless another is asked for."""
    values = np.zeros((4, 4, 4, 3), dtype=np.int16)
    values[0, 0, 0, 0] = values[3, 3, 0, 2] = 100
    path = saved(tmp_path / "a.nii.gz", values)
    first, third = images_of(path, slice=1)[0], images_of(path, slice=1, volume=3)[0]
    assert np.argwhere(first.pixels() == 255).tolist() == [[3, 3]]
    assert np.argwhere(third.pixels() == 255).tolist() == [[0, 0]]
    assert "the first of its volumes" in first.encoded().rule
    with pytest.raises(ImageError, match="there are 3 volumes"):
        images_of(path, volume=4)


def test_colours_stay(tmp_path):
    """A volume of RGB is shown in colour, turned as all are."""
    kind = np.dtype([("R", "u1"), ("G", "u1"), ("B", "u1")])
    values = np.zeros((3, 3, 1), dtype=kind)
    values[2, 2, 0] = (200, 100, 50)  # right and front
    assert images_of(saved(tmp_path / "a.nii", values))[0].pixels()[0, 0].tolist() == [200, 100, 50]


def test_files_of_others_are_read():
    """What nibabel ships: an anatomical scan, a time series, NIfTI-2."""
    for name in ("anatomical.nii", "example4d.nii.gz", "example_nifti2.nii.gz"):
        for plane in ("axial", "coronal", "sagittal"):
            assert images_of(SHIPPED / name, plane=plane, slice=0.5)[0].pixels().std() > 0


# Odd affines


def with_codes(path, sform, qform, affine=None, turned=None):
    image = nibabel.Nifti1Image(np.ones((4, 4, 4), dtype=np.uint8), None)
    image.header.set_qform(np.eye(4) if turned is None else turned, code=qform)
    image.header.set_sform(np.eye(4) if affine is None else affine, code=sform)
    nibabel.save(nibabel.Nifti1Image(image.dataobj, None, image.header), path)
    return path


def test_an_affine_that_does_not_tell_the_sides_is_refused(tmp_path):
    """None at all, one of zeros, of no numbers, and two that contradict each other: each says what to do."""
    flat, void = np.diag([1.0, 1, 0, 1]), np.diag([1.0, np.nan, 1, 1])
    cases = {
        "codes are 0": with_codes(tmp_path / "a.nii", 0, 0),
        "singular": with_codes(tmp_path / "b.nii", 1, 0, flat),
        "not finite": with_codes(tmp_path / "c.nii", 1, 0, void),
        "two orientations": with_codes(tmp_path / "d.nii", 1, 1, np.diag([-1.0, 1, 1, 1])),
    }
    for words, path in cases.items():
        with pytest.raises(UnusableImageError, match=f"(?s){words}.*orient=|orient=.*{words}"):
            images_of(path)
        assert images_of(path, orient="ras")[0].encoded().rule.count("sides that were given")
    for wrong in ("RAX", "RLA", "RA", "RASS"):
        with pytest.raises(ImageError, match="three letters"):
            images_of(cases["singular"], orient=wrong)


def test_an_oblique_scan_is_shown_and_said(tmp_path):
    """A grid that leans by 30 degrees is cut along itself, and the rule says so; one of 5 needs no word."""
    for degrees, told in ((5, False), (30, True)):
        cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        affine = np.eye(4)
        affine[:2, :2] = [[cosine, -sine], [sine, cosine]]
        path = saved(tmp_path / f"{degrees}.nii", np.ones((4, 4, 4), dtype=np.uint8), affine)
        assert ("leans by more than 20°" in images_of(path)[0].encoded().rule) is told


# Bad files


def test_damaged_and_foreign_files_are_refused(tmp_path):
    """Cut off, wrongly named, of too many voxels, of values that cannot be shown: what came is said."""
    whole = saved(tmp_path / "a.nii.gz", np.random.default_rng(3).integers(0, 9, size=(30, 30, 30)).astype(np.int16))
    data = whole.read_bytes()
    (tmp_path / "cut.nii.gz").write_bytes(data[: len(data) // 2])
    image = images_of(tmp_path / "cut.nii.gz")[0]
    with pytest.raises(UnusableImageError, match="cut off or damaged"):
        image.pixels()
    plain = gzip.decompress(data)
    (tmp_path / "cut.nii").write_bytes(plain[:5000])
    with pytest.raises(UnusableImageError, match="in a NIfTI file"):
        images_of(tmp_path / "cut.nii")[0].pixels()
    for name, content in (("text.nii", b"a letter"), ("empty.nii", b""), ("png.nii.gz", b"\x89PNG")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UnusableImageError, match="is not a NIfTI file"):
            images_of(tmp_path / name)
    with pytest.raises(UnusableImageError, match="complex"):
        images_of(saved(tmp_path / "c.nii", np.ones((3, 3, 3), dtype=np.complex64)))
    huge = bytearray(plain)
    huge[40:48] = np.array([3, 30000, 30000, 30000], dtype=np.int16).tobytes()
    (tmp_path / "huge.nii.gz").write_bytes(gzip.compress(bytes(huge)))
    with pytest.raises(UnusableImageError, match="at most"):
        images_of(tmp_path / "huge.nii.gz")
    far = bytearray(plain)
    far[108:112] = np.array([3e9], dtype=np.float32).tobytes()
    (tmp_path / "far.nii.gz").write_bytes(gzip.compress(bytes(far)))
    with pytest.raises(UnusableImageError, match="begin at byte"):
        images_of(tmp_path / "far.nii.gz")


@given(flipped=st.lists(st.tuples(st.integers(0, 400), st.integers(1, 255)), min_size=1, max_size=6))
def test_damaged_headers_give_a_picture_or_our_error(tmp_path_factory, flipped):
    """Whatever is flipped in a header, a picture of 8 bits comes out or our own error, none other."""
    folder = tmp_path_factory.mktemp("damaged")
    data = bytearray(saved(folder / "a.nii", np.arange(27, dtype=np.int16).reshape(3, 3, 3)).read_bytes())
    for place, bits in flipped:
        data[place] ^= bits
    (folder / "b.nii").write_bytes(data)
    with suppress(ImageError):
        assert images_of(folder / "b.nii", slice=0.5)[0].pixels().dtype == np.uint8


def test_nothing_that_is_kept_names_the_patient(tmp_path):
    """Neither the fingerprint, the name, the role nor the record holds the path."""
    path = saved(tmp_path / "DOE_JANE.nii", np.arange(27, dtype=np.int16).reshape(3, 3, 3), descrip=b"Doe Jane")
    image = images_of(path)[0]
    told = (image.fingerprint, image.name, image.role, repr(image.source), image.encoded().rule)
    assert not any(word in each for each in told for word in ("DOE", "Doe", str(tmp_path)))


def test_unknown_planes_and_a_missing_package_are_said(tmp_path, monkeypatch):
    """What was expected, and what to install."""
    path = saved(tmp_path / "a.nii", np.ones((3, 3, 3), dtype=np.uint8))
    with pytest.raises(ImageError, match="expected axial, coronal, sagittal"):
        images_of(path, plane="transverse")
    reader._header.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "nibabel", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[nifti\]"):
        images_of(path)
