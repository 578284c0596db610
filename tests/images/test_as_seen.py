"""Pictures as a person would see them: deep values, colours, size, and what goes out nearly black or white."""

import struct
from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageCms
import pytest
from hypothesis import given
from hypothesis import strategies as st

from image_files import GREY, RGB, Brighter, Ramp, deep_png, exif, jpeg, opened, png, saved
from snellen.errors import UnusableImageError
from snellen.images import USUAL_SIDE, Encoder, Image, PicturesSent, decode, encode
from snellen.images.depth import Stated, reduce_to_8_bits
from snellen.images.pictures import shade

TWELVE = (np.arange(120, dtype=np.uint16) * 34).reshape(12, 10)
"""12-bit values, the brightest of them 4,046."""
AS_12_BITS = np.rint(TWELVE / 4095 * 255)


def tiff(values, **tags):
    """A TIFF file of grey or RGB values of 16 bits, with tags by their number."""
    data, (height, width, *channels) = values.astype("<u2").tobytes(), values.shape
    samples = channels[0] if channels else 1
    known = {256: width, 257: height, 258: 16, 259: 1, 262: 2 if channels else 1, 273: 8, 277: samples, 278: height}
    known |= {279: len(data)} | {int(tag[1:]): value for tag, value in tags.items()}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(known.items()))
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(known)) + entries + bytes(4)


# Deep values


@given(st.integers(1, 65_535), st.integers(0, 2**32 - 1))
def test_the_brightest_value_is_bright_and_the_order_of_values_stays(brightest, seed):
    """Whatever the range: 0 is black, no value overtakes a brighter one, and nothing of 8 bits or more goes dark."""
    values = np.random.default_rng(seed).integers(0, brightest + 1, 64).astype(np.uint16)
    values[:2] = (0, brightest)
    pixels, rule = reduce_to_8_bits(values)
    bits = max(8, brightest.bit_length())
    assert (pixels[0], rule.split()[3]) == (0, f"{2**bits - 1:,}")
    assert pixels[1] >= 127 or brightest < 128
    assert (np.diff(pixels[np.argsort(values)].astype(int)) >= 0).all()
    assert np.abs(pixels - values / (2**bits - 1) * 255).max() <= 0.5 + 1e-9
    assert np.abs(255 - pixels.astype(int) - reduce_to_8_bits(values, negative=True).pixels).max() <= 1


