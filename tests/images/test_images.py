"""Images: what is sent, what is refused, and that each is encoded once."""

import hashlib
import pickle
import struct
import threading
import zipfile
import zlib
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO

import numpy as np
import PIL.Image
import PIL.PngImagePlugin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from image_files import (
    GREY,
    NAME,
    RGB,
    Brighter,
    Ramp,
    chunk,
    deep_png,
    exif,
    jpeg,
    opened,
    png,
    saved,
    with_chunk,
    with_segment,
)
from snellen.errors import ImageError, UnusableImageError
from snellen.images import Encoder, Image, check, decode, encode
from snellen.images.stored import InZip

# What is sent


@pytest.mark.parametrize("data", [png(), png(GREY), jpeg(), jpeg(GREY), jpeg(progressive=True)])
def test_clean_files_are_sent_byte_for_byte(data):
    """A plain PNG or JPEG travels exactly as it is."""
    sent = Image(data).encoded()
    assert data == sent.data
    assert (sent.width, sent.height) == (10, 12)


def test_a_file_and_its_bytes_are_sent_alike(tmp_path):
    """Where the bytes come from changes nothing of what is sent."""
    (tmp_path / "a.png").write_bytes(png())
    assert Image(png()).encoded() == Image(tmp_path / "a.png").encoded()


def test_png_text_is_not_sent_and_pixels_are_unchanged():
    """A patient's name in a text, time or private chunk stays at home."""
    info = PIL.PngImagePlugin.PngInfo()
    info.add_text("PatientName", NAME.decode())
    info.add_itxt("Comment", NAME.decode())
    info.add_text("Zipped", NAME.decode() * 40, zip=True)
    data = with_chunk(with_chunk(png(pnginfo=info), b"dcMx", NAME), b"tIME", bytes(7))
    sent = Image(data).encoded().data
    assert NAME in data
    for trace in (NAME, b"tEXt", b"iTXt", b"zTXt", b"dcMx", b"tIME"):
        assert trace not in sent
    assert np.array_equal(RGB, opened(sent))


def test_bytes_after_the_end_are_not_sent():
    """What is hidden behind a picture's end marker does not travel."""
    for data in (png(), jpeg()):
        assert data == Image(data + NAME * 50).encoded().data


@pytest.mark.parametrize("marker", [0xE1, 0xE2, 0xE5, 0xED, 0xEF, 0xFE])
def test_jpeg_metadata_is_not_sent_and_the_scan_is_unchanged(marker):
    """Comments, Exif, Photoshop blocks and vendors' own segments stay at home, also between two scans."""
    data = with_segment(jpeg(progressive=True), marker, b"Vendor\x00" + NAME)
    scan = data.rindex(b"\xff\xda")
    data = data[:scan] + with_segment(b"..", marker, NAME)[2:] + data[scan:]
    sent = Image(data).encoded().data
    assert data.count(NAME) == 2
    assert jpeg(progressive=True) == sent


def test_jpeg_colour_profile_is_kept():
    """A colour profile shapes what is seen, so it travels."""
    data = jpeg(icc_profile=b"profile" * 20)
    assert data == Image(data).encoded().data


@pytest.mark.parametrize("orientation", range(2, 9))
def test_jpeg_turned_by_exif_is_sent_upright(orientation):
    """A picture that Exif turns is sent as the upright pixels a viewer shows, without the tag."""
    data = jpeg(exif=exif(orientation))
    sent = Image(data).encoded()
    upright = PIL.ImageOps.exif_transpose(PIL.Image.open(BytesIO(data)))
    assert sent.media_type == "image/png"
    assert np.array_equal(np.asarray(upright), opened(sent.data))
    assert (upright.width, upright.height) == (sent.width, sent.height)


def camera_only():
    """An Exif block that names a camera and says nothing of orientation."""
    tags = PIL.Image.Exif()
    tags[0x010F] = "camera"
    return tags.tobytes()


@pytest.mark.parametrize("block", [exif(1), camera_only(), camera_only()[:17], b"Exif\x00\x00"])
def test_jpeg_that_exif_does_not_turn_is_sent_as_it_is(block):
    """Upright, silent and damaged Exif blocks need no re-encoding; the block still goes."""
    assert jpeg() == Image(with_segment(jpeg(), 0xE1, block)).encoded().data


