"""DICOM: pixels by the formulas of the standard, slices by where they lie, and what is refused."""

import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pydicom
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydicom.encaps import encapsulate
from pydicom.uid import JPEG2000Lossless, JPEGLSLossless, generate_uid

from medical_files import AXIAL, CT, PATIENT, dataset, dicom, holding, table
from snellen.errors import ImageError, Inapplicable, MissingExtraError, UnusableImageError
from snellen.images import Encoder
from snellen.images.formats import dicom as reader
from snellen.images.formats.dicom import images_of, series_of

SHIPPED = Path(pydicom.__file__).parent / "data" / "test_files"
RAMP = np.arange(-8192, 8192, dtype=np.int16).reshape(128, 128)


def pixels(path, **settings):
    return images_of(path, **settings)[0].pixels()


def rule(path, **settings):
    return images_of(path, **settings)[0].encoded().rule


# Windows


@pytest.mark.parametrize(("centre", "width"), [(40, 400), (-600, 1500), (10, 1), (0, 2), (100.5, 333.3)])
@pytest.mark.parametrize("shape", ["LINEAR", "LINEAR_EXACT", "SIGMOID"])
def test_a_window_shades_as_the_standard_says(tmp_path, centre, width, shape):
    """Each value is what PS3.3 C.11.2.1.2 computes for it, case by case, in its own words."""
    values = RAMP.reshape(-1, 256)[16:48:3]
    path = dicom(tmp_path / "a.dcm", values, WindowCenter=centre, WindowWidth=width, VOILUTFunction=shape, **CT)

    def shown(x):
        if shape == "SIGMOID":
            return 255 / (1 + np.exp(min(700, -4 * (x - centre) / width)))
        c, w = (centre - 0.5, width - 1) if shape == "LINEAR" else (centre, width)
        if x <= c - w / 2:
            return 0
        return 255 if x > c + w / 2 else ((x - c) / w + 0.5) * 255

    expected = np.array([shown(float(x) - 1024) for x in values.ravel()]).reshape(values.shape)
    assert np.abs(pixels(path) - expected).max() <= 0.5 + 1e-9


@given(
    centre=st.integers(-1000, 1000),
    width=st.integers(1, 3000),
    slope=st.sampled_from([0.5, 1, 2]),
    intercept=st.integers(-2000, 100),
)
def test_brightness_never_falls_as_values_rise(tmp_path_factory, centre, width, slope, intercept):
    """Any window over any slope keeps the order of values, and the other way round where the smallest is white."""
    folder = tmp_path_factory.mktemp("window")
    said = {"WindowCenter": centre, "WindowWidth": width, "RescaleSlope": slope, "RescaleIntercept": intercept}
    plain = pixels(dicom(folder / "a.dcm", RAMP[::16], **said)).ravel().astype(int)
    turned = pixels(dicom(folder / "b.dcm", RAMP[::16], PhotometricInterpretation="MONOCHROME1", **said))
    assert (np.diff(plain) >= 0).all()
    assert np.abs(plain - (255 - turned.ravel().astype(int))).max() <= 1


def test_the_first_of_several_windows_is_taken_and_named_ones_replace_it(tmp_path):
    """A preset of the file, then one by name, then one by numbers: three different pictures of the same values."""
    path = dicom(tmp_path / "a.dcm", RAMP, WindowCenter=[40, 400], WindowWidth=[80, 1800], **CT)
    by_hand = {
        name: np.clip(((RAMP - 1024.0) - (c - 0.5)) / (w - 1) + 0.5, 0, 1) * 255
        for name, c, w in (("", 40, 80), ("lung", -600, 1500), ("bone", 400, 1800), ("100/50", 100, 50))
    }
    for name, expected in by_hand.items():
        assert np.abs(pixels(path, window=name) - expected).max() <= 0.5 + 1e-9
    assert rule(path) == "values shown by the file's own window (the first that it names)"
    assert rule(path, window="lung") == "values shown by the lung window of CT (centre -600 HU, width 1,500 HU)"