def test_colours_in_separate_planes_are_refused():
    """Both codecs mix up such a TIFF file of 16 bits, so nothing of it is sent."""
    colours = np.dstack([TWELVE, TWELVE[::-1], TWELVE // 2])
    with pytest.raises(UnusableImageError, match="separate planes"):
        Image(tiff(colours, t284=2)).encoded()


def test_12_bits_in_16_are_not_sent_nearly_black():
    """As grey and as colours, in PNG and TIFF, with transparency or without: the rule is named, and nothing warns."""
    colours = np.dstack([TWELVE, TWELVE[::-1], TWELVE // 2])
    clear = np.dstack([colours, np.full(TWELVE.shape, 65_535, np.uint16)])
    rule = "values 0 to 4,095 of 16 bits shown as 0 to 255: the brightest value fits 12 bits"
    for data, expected in (
        (deep_png(TWELVE), AS_12_BITS),
        (tiff(TWELVE), AS_12_BITS),
        (deep_png(colours), np.rint(colours / 4095 * 255)),
        (deep_png(clear), np.rint(colours / 4095 * 255)),
    ):
        sent = Encoder()(Image(data))
        assert np.array_equal(expected, opened(sent.data))
        assert sent.rule.startswith(rule)
        assert sent.shade == ""


def test_what_the_file_states_decides():
    """Significant bits of a PNG; bits, largest value and white zero of a TIFF; the range of a PGM."""
    dim = TWELVE // 4
    said = "the file states"
    cases = {
        "sBIT": (dim, deep_png(dim, (b"sBIT", b"\x0c")), 4095, f"{said} 12 significant bits"),
        "sBIT of values that were scaled to 16 bits": (
            TWELVE * 16,
            deep_png(TWELVE * 16, (b"sBIT", b"\x0c")),
            65_535,
            said,
        ),
        "largest value": (dim, tiff(dim, t281=3071), 4095, f"{said} a largest value of 3,071"),
        "largest value below what is there": (TWELVE, tiff(TWELVE, t281=255), 4095, "fits 12 bits"),
        "the default of that tag": (TWELVE, tiff(TWELVE, t281=65_535), 4095, "fits 12 bits"),
        "PGM": (
            TWELVE,
            b"P5 10 12 16383\n" + TWELVE.astype(">u2").tobytes(),
            16_383,
            f"{said} a largest value of 16,383",
        ),
    }
    for name, (values, data, top, words) in cases.items():
        sent = Image(data).encoded()
        assert np.abs(opened(sent.data) - values / top * 255).max() <= 0.51, name
        assert words in sent.rule, name
    white_zero = Image(tiff(TWELVE, t262=0)).encoded()
    assert np.array_equal(np.rint(255 * (1 - TWELVE / 4095)), opened(white_zero.data))
    assert "0 is white" in white_zero.rule


def test_a_file_that_states_too_few_bits_is_shown_by_all_16():
    """What PNG asks for: values are scaled to the depth of the file, whatever their first depth was."""
    assert reduce_to_8_bits(np.array([0, 65_535], np.uint16), Stated(12, "12 significant bits")).pixels.tolist() == [
        0,
        255,
    ]


def test_a_deep_picture_that_a_tag_turns_is_upright():
    """The turn is not lost on the way to 8 bits."""
    data = saved(PIL.Image.fromarray(TWELVE), "PNG", exif=exif(6))
    sent = Image(data).encoded()
    assert np.array_equal(np.rot90(AS_12_BITS, -1), opened(sent.data))
    assert sent.rule.endswith("; turned upright")


# Colours, frames


def profile(red_to_green=False):
    """A colour profile that differs from sRGB, or one that does not: sRGB with its first two primaries swapped."""
    made = bytearray(PIL.ImageCms.ImageCmsProfile(PIL.ImageCms.createProfile("sRGB")).tobytes())
    if red_to_green:
        first, second = made.index(b"rXYZ", 128), made.index(b"gXYZ", 128)
        made[first : first + 4], made[second : second + 4] = b"gXYZ", b"rXYZ"
    return bytes(made)


def test_colours_of_another_profile_are_sent_as_a_screen_shows_them():
    """Of a profile that shows other colours than sRGB the colours count; with sRGB's own, a file goes as it is."""
    same = png(icc_profile=profile())
    assert same == Image(same).encoded().data
    for data in (png(icc_profile=profile(red_to_green=True)), jpeg(quality=95, icc_profile=profile(red_to_green=True))):
        sent = Image(data).encoded()
        swapped = RGB[..., [1, 0, 2]].astype(int)
        assert np.abs(opened(sent.data) - swapped).mean() < 4
        assert sent.rule.startswith("colours of the profile '")
    grey = jpeg(GREY, icc_profile=profile(red_to_green=True))
    assert grey == Image(grey).encoded().data  # a profile of colours says nothing of a grey picture


def test_of_several_pages_the_rule_says_which():
    """The first page of three, the black under what is transparent, and printers' colours are all named."""
    pages = [PIL.Image.fromarray(GREY) for _ in range(3)]
    for kind in ("TIFF", "GIF"):
        pages[1].putpixel((0, 0), 255)
        data = saved(pages[0], kind, save_all=True, append_images=pages[1:])
        assert Image(data).encoded().rule.startswith("the first of 3 pictures"), kind
    assert Image(saved(PIL.Image.fromarray(RGB).convert("CMYK"), "JPEG")).encoded().rule == "CMYK shown as RGB"
    assert Image(png(np.dstack([RGB, GREY]))).encoded().rule == "transparency laid on black"


# Size


@given(st.integers(1, 90), st.integers(1, 90), st.integers(1, 40), st.booleans())
def test_no_side_is_longer_than_it_may_be(width, height, side, in_colour):
    """The proportion stays to half a pixel, the mean brightness to half a level, and small ones stay as they are."""
    pixels = np.random.default_rng(width * 91 + height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    pixels = pixels if in_colour else pixels[..., 0].copy()
    data = encode(pixels).data
    sent = Image(data).encoded(side)
    if max(width, height) <= side:
        assert (sent.data, sent.original, sent.rule, sent.side) == (data, None, "", None)
        return
    assert max(sent.width, sent.height) == side
    assert abs(min(sent.width, sent.height) - max(1, min(width, height) * side / max(width, height))) <= 0.5
    assert (sent.original, sent.side, sent.media_type) == ((width, height), side, "image/png")
    assert f"scaled down to {side} pixels" in sent.rule
    if width % sent.width == 0 and height % sent.height == 0:
        assert abs(decode(sent.data, name="small").mean() - pixels.mean()) <= 0.5


def test_what_just_fits_is_not_said_to_be_scaled_down():
    """A file of that size goes byte for byte; a drawing says nothing of scaling."""
    assert Image(png()).encoded(12).data == png()
    drawn = Image(Ramp(8)).encoded(8)
    assert (drawn.rule, drawn.side, drawn.original) == ("", None, None)


def test_what_a_condition_made_is_scaled_down_last():
    """Steps see the picture in its own size, also one that is drawn."""
    sent = Image(Ramp(64), (Brighter(3),)).encoded(32)
    assert (sent.width, sent.original, opened(sent.data).max()) == (32, (64, 64), 10)


def test_48_megabytes_are_never_sent():
    """A picture of 12 million colours that nothing compresses is sent as the quarter of it that providers look at."""
    noise = np.random.default_rng(0).integers(0, 256, (3000, 4000, 3), dtype=np.uint8)
    whole = encode(noise).data
    assert len(whole) > 36_000_000
    sent = Encoder(side=USUAL_SIDE)(Image(whole))
    assert (sent.width, sent.height, sent.original) == (2048, 1536, (4000, 3000))
    assert len(sent.base64) < 13_000_000


SAMPLES = sorted(Path(__file__).parents[3].joinpath("shared", "data", "sample-images").glob("*.[jp][pn]g"))


@pytest.mark.skipif(not SAMPLES, reason="the sample images are not here")
def test_real_pictures_are_sent_byte_for_byte():
    """None of them is deep, large, nearly black or of other colours."""
    for path in SAMPLES:
        sent = Encoder(side=USUAL_SIDE)(Image(path))
        assert (sent.data, sent.rule, sent.shade) == (path.read_bytes(), "", ""), path.name


# Nearly black, nearly white


@given(st.floats(0, 1), st.sampled_from([0, 25, 26, 229, 230, 255]), st.integers(0, 2**32 - 1))
def test_a_picture_is_nearly_black_by_the_share_of_its_dark_pixels(share, level, seed):
    """99 in 100 pixels decide, wherever they lie."""
    pixels = np.full(400, 128, dtype=np.uint8)
    number = round(400 * share)
    pixels[:number] = level
    np.random.default_rng(seed).shuffle(pixels)
    expected = {0: "nearly black", 25: "nearly black", 230: "nearly white", 255: "nearly white"}.get(level, "")
    assert shade(PIL.Image.fromarray(pixels.reshape(20, 20))) == (expected if number >= 396 else "")


def test_the_encoder_sees_what_goes_out_nearly_black():
    """A file that is sent as it is, one that is converted, and a drawing; what a condition did is not looked at."""
    black = np.full((20, 20), 12, np.uint8)
    for source in (png(black), jpeg(np.dstack([black] * 3)), saved(PIL.Image.fromarray(black), "GIF"), Ramp(8)):
        assert Encoder()(Image(source)).shade == "nearly black"
        assert Image(source).encoded().shade == ""
    assert Encoder()(Image(png(255 - black))).shade == "nearly white"
    assert Encoder()(Image(Ramp(8), (Brighter(1),))).shade == ""
    assert Encoder()(Image(deep_png(np.full((4, 4), 16, np.uint16), (b"sBIT", b"\x10")))).shade == "nearly black"


def test_pictures_are_told_of_in_sentences():
    """Each rule with its count, each shade with the items, the first ten by name; counts add up."""
    some = PicturesSent(3, {"scaled down": 1}, {"nearly black": ("a",)})
    more = PicturesSent(5, {"scaled down": 2, "turned upright": 3}, {"nearly black": tuple("abcdefghijkl")})
    both = some + more
    assert (both.number, both.rules) == (8, {"scaled down": 3, "turned upright": 3})
    first, second, third = both.sentences()
    told = "3 of 8 different images (over all conditions) were changed for sending:"
    assert [first, second] == [f"{told} scaled down.", f"{told} turned upright."]
    assert third.startswith("The image of 12 items was sent nearly black (at least 99% of its pixels")
    assert third.endswith("a, b, c, d, e, f, g, h, i, j and 2 more.")
    assert list(PicturesSent(4).sentences()) == []
    assert both.record()["nearly_black"] == list("abcdefghijkl")