def test_base64_and_hash_are_those_of_the_bytes():
    """What the request and its key hold are the bytes as sent."""
    sent = Image(png()).encoded()
    assert b64decode(sent.base64) == png()
    assert sent.sha256 == hashlib.sha256(png()).hexdigest()


@pytest.mark.parametrize("form", ['tiff:Orientation="6"', "<tiff:Orientation>6</tiff:Orientation>"])
def test_jpeg_turned_by_xmp_is_sent_upright(form):
    """XMP turns a picture as Exif does."""
    data = with_segment(jpeg(), 0xE1, b"http://ns.adobe.com/xap/1.0/\x00<x " + form.encode() + b"/>")
    assert (Image(data).encoded().width, Image(data).encoded().height) == (12, 10)


def test_png_turned_by_exif_is_sent_upright():
    """PNG files may hold Exif too."""
    sent = Image(png(exif=exif(6))).encoded()
    assert np.array_equal(np.rot90(RGB, -1), opened(sent.data))


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "WEBP", "PPM"])
def test_other_formats_are_sent_as_png_with_the_same_pixels(kind):
    """What not every model takes is converted without loss."""
    data = saved(PIL.Image.fromarray(GREY), kind, **({"lossless": True} if kind == "WEBP" else {}))
    sent = Image(data).encoded()
    assert sent.media_type == "image/png"
    assert np.array_equal(np.stack([GREY] * 3, 2), np.asarray(PIL.Image.open(BytesIO(sent.data)).convert("RGB")))


def test_steps_change_what_is_sent_and_not_the_image():
    """`then` makes a new picture; the old one stays."""
    image = Image(png(GREY))
    brighter = image.then(Brighter(1)).then(Brighter(2))
    assert np.array_equal(GREY + np.uint8(3), opened(brighter.encoded().data))
    assert np.array_equal(GREY, image.pixels())
    assert image.fingerprint != brighter.fingerprint


def test_fingerprints_tell_pictures_apart(tmp_path):
    """Different bytes, drawings, settings or file times give different fingerprints; equal ones the same."""
    path = tmp_path / "a.png"
    path.write_bytes(png())
    images = [Image(path), Image(png()), Image(png(GREY)), Image(Ramp()), Image(Ramp(5)), Image(Ramp(), (Brighter(1),))]
    assert len(images) == len({image.fingerprint for image in images})
    assert Image(Ramp(5)).fingerprint == images[4].fingerprint


# How pixels are read


def test_deep_grey_is_scaled_by_its_full_range():
    """65,535 becomes 255, 257 becomes 1, and the file itself is not sent."""
    deep = np.array([[0, 257, 128], [129, 65_278, 65_535]], dtype=np.uint16)
    data = png(deep)
    assert decode(data, name="deep").tolist() == [[0, 1, 0], [1, 254, 255]]
    assert not check(data, name="deep").sendable


def test_transparency_is_laid_on_black():
    """Alpha, grey with alpha, and a transparent colour all become black, and are sent so."""
    half = np.dstack([RGB, np.full((12, 10, 1), 255, np.uint8)])
    half[:6, :, 3] = 0
    expected = RGB.copy()
    expected[:6] = 0
    assert np.array_equal(expected, opened(Image(png(half)).encoded().data))
    cut = np.where(GREY == 100, 0, GREY)
    read = decode(png(GREY, transparency=100), name="grey")
    assert np.array_equal(np.stack([cut] * 3, 2), read)
    palette = PIL.Image.fromarray(RGB).quantize(8)
    assert not check(saved(palette, "PNG", transparency=0), name="palette").sendable


def test_palettes_and_printers_colours_become_rgb():
    """A palette picture is sent as it is and read in its colours; CMYK is converted, since models guess at it."""
    palette = PIL.Image.fromarray(RGB).quantize(16)
    data = saved(palette, "PNG")
    assert data == Image(data).encoded().data
    assert np.array_equal(np.asarray(palette.convert("RGB")), Image(data).pixels())
    data = saved(PIL.Image.fromarray(RGB).convert("CMYK"), "JPEG")
    sent = Image(data).encoded()
    assert sent.media_type == "image/png"
    assert opened(sent.data).shape == (12, 10, 3)


@pytest.mark.parametrize("values", [np.full((2, 2), 0.5, np.float32), np.array([[0, 70_000]], np.int32)])
def test_values_without_a_known_range_are_refused(values):
    """Fractions and 32-bit values need a window that only their owner knows."""
    with pytest.raises(ImageError, match="scale them"):
        decode(saved(PIL.Image.fromarray(values), "TIFF"), name="ct.tif")