def test_without_a_window_ct_is_shown_by_soft_tissue_and_the_rest_by_percentiles(tmp_path):
    """The rule is said each time; pixels that fill up what was not scanned do not count."""
    ct = dicom(tmp_path / "ct.dcm", RAMP, **CT)
    assert np.abs(pixels(ct) - np.clip((RAMP - 1024 - 39.5) / 399 + 0.5, 0, 1) * 255).max() <= 0.5 + 1e-9
    assert "soft-tissue" in rule(ct)
    values = RAMP.copy()
    values[:64] = -8192
    mr = dicom(tmp_path / "mr.dcm", values, Modality="MR", PixelPaddingValue=-8192)
    low, high = np.percentile(values[64:], (0.5, 99.5))
    assert np.abs(pixels(mr) - np.clip((values - low) / (high - low), 0, 1) * 255).max() <= 0.5 + 1e-9
    assert rule(mr).startswith("values shown from the 0.5th percentile")
    useless = dicom(tmp_path / "zero.dcm", RAMP, Modality="MR", WindowCenter=0, WindowWidth=0)
    assert "percentile" in rule(useless)


def test_a_table_of_values_of_interest_goes_before_a_window(tmp_path):
    """Values outside a VOI LUT take its ends; its entries are shares of its bits."""
    values = np.array([[-5, 0, 1], [2, 3, 900]], dtype=np.int16)
    voi = table([0, 1000, 2000, 4095], first=0, bits=12)
    path = dicom(tmp_path / "a.dcm", values, VOILUTSequence=[voi], WindowCenter=0, WindowWidth=10)
    assert pixels(path).tolist() == [[0, 0, round(1000 / 4095 * 255)], [round(2000 / 4095 * 255), 255, 255]]


def test_a_modality_table_comes_before_the_window(tmp_path):
    """Stored values become what the table says, and only then are windowed."""
    values = np.array([[0, 1, 2, 9]], dtype=np.uint16)
    path = dicom(
        tmp_path / "a.dcm", values, ModalityLUTSequence=[table([100, 0, 50])], WindowCenter=50.5, WindowWidth=101
    )
    assert pixels(path).tolist() == [[255, 0, 128, 128]]


def test_each_frame_has_its_own_window_and_slope(tmp_path):
    """Enhanced files say for each frame how it is shown, or once for all."""
    values = np.stack([np.full((4, 4), 50, dtype=np.int16)] * 2)
    frames = [holding(FrameVOILUTSequence=[holding(WindowCenter=centre, WindowWidth=101)]) for centre in (50.5, 100.5)]
    shared = holding(PixelValueTransformationSequence=[holding(RescaleSlope=2, RescaleIntercept=0)])
    path = dicom(
        tmp_path / "a.dcm", values,
        PerFrameFunctionalGroupsSequence=frames, SharedFunctionalGroupsSequence=[shared],
    )  # fmt: skip
    assert [image.pixels()[0, 0] for image in images_of(path)] == [255, 128]
    assert [image.role for image in images_of(path)] == ["frame 1 of 2", "frame 2 of 2"]


def test_only_stored_bits_count_wherever_they_lie(tmp_path):
    """12 bits in the upper part of a word, signed, with rubbish below, are the numbers that they mean."""
    meant = np.array([[-2048, -1, 0, 1, 2047]])
    rubbish = np.array([[15, 3, 0, 9, 1]])
    raw = ((meant << 4) | rubbish).astype(np.int16)
    path = dicom(tmp_path / "a.dcm", raw, BitsStored=12, HighBit=15, WindowCenter=0.5, WindowWidth=4096)
    assert np.abs(pixels(path) - ((meant / 4095) + 0.5) * 255).max() <= 0.5 + 1e-9


# Files of others


def shipped_grey():
    return sorted(SHIPPED.glob("MR_small*.dcm"))


@pytest.mark.parametrize("path", shipped_grey(), ids=lambda path: path.stem)
def test_one_scan_looks_the_same_however_it_is_compressed(path):
    """Eight ways to write one MR scan, with and without compression, of both byte orders: one picture."""
    stored = pydicom.dcmread(SHIPPED / "MR_small.dcm").pixel_array.astype(float)
    assert np.abs(pixels(path) - np.clip((stored - 599.5) / 1599 + 0.5, 0, 1) * 255).max() <= 0.5 + 1e-9


