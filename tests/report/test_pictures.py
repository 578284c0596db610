import hashlib

import numpy as np
import pytest

from snellen.errors import ImageError
from snellen.images import decode, encode, preview
from snellen.report.evidence.album import FULL, Album, without_folders
from snellen.store import SentImage


class Shelf:
    """A store of images that counts how often it is asked."""

    def __init__(self, *images):
        self.kept = {hashlib.sha256(data).hexdigest(): data for data in images}
        self.asked = 0
        self.scaled = None

    @property
    def images(self):
        return self

    def data(self, sha256):
        self.asked += 1
        if sha256 not in self.kept:
            raise ImageError(f"Image /ward/Mrs Smith/{sha256[:4]}.png has changed since it was sent.")
        return self.kept[sha256]

    def pictures(self, shown):
        return {
            each: SentImage(each, 60, 40, (6000, 4000), "scaled down to 60") for each in shown if each == self.scaled
        }


def drawn(shade, size=(40, 60)):
    return encode(np.full(size, shade, dtype=np.uint8)).data


def test_preview_is_small_and_keeps_its_shape():
    """The longer side becomes the one asked for; a small one keeps its size, and bytes of no image are refused."""
    pixels = np.zeros((200, 800, 3), dtype=np.uint8)
    pixels[..., 0] = 200
    small = preview(encode(pixels).data, 320, name="red")
    assert (small.media_type, small.width, small.height) == ("image/jpeg", 320, 80)
    assert np.abs(decode(small.data, name="small").reshape(-1, 3).mean(axis=0) - [200, 0, 0]).max() < 6
    small = preview(drawn(90, (7, 1)), 320, name="thin")
    assert (small.width, small.height) == (1, 7)
    with pytest.raises(ImageError):
        preview(b"nothing", 320, name="nothing")


def test_image_is_read_once():
    """Asked for twice, an image is read and embedded once."""
    shelf = Shelf(drawn(1))
    album = Album(shelf)
    [sha256] = shelf.kept
    assert album.picture(sha256) is album.picture(sha256)
    assert (shelf.asked, len(album.embedded)) == (1, 1)
    assert "60 × 40 pixels" in album.picture(sha256).about
    assert "original" not in album.picture(sha256).about


def test_an_image_that_was_scaled_down_says_so():
    """The original's size and the rule stand beside the size that was sent."""
    shelf = Shelf(drawn(1))
    [shelf.scaled] = shelf.kept
    assert Album(shelf).picture(shelf.scaled).about.endswith("; the original is 6000 × 4000: scaled down to 60")


@pytest.mark.parametrize("limits", [{"max_embedded": 1000}, {"max_decoded": 2000}])
def test_limits_leave_images_out_and_say_so(limits):
    """Past the limit of bytes or of pixels, images are named but not embedded, and counted."""
    shelf = Shelf(drawn(1), drawn(2), drawn(3))
    album = Album(shelf, **limits)
    pictures = [album.picture(sha256) for sha256 in shelf.kept]
    assert [bool(picture.link) for picture in pictures] == [True, False, False]
    assert [picture.problem for picture in pictures[1:]] == [FULL] * 2


def test_image_that_is_gone_gives_the_reason_without_its_folder():
    """The folder, which may name a patient, is not shown, whatever the system."""
    picture = Album(Shelf()).picture("ab" * 32)
    assert picture.problem == "Image …/abab.png has changed since it was sent."
    assert picture.link == ""
    assert without_folders(r"Image C:\ward\a\1.png is damaged") == "Image …/1.png is damaged"