def tiff(values, *, sample_format):
    """A plain TIFF file of grey values; the format is 1 for unsigned numbers, 2 for signed ones, 3 for fractions."""
    data, (height, width) = values.tobytes(), values.shape
    tags = {256: width, 257: height, 258: 8 * values.itemsize, 259: 1, 262: 1, 273: 8, 277: 1, 278: height}
    tags |= {279: len(data), 339: sample_format}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(tags)) + entries + bytes(4)


@pytest.mark.parametrize(
    ("values", "sample_format"),
    [
        (GREY.astype("<u4"), 1),
        (GREY.astype("<i4"), 2),
        (GREY.astype("<i2"), 2),
        (GREY.astype("<i2") - 1000, 2),
        (GREY.astype("i1"), 2),
        (np.full((2, 2), np.nan, "<f4"), 3),
        (np.full((2, 2), np.inf, "<f4"), 3),
    ],
)
def test_signed_wide_and_fractional_values_are_refused(values, sample_format):
    """Even where they happen to fit into 16 bits: read as such they would be nearly black, or wrap around."""
    with pytest.raises(ImageError, match="scale them"):
        Image(tiff(values, sample_format=sample_format)).encoded()


def test_unsigned_tiff_values_are_read():
    """8 and 16 bits without a sign have a known range."""
    assert np.array_equal(GREY, decode(tiff(GREY, sample_format=1), name="8 bits"))
    assert np.array_equal(GREY, decode(tiff(GREY.astype("<u2") * 257, sample_format=1), name="16 bits"))


def test_deep_colours_are_scaled_by_their_full_range():
    """Of 16-bit colours that use the whole range, each becomes the nearest of 256 levels."""
    deep = RGB.astype(np.uint16) * 257 + 37
    assert np.array_equal(np.rint(deep / 257), Image(deep_png(deep)).pixels())


def test_one_bit_is_black_and_white():
    """Bilevel scans are grey pictures of two levels."""
    data = saved(PIL.Image.fromarray(GREY > 100), "PNG")
    assert np.array_equal(np.where(GREY > 100, 255, 0), Image(data).pixels())


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "TIFF"])
def test_of_several_frames_the_first_is_read(kind):
    """An animation or a file of several pages is its first picture."""
    frames = [PIL.Image.fromarray(pixels) for pixels in (GREY, np.ascontiguousarray(GREY[::-1]))]
    settings = {"lossless": True} if kind == "WEBP" else {}
    data = saved(frames[0], kind, save_all=True, append_images=frames[1:], **settings)
    pixels = Image(data).pixels()
    assert np.array_equal(GREY, pixels if pixels.ndim == 2 else pixels[..., 0])


@given(
    arrays(
        np.uint8, st.one_of(st.tuples(*[st.integers(1, 9)] * 2), st.tuples(st.integers(1, 9), st.just(2), st.just(3)))
    )
)
def test_encoding_and_decoding_gives_the_same_pixels(pixels):
    """Encoding loses nothing, and what was encoded is sent as it is."""
    encoded = encode(pixels)
    assert np.array_equal(pixels, decode(encoded.data, name="round trip"))
    assert encoded == Image(encoded.data).encoded()


@pytest.mark.parametrize(
    "pixels",
    [RGB.astype(float), RGB[..., :2], np.zeros((0, 4), np.uint8), np.zeros((3, 0, 3), np.uint8), np.zeros(4, np.uint8)],
)
def test_arrays_that_are_no_picture_are_refused(pixels):
    """Only 8-bit grey or RGB with at least one pixel can be encoded."""
    with pytest.raises(ImageError, match="Expected 8-bit"):
        encode(pixels)


def test_flipped_views_encode_as_they_look():
    """An array that is read backwards in memory is encoded as it looks."""
    assert np.array_equal(RGB[:, ::-1], opened(encode(RGB[:, ::-1]).data))
    assert np.array_equal(GREY[::-1].T, opened(encode(GREY[::-1].T).data))


# What is refused


@pytest.mark.parametrize("whole", [png(), jpeg(), jpeg(progressive=True)])
def test_every_truncation_is_found(whole):
    """A PNG or JPEG that ends early is refused, wherever it was cut."""
    for length in range(len(whole)):
        with pytest.raises(ImageError):
            check(whole[:length], name="cut")