@pytest.mark.parametrize(
    "name",
    [
        "SC_rgb_rle.dcm", "SC_rgb_rle_16bit.dcm", "SC_rgb_rle_32bit.dcm", "SC_rgb_jpeg_gdcm.dcm", "SC_rgb_gdcm_KY.dcm",
        "SC_ybr_full_422_uncompressed.dcm", "SC_rgb_dcmtk_+eb+cy+np.dcm", "SC_rgb_jls_lossy_line.dcm",
    ],
)  # fmt: skip
def test_colours_are_red_green_and_blue(name):
    """The same ten stripes from RGB and YBR, planes together or apart, 8 to 32 bits, with and without loss."""
    stripes = pixels(SHIPPED / name)[5::10, 50].astype(int)
    wanted = [[255, 0, 0], [255, 128, 128], [0, 255, 0], [128, 255, 128], [0, 0, 255], [128, 128, 255]]
    wanted += [[0, 0, 0], [64, 64, 64], [192, 192, 192], [255, 255, 255]]
    assert np.abs(stripes - wanted).max() <= 6


def test_a_palette_gives_its_colours():
    """A palette of 16 bits is shown by the upper 8."""
    path = SHIPPED / "examples_palette.dcm"
    found = pydicom.dcmread(path)
    red = np.frombuffer(found.RedPaletteColorLookupTableData, dtype=np.uint16)
    assert np.array_equal(pixels(path)[..., 0], red[found.pixel_array] >> 8)


def test_pixels_that_are_not_square_are_stretched(tmp_path):
    """A row twice as far from the next as a column is shown twice as tall."""
    path = dicom(tmp_path / "a.dcm", RAMP, PixelSpacing=[2, 1], **CT)
    assert pixels(path).shape == (256, 128)
    assert "not square" in rule(path)


# Many pictures


def test_up_to_fifty_frames_stand_for_all(tmp_path):
    """Of 120 frames the middle ones of 50 equal parts; one by its number; the rule is told."""
    path = dicom(tmp_path / "a.dcm", np.arange(120, dtype=np.uint8)[:, None, None] * np.ones((1, 2, 2), np.uint8))
    shown = [int(image.pixels()[0, 0]) for image in images_of(path)]
    assert shown == [int((part + 0.5) * 120 / 50) for part in range(50)]
    assert rule(path) == "of the frames the middle one of each of 50 equal parts"
    assert int(images_of(path, frame=7)[0].pixels()[0, 0]) == 6
    assert len(images_of(path, frames=500)) == 120
    for wrong in ({"frame": 121}, {"frame": 0}, {"frames": 0}):
        with pytest.raises(ImageError, match="from 1"):
            images_of(path, **wrong)


def slice_at(folder, name, depth, **tags):
    said = {"ImagePositionPatient": [0, 0, depth], "ImageOrientationPatient": AXIAL, **CT} | tags
    return dicom(folder / name, np.full((4, 4), depth + 1064, dtype=np.int16), **said)


def test_a_series_is_ordered_by_where_its_slices_lie(tmp_path):
    """Neither file names nor instance numbers decide: slices go from the feet to the head."""
    depths = [30, -20, 10, 0, 40, -10]
    for place, depth in enumerate(depths):
        slice_at(tmp_path, f"{place}.dcm", depth, InstanceNumber=100 - place)
    (tmp_path / "DICOMDIR").write_bytes(b"no slice")
    found = series_of(tmp_path, window="50/200")
    shown = [int(image.pixels()[0, 0]) for image in found]
    assert shown == sorted(set(shown))
    assert [image.role for image in found] == [f"axial slice {place} of 6" for place in range(1, 7)]
    assert [image.role for image in series_of(tmp_path, slices=3)] == [f"axial slice {k} of 6" for k in (2, 4, 6)]
    assert series_of(tmp_path, slice=0.5)[0].role == "axial slice 4 of 6"


@pytest.mark.parametrize(
    ("directions", "plane", "axis"),
    [([1, 0, 0, 0, 0, -1], "coronal", 1), ([0, 1, 0, 0, 0, -1], "sagittal", 0), ([-1, 0, 0, 0, 1, 0], "axial", 2)],
)
def test_slices_of_any_plane_run_one_way(tmp_path, directions, plane, axis):
    """Coronal from front to back, sagittal from right to left, whichever way the rows run: along the patient's axes."""
    for place in range(3):
        position = [0.0, 0.0, 0.0]
        position[axis] = [5, -5, 0][place]
        slice_at(
            tmp_path, f"{place}", position[axis], ImagePositionPatient=position, ImageOrientationPatient=directions
        )
    found = series_of(tmp_path, window="40/100")
    assert [image.role for image in found] == [f"{plane} slice {k} of 3" for k in (1, 2, 3)]
    assert np.all(np.diff([int(image.pixels()[0, 0]) for image in found]) > 0)


def test_folders_that_are_no_one_stack_are_refused(tmp_path):
    """Two series, two times, two directions, no order, other files: each refusal says what was found."""
    cases = {
        "holds 2": [{"SeriesInstanceUID": "1.2.3"}, {"SeriesInstanceUID": "1.2.4"}],
        "2 slices at 1 places": [{"ImagePositionPatient": [0, 0, 5]}, {"ImagePositionPatient": [0, 0, 5]}],
        "not parallel": [{}, {"ImageOrientationPatient": [0, 1, 0, 0, 0, 1]}],
        "order is unknown": [{"ImagePositionPatient": None}, {}],
    }
    for number, (said, tags) in enumerate(cases.items()):
        for place, each in enumerate(tags):
            slice_at(tmp_path / str(number), f"{place}.dcm", place, **each)
        with pytest.raises(ImageError, match=said):
            series_of(tmp_path / str(number))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ImageError, match="holds no file"):
        series_of(tmp_path / "empty")
    (tmp_path / "0" / "0.dcm").write_bytes(b"a letter to Jane Doe")
    with pytest.raises(UnusableImageError, match="DICM"):
        series_of(tmp_path / "0")


@pytest.mark.parametrize("position", [None, 7, [0, 0]])
def test_slices_without_places_go_by_their_number(tmp_path, position):
    """Where no slice says where it lies, or says nothing that means a place, the instance numbers decide."""
    for place, number in enumerate((3, 1, 2)):
        slice_at(tmp_path, f"{place}.dcm", number * 10, ImagePositionPatient=position, InstanceNumber=number)
    shown = [int(image.pixels()[0, 0]) for image in series_of(tmp_path, window="50/200")]
    assert shown == sorted(shown)


# Identifiers


def test_nothing_that_is_kept_or_sent_names_the_patient(tmp_path):
    """Neither the fingerprint, the name, the role, the record, errors nor the bytes hold the path or a tag."""
    path = dicom(tmp_path / "DOE_JANE_19500101.dcm", RAMP, **CT)
    image = images_of(path)[0]
    sent = Encoder()(image)
    told = [image.fingerprint, image.name, image.role, repr(image.source), sent.rule, sent.data.decode("latin-1")]
    assert not any(word in each for each in told for word in ("DOE", "Doe", "Jane", "MRN", "1950", str(tmp_path)))
    path.write_bytes(path.read_bytes()[:-100])
    for act in (lambda: images_of(path), image.pixels):
        with pytest.raises(ImageError) as refused:
            act()
        assert not any(word in str(refused.value) for word in ("DOE", PATIENT))


def test_a_file_that_changes_is_another_picture(tmp_path):
    """The fingerprint changes with the file, and pixels of the old one are not drawn from the new one."""
    path = dicom(tmp_path / "a.dcm", RAMP, **CT)
    before = images_of(path)[0]
    dicom(path, RAMP[:64], **CT)
    assert images_of(path)[0].fingerprint != before.fingerprint
    with pytest.raises(ImageError, match="has changed"):
        before.pixels()