def test_every_flipped_byte_of_a_png_is_found():
    """No chunk can change without its checksum telling."""
    whole = png(GREY)
    for at in range(8, len(whole)):
        hurt = bytearray(whole)
        hurt[at] ^= 0x10
        with pytest.raises(ImageError):
            check(bytes(hurt), name="flipped")


@pytest.mark.parametrize("kind", ["WEBP", "BMP"])
def test_truncated_webp_and_bmp_are_found(kind):
    """A file shorter than it says is refused without decoding it."""
    with pytest.raises(ImageError, match="cut"):
        check(saved(PIL.Image.fromarray(RGB), kind)[:-9], name="cut")


@pytest.mark.parametrize("kind", ["GIF", "TIFF"])
def test_truncated_files_of_other_formats_are_refused_when_decoded(kind):
    """Nothing of a half picture is ever sent."""
    data = saved(PIL.Image.fromarray(RGB), kind)
    with pytest.raises(ImageError):
        Image(data[: len(data) // 2]).encoded()


@pytest.mark.parametrize(
    "data",
    [
        png()[:16] + struct.pack(">II", 100_000, 100_000) + png()[24:],
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 100_000, 100_000, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", b"x") + chunk(b"IEND", b""),
        b"BM" + bytes(12) + struct.pack("<IiiHHIIiiII", 40, 100_000, 100_000, 1, 24, 0, 0, 0, 0, 0, 0),
        b"BM" + bytes(12) + struct.pack("<IiiHHIIiiII", 40, 10_000, 10_000, 1, 24, 0, 0, 0, 0, 0, 0),
        b"GIF89a" + struct.pack("<HHBBB", 60_000, 60_000, 0, 0, 0) + b",\0\0\0\0\1\0\1\0\0\2\0;",
    ],
)  # fmt: skip
def test_gigantic_pictures_are_refused_from_their_header(data):
    """A small file that claims a gigantic picture is never unpacked."""
    with pytest.raises(ImageError):
        check(data, name="bomb")


def test_gigantic_jpeg_is_refused():
    """The same for a JPEG's frame."""
    data = jpeg()
    at = data.index(b"\xff\xc0")
    with pytest.raises(ImageError, match="at most 64,000,000"):
        check(data[: at + 5] + b"\xff\xff\xff\xff" + data[at + 9 :], name="bomb")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"just text, named .png",
        b"\xff\xd8\xff\xd9",
        b"\x89PNG\r\n\x1a\n",
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"") + chunk(b"IDAT", b"") + chunk(b"IEND", b""),
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + chunk(b"IDAT", b"") + chunk(b"IEND", b""),
        png()[:33] + chunk(b"IEND", b""),
        b"\x89PNG\r\n\x1a\n" + chunk(b"IEND", b""),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n",
        b"DICM" + bytes(200),
    ],
)
def test_what_is_no_picture_is_refused(data):
    """Empty, foreign and hollow files raise ImageError, and nothing else."""
    with pytest.raises(ImageError):
        Image(data).encoded()


def drawn_png(colour=0, depth=8, interlace=0, rows=None):
    """A PNG file of 10 × 12 pixels, every chunk of it whole."""
    rows = zlib.compress(b"".join(b"\0" + bytes(10) for _ in range(12))) if rows is None else rows
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 10, 12, depth, colour, 0, 0, interlace))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("data", [drawn_png(colour=5), drawn_png(depth=3), drawn_png(interlace=9)])
def test_a_png_that_no_reader_knows_is_found_without_decoding(data):
    """Colour types, depths and orders of rows that PNG does not have are refused where an image is loaded."""
    check(drawn_png(), name="known")
    with pytest.raises(ImageError, match="no PNG file has"):
        check(data, name="unknown")


UNDECODABLE = {
    "no compressed rows": drawn_png(rows=b"garbage"),
    "rows cut off": drawn_png(rows=zlib.compress(bytes(11 * 12))[:-6]),
    "an unknown filter": drawn_png(rows=zlib.compress(b"\x09" * 11 * 12)),
    "no tables": jpeg()[:2] + jpeg()[jpeg().index(b"\xff\xc0") :],
    "12 bits": jpeg().replace(b"\xff\xc0\x00\x11\x08", b"\xff\xc0\x00\x11\x0c"),
    "two channels": jpeg().replace(b"\x00\x0c\x00\x0a\x03", b"\x00\x0c\x00\x0a\x02"),
}