@pytest.mark.parametrize(
    ("tags", "warned"),
    [
        ({"BurnedInAnnotation": "YES"}, True),
        ({"BurnedInAnnotation": "NO", "Modality": "US"}, False),
        ({"Modality": "US"}, True),
        ({"Modality": "MR"}, False),
        ({"SOPClassUID": "1.2.840.10008.5.1.4.1.1.7.2", "Modality": "MR"}, True),
        ({"ImageType": ["DERIVED", "SECONDARY", "SCREEN SAVE"], "Modality": "CT"}, True),
    ],
)
def test_text_that_may_be_burned_in_is_warned_about(tmp_path, tags, warned):
    """The tag decides; without it ultrasound and copies of screens are suspect."""
    assert bool(images_of(dicom(tmp_path / "a.dcm", RAMP, **tags))[0].source.burned_in) is warned


# Bad files


def test_files_without_pixels_and_damaged_ones_are_refused():
    """A report, a plan, a cut-off scan, a wrong number: an error that says what came, never another."""
    said = {
        "test-SR.dcm": "holds no pixels: its modality is 'SR'",
        "rtplan.dcm": "'RTPLAN'",
        "waveform_ecg.dcm": "'ECG'",
        "MR_truncated.dcm": "is cut off: it holds 8,130 of 8,192 bytes of pixels",
        "badVR.dcm": "not a number",
        "no_meta.dcm": "DICM",
        "meta_missing_tsyntax.dcm": "transfer syntax",
        "JPEG2000-embedded-sequence-delimiter.dcm": "by its compressed data",
    }
    for name, expected in said.items():
        with pytest.raises(UnusableImageError, match=expected):
            pixels(SHIPPED / name)


@given(cut=st.integers(0, 9000), flipped=st.lists(st.tuples(st.integers(0, 9000), st.integers(1, 255)), max_size=8))
def test_damaged_bytes_give_a_picture_or_our_error(tmp_path_factory, cut, flipped):
    """Whatever is cut off or flipped, a picture of 8 bits comes out or our own error, none other."""
    data = bytearray((SHIPPED / "MR_small_RLE.dcm").read_bytes())
    for place, bits in flipped:
        data[place % len(data)] ^= bits
    path = tmp_path_factory.mktemp("damaged") / "DOE.dcm"
    path.write_bytes(data[: len(data) - cut % len(data)] if cut % 2 else data)
    with suppress(ImageError):
        assert pixels(path).dtype == np.uint8


def test_gigantic_files_are_refused_before_anything_is_decoded(tmp_path):
    """By rows and columns, by the size that a compressed frame states, and by what it inflates to."""
    with pytest.raises(UnusableImageError, match="at most 64,000,000"):
        images_of(dicom(tmp_path / "a.dcm", RAMP, Rows=65535, Columns=65535))
    scan = pydicom.dcmread(SHIPPED / "MR_small_jp2klossless.dcm")
    frame = bytearray(next(pydicom.encaps.generate_frames(scan.PixelData, number_of_frames=1)))
    at = frame.find(b"\xff\x4f\xff\x51")
    frame[at + 8 : at + 16] = (60_000).to_bytes(4, "big") * 2
    scan.PixelData = encapsulate([bytes(frame)])
    scan.save_as(tmp_path / "b.dcm")
    with pytest.raises(UnusableImageError, match="60000 × 60000 by its compressed data"):
        pixels(tmp_path / "b.dcm")


def test_a_deflated_file_is_read_up_to_a_limit(tmp_path, monkeypatch):
    """A deflated scan is read; one that grows beyond the limit is not inflated further."""
    path = SHIPPED / "image_dfl.dcm"
    assert np.array_equal(pixels(path), pydicom.dcmread(path).pixel_array)
    data = path.read_bytes()
    start = 144 + int.from_bytes(data[140:144], "little")
    squeezed = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    bomb = data[:start] + squeezed.compress(bytes(3_000_000)) + squeezed.flush()
    (tmp_path / "bomb.dcm").write_bytes(bomb)
    monkeypatch.setattr(reader, "MAX_BYTES", 1_000_000)
    with pytest.raises(UnusableImageError, match="decompresses to more than 1,000,000 bytes"):
        images_of(tmp_path / "bomb.dcm")


def test_a_syntax_without_its_codec_says_what_to_install(tmp_path, monkeypatch):
    """The transfer syntax is named, and the extra that brings its codec; 12-bit JPEG has none."""
    from pydicom.pixels.decoders.base import get_decoder

    for syntax, name in (
        (JPEGLSLossless, "MR_small_jpeg_ls_lossless.dcm"),
        (JPEG2000Lossless, "MR_small_jp2klossless.dcm"),
    ):
        monkeypatch.setattr(get_decoder(syntax), "_available", {})
        with pytest.raises(ImageError, match=r"JPEG.*codec is not installed.*snellen\[dicom\]"):
            images_of(SHIPPED / name)
    with pytest.raises(ImageError, match=r"JPEG Extended .* no codec here"):
        images_of(SHIPPED / "JPGExtended.dcm")
    unknown = dataset(RAMP)
    unknown.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.4.100"
    unknown.PixelData = encapsulate([b"\0\0"])
    unknown["PixelData"].VR = "OB"
    unknown.save_as(tmp_path / "mpeg.dcm", enforce_file_format=True)
    with pytest.raises(ImageError, match=r"MPEG2.*not read"):
        images_of(tmp_path / "mpeg.dcm")


def test_without_pydicom_the_extra_is_named(tmp_path, monkeypatch):
    """One sentence tells what to install."""
    path = dicom(tmp_path / "a.dcm", RAMP, SeriesInstanceUID=generate_uid())
    monkeypatch.setitem(__import__("sys").modules, "pydicom", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[dicom\]"):
        images_of(path)


def test_windows_that_mean_nothing_are_refused(tmp_path):
    """A lung window of MR, an unknown name, a window of no width."""
    mr = dicom(tmp_path / "mr.dcm", RAMP, Modality="MR")
    ct = dicom(tmp_path / "ct.dcm", RAMP, **CT)
    for path, window, expected in (
        (mr, "lung", "not a CT scan"), (ct, "lungs", "expected lung"), (ct, "40/0", "width"),
    ):  # fmt: skip
        with pytest.raises(ImageError, match=expected):
            images_of(path, window=window)
    with pytest.raises(Inapplicable, match="not Hounsfield"):
        images_of(mr)[0].source.with_window("lung")


def test_a_frame_that_breaks_its_codec_leaves_the_process_alive(tmp_path):
    """GDCM ends its process over this one; the scan is refused, and the next one is read."""
    data = (SHIPPED / "MR_small_jpeg_ls_lossless.dcm").read_bytes()
    start = data.index(b"\xff\xda") + 40
    (tmp_path / "broken.dcm").write_bytes(data[:start] + b"\xff\xd9" * 40 + data[start + 80 :])
    with pytest.raises(UnusableImageError, match="cannot be decoded"):
        pixels(tmp_path / "broken.dcm")
    assert np.array_equal(pixels(SHIPPED / "MR_small_jpeg_ls_lossless.dcm"), pixels(SHIPPED / "MR_small.dcm"))


def test_a_frame_that_makes_a_codec_panic_is_refused_quietly(tmp_path, capfd):
    """An RLE segment longer than the frame: the codec's panic is no Exception, and would end the study with it."""
    segment = b"\x81\x07" * 33  # runs of 128 values where 32 are expected
    starts = (2, 64, 64 + len(segment), *(0,) * 13)
    scan = pydicom.dcmread(SHIPPED / "MR_small_RLE.dcm")
    scan.PixelData = encapsulate([b"".join(each.to_bytes(4, "little") for each in starts) + 2 * segment])
    scan.save_as(tmp_path / "broken.dcm")
    with pytest.raises(UnusableImageError, match="cannot be decoded"):
        pixels(tmp_path / "broken.dcm")
    assert np.array_equal(pixels(SHIPPED / "MR_small_RLE.dcm"), pixels(SHIPPED / "MR_small.dcm"))
    assert capfd.readouterr() == ("", "")