@pytest.mark.parametrize("kind", UNDECODABLE)
def test_a_whole_file_that_cannot_be_decoded_is_never_sent(kind):
    """Its structure passes, its pixels do not: the encoder of a run says so, before anything is sent."""
    assert check(UNDECODABLE[kind], name="whole").width == 10
    with pytest.raises(UnusableImageError, match=r"cannot be decoded|not a readable image"):
        Encoder()(Image(UNDECODABLE[kind]))


@given(st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"BM", b"GIF89a", b"II*\x00"]))
def test_noise_never_raises_anything_else(noise, start):
    """Whatever the bytes, the answer is a header or an ImageError."""
    try:
        header = check(start + noise, name="noise")
    except ImageError as error:
        assert "noise" in str(error)  # noqa: PT017 - either outcome is right, and both are looked at
    else:
        assert header.width > 0
        assert header.height > 0


@given(st.data())
def test_hurt_jpegs_are_sent_or_refused(data):
    """A JPEG with a few bytes changed is sent or refused, never a crash."""
    hurt = bytearray(jpeg(exif=exif(6)))
    for at in data.draw(st.lists(st.integers(2, len(hurt) - 1), max_size=3)):
        hurt[at] = data.draw(st.integers(0, 255))
    try:
        sent = Image(bytes(hurt)).encoded()
    except ImageError as error:
        assert str(error)  # noqa: PT017 - either outcome is right, and both are looked at
    else:
        assert sent.media_type in ("image/jpeg", "image/png")
        assert sent.width > 0


@pytest.mark.parametrize("name", ["", "missing.png", "null\x00byte.png", "x" * 5000])
def test_paths_that_lead_nowhere_are_refused(tmp_path, name):
    """A folder, a missing file and an impossible name all raise ImageError, for reading and for the fingerprint."""
    image = Image(tmp_path / name)
    with pytest.raises(ImageError, match="cannot be read"):
        image.encoded()
    if name:
        with pytest.raises(ImageError, match="cannot be read"):
            image.fingerprint  # noqa: B018


def test_gigantic_files_are_not_read(tmp_path, monkeypatch):
    """A file over the limit is refused by its size."""
    monkeypatch.setattr("snellen.images.image.MAX_BYTES", 10)
    (tmp_path / "a.png").write_bytes(png())
    with pytest.raises(ImageError, match="at most 10"):
        Image(tmp_path / "a.png").encoded()


def test_drawings_have_no_bytes_to_read():
    """A drawn picture is not a file."""
    with pytest.raises(TypeError, match="generated and has no file"):
        Image(Ramp()).read()
    assert Image(Ramp(64)).thumbnail(32).max() == 7
    assert Image(png(GREY), (Brighter(1),)).thumbnail(8).max() == GREY.max() + 1


# The encoder


class Counted:
    """A drawing that counts how often it is drawn, says that it has begun, and waits to be let on."""

    def __init__(self, name, *, error=None):
        self.name, self.error, self.drawn = name, error, 0
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def __repr__(self):
        return f"Counted({self.name!r})"

    def draw(self):
        self.drawn += 1
        self.begun.set()
        assert self.go_on.wait(timeout=60)
        if self.error is not None:
            raise self.error
        return np.zeros((4, 4), np.uint8)


def asked_at_once(encoder, drawing, threads):
    """What each of several threads gets, all of which ask while the first is still drawing."""
    drawing.go_on.clear()
    with ThreadPoolExecutor(threads) as pool:
        asked = [pool.submit(encoder, Image(drawing)) for _ in range(threads)]
        assert drawing.begun.wait(timeout=60)
        drawing.go_on.set()
    return asked


def test_encoder_encodes_once_under_threads():
    """However many threads ask at once, the picture is made once and all get the same."""
    drawing = Counted("shared")
    results = {id(future.result()) for future in asked_at_once(Encoder(), drawing, 8)}
    assert (len(results), drawing.drawn) == (1, 1)


def test_encoder_forgets_the_oldest():
    """Beyond its limit the picture used longest ago goes; one used again stays, and the newest whatever its size."""
    size = len(encode(np.zeros((4, 4), np.uint8)).data) * 7 // 3
    encoder = Encoder(limit=2 * size)
    first, second, third = (Counted(name) for name in "abc")
    for drawing in (first, second, first, third, first, second):
        encoder(Image(drawing))
    assert [first.drawn, second.drawn, third.drawn] == [1, 2, 1]
    small = Encoder(limit=1)
    assert small(Image(first)) is small(Image(first))


def test_encoder_raises_the_error_to_all_and_tries_again():
    """Everyone who waits gets the error; it is not kept for those who come later."""
    drawing = Counted("broken", error=ImageError("torn"))
    encoder = Encoder()
    errors = [future.exception() for future in asked_at_once(encoder, drawing, 4)]
    assert [str(error) for error in errors] == ["torn"] * 4
    drawing.error, before = None, drawing.drawn
    assert encoder(Image(drawing)).width == 4
    assert drawing.drawn == before + 1


def test_encoder_refuses_a_missing_file(tmp_path):
    """A file that is not there is an ImageError here too, and leaves nothing behind."""
    encoder = Encoder()
    for _ in range(2):
        with pytest.raises(ImageError, match="cannot be read"):
            encoder(Image(tmp_path / "none.png"))


@pytest.mark.parametrize("mode", ["L", "RGB", "1", "P", "RGBA", "LA", "CMYK", "I;16"])
def test_a_pillow_image_is_the_picture_that_its_file_would_be(mode):
    """Whatever its mode, and turned as its tag says."""
    picture = (
        PIL.Image.fromarray(RGB).convert(mode) if mode != "I;16" else PIL.Image.fromarray(GREY.astype(np.uint16) * 257)
    )
    kind = "TIFF" if mode == "CMYK" else "PNG"
    np.testing.assert_array_equal(Image(picture).pixels(), Image(saved(picture, kind)).pixels())
    turned = PIL.Image.open(BytesIO(jpeg(exif=exif(6))))
    assert Image(turned).pixels().shape == (10, 12, 3)


def test_pixels_and_paths_are_taken_as_they_come(tmp_path):
    """A NumPy array keeps every pixel and its place; a path may be text; equal pixels are one picture."""
    for pixels in (GREY, RGB):
        np.testing.assert_array_equal(Image(pixels).pixels(), pixels)
    assert Image(GREY) == Image(GREY.copy())
    (tmp_path / "a.png").write_bytes(png())
    assert Image(str(tmp_path / "a.png")).path == tmp_path / "a.png"
    assert Image(bytearray(png())) == Image(png())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (RGB / 255, r"Expected 8-bit grey or RGB pixels, got float64 of shape \(12, 10, 3\)\. Scale them"),
        (np.zeros((2, 3, 4, 5), np.uint8), "shape"),
        (PIL.Image.fromarray(GREY.astype(np.float32)), "Pillow image of mode F cannot be used: .* fractions"),
        (None, r"path or bytes, a Pillow image or a NumPy array of pixels, got builtins\.NoneType"),
        ([[0, 1]], r"got builtins\.list"),
    ],
)
def test_what_is_no_picture_is_refused_in_words(given, message):
    """With what came and what to give instead."""
    with pytest.raises(ImageError, match=message):
        Image(given)


def test_a_picture_that_is_damaged_in_its_zip_file_is_unusable(tmp_path):
    """Compressed data that cannot be inflated, or of another checksum: this item is told, and the run goes on."""
    path, place = tmp_path / "a.zip", 30 + len("a.bmp")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.bmp", saved(PIL.Image.fromarray(RGB), "BMP"))
    whole, (inside,) = path.read_bytes(), zipfile.ZipFile(path).infolist()
    for damage in (b"\xff" * 20, bytes([whole[place + 20] ^ 1])):
        at = place + 20 if len(damage) == 1 else place
        path.write_bytes(whole[:at] + damage + whole[at + len(damage) :])
        with pytest.raises(UnusableImageError, match="is damaged in its ZIP file"):
            Image(InZip(path, inside.filename, inside.file_size, inside.CRC)).encoded()


def test_an_image_named_by_its_path_alone_is_the_image_of_that_file(tmp_path):
    """It is equal to the other, also pickled and changed, and has no attribute that the other has not."""
    file = tmp_path / "a.png"
    file.write_bytes(encode(np.zeros((3, 4), np.uint8)).data)
    other = Image(file)
    for image in (Image.of_file(str(file)), pickle.loads(pickle.dumps(Image.of_file(str(file))))):
        assert (image, hash(image), repr(image), image.path) == (other, hash(other), repr(other), file)
        assert replace(image, role="lateral").fingerprint == other.fingerprint
    with pytest.raises(AttributeError, match="no attribute 'size'"):
        _ = Image.of_file(str(file)).size
