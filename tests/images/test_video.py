"""Tests of films as images: which frames are taken, that a film is decoded once, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from films import PLACES, film, place_of
from snellen.benchmarks.gallery import Gallery
from snellen.errors import ImageError, MissingExtraError, UnusableImageError
from snellen.images import Encoder
from snellen.images.formats import video
from snellen.images.formats.video import images_of
from snellen.images.sent_size import SentSizes


def places(images):
    return [place_of(image.pixels()) for image in images]


@pytest.fixture
def decoded(monkeypatch):
    """How many frames were decoded, film by film."""
    counted = []
    whole = video._Reel._decode

    def counting(self):
        for frame in whole(self):
            counted.append(frame.pts)
            yield frame

    monkeypatch.setattr(video._Reel, "_decode", counting)
    return counted


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "libx264"), ("a.mkv", "mpeg4"), ("a.avi", "mpeg4"),
                                             ("a.webm", "libvpx"), ("a.mpg", "mpeg2video")])  # fmt: skip
def test_frames_stand_in_the_middle_of_equal_parts(tmp_path, name, codec):
    """Of 30 frames, 5 are those in the middle of each fifth; all 30 are taken where more are wanted."""
    path = film(tmp_path / name, codec=codec, rate=25 if codec == "mpeg2video" else 10)
    assert places(images_of(path, frames=5)) == [3, 9, 15, 21, 27]
    assert places(images_of(path)) == list(range(30))


def test_roles_tell_number_and_moment(tmp_path):
    """A role says which frame it is of how many, and when it is shown."""
    path = film(tmp_path / "Rossi_Maria.mp4", rate=1, frames=30)
    images = images_of(path, frames=3)
    assert [image.role for image in images] == ["frame 1 of 3 (0:05)", "frame 2 of 3 (0:15)", "frame 3 of 3 (0:25)"]
    assert "Rossi" not in "".join((image.fingerprint + image.name + image.role) for image in images)


def test_uneven_moments_are_kept(tmp_path):
    """A frame that is shown for long is taken for every part whose middle it covers."""
    path = film(tmp_path / "a.mkv", frames=6, stamps=[0, 1, 2, 3, 20, 30])
    assert places(images_of(path, frames=6)) == [2, 3, 3, 3, 4, 4]


def test_a_turned_film_is_upright(tmp_path):
    """What a film says of how it is to be turned is done: a quarter to the left puts the upper left corner below."""
    (image,) = images_of(film(tmp_path / "a.mp4", turn=90), frames=1)
    sent = image.pixels()
    assert sent.shape[:2] == (64, 48)
    assert sent[-3, 2].min() > 240
    assert sent[2, 2].max() < 200


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
@pytest.mark.parametrize("gop", [12, 250])
def test_drawing_all_frames_decodes_the_film_once(tmp_path, decoded, name, gop):
    """Fifty frames of 150 are one pass, in order and from several threads; in any order they are the same."""
    images = images_of(film(tmp_path / name, frames=150, codec="libx264", gop=gop))
    in_order = places(images)
    assert len(decoded) <= 150 + 2
    assert in_order == [place_of(image.pixels()) for image in images]
    assert len(decoded) <= 150 + 2
    video._REELS.clear()
    decoded.clear()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(Encoder(), images))
    assert len(decoded) <= 150 + 4 * 12
    video._REELS.clear()
    order = Random(1).sample(range(50), 50)
    assert {place: place_of(images[place].pixels()) for place in order} == dict(enumerate(in_order))


def test_a_late_frame_is_reached_from_the_nearest_key_frame(tmp_path, decoded):
    """The last frame alone takes no more than the frames since the last place to begin."""
    images = images_of(film(tmp_path / "a.mp4", frames=200, codec="libx264", gop=12), frames=200)
    images[0].pixels()
    decoded.clear()
    assert place_of(images[-1].pixels()) == 199 % PLACES
    assert len(decoded) < 60


def test_large_frames_are_scaled_down_by_a_rule(tmp_path):
    """A frame goes out with at most 512 pixels on the longer side, and says so; `side` decides otherwise."""
    path = film(tmp_path / "a.mp4", frames=2, size=(640, 320))
    sent = images_of(path)[0].encoded()
    assert (sent.width, sent.height) == (512, 256)
    assert images_of(path, side=640)[0].encoded().width == 640
    assert SentSizes(None)(images_of(path)[0]).width == 512


def test_a_reference_chooses_the_frames(tmp_path):
    """`clip.mp4#frames=3` in a row is three images."""
    film(tmp_path / "clip.mp4")
    assert len(Gallery(tmp_path).find_all("clip.mp4#frames=3")) == 3
    with pytest.raises(ImageError, match=r"has no setting 'frame'.*frames"):
        Gallery(tmp_path).find_all("clip.mp4#frame=3")


def _cut(path, share=0.5):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def _playlist(path):
    path.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")
    return path


REFUSED = {
    "sound.mp4": (lambda path: film(path, frames=None, sound=4), "no video stream: expected a video, got audio"),
    "cut.mp4": (lambda path: _cut(film(path)), "not a readable video .*expected MP4"),
    "empty.mp4": (lambda path: path.write_bytes(b""), "not a readable video"),
    "noise.webm": (lambda path: path.write_bytes(bytes(range(256)) * 9), "not a readable video"),
    "list.mp4": (_playlist, "not a readable video"),
    "zero.mkv": (lambda path: film(path, frames=0, sound=4), "zero frames: expected one or more"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_film_is_refused(tmp_path, name):
    """Sound alone, halves of films, playlists that lead elsewhere and films of zero frames are errors that say so."""
    make, told = REFUSED[name]
    make(tmp_path / name)
    with pytest.raises(UnusableImageError, match=told):
        images_of(tmp_path / name)


def test_a_film_that_ends_early_is_told_when_it_is_drawn(tmp_path):
    """The frames that are there are drawn; one beyond the end says where the film ends, without the file's name."""
    images = images_of(_cut(film(tmp_path / "Rossi.mkv", frames=100)), frames=10)
    assert place_of(images[0].pixels()) == 5
    with pytest.raises(
        UnusableImageError, match=r"10 of 10 of a video is at 0:09, and nothing can be .*cut off"
    ) as told:
        images[-1].pixels()
    assert "Rossi" not in str(told.value)


def test_a_film_that_has_changed_is_not_drawn(tmp_path):
    """What was planned for one film is not shown of another."""
    image = images_of(film(tmp_path / "a.mp4"))[0]
    film(tmp_path / "a.mp4", frames=9)
    with pytest.raises(UnusableImageError, match="has changed since it was loaded"):
        image.pixels()


def test_gigantic_frames_are_refused_before_any_is_decoded(tmp_path, monkeypatch):
    """A film with more pixels than are read of any image is refused by its header."""
    monkeypatch.setattr(video, "MAX_PIXELS", 3000)
    with pytest.raises(UnusableImageError, match="is 64 × 48 pixels; at most 3,000 are read"):
        images_of(film(tmp_path / "a.mp4"))


@pytest.mark.parametrize("settings", [{"frames": 0}, {"frames": 257}, {"side": 2}])
def test_settings_out_of_range_are_refused(tmp_path, settings):
    """The number of frames and their side have limits."""
    with pytest.raises(ImageError, match=r"expected .* got"):
        images_of(film(tmp_path / "a.mp4"), **settings)


def test_a_missing_package_names_the_extra(monkeypatch, tmp_path):
    """Without PyAV, the error says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    (tmp_path / "a.mp4").write_bytes(b"")
    with pytest.raises(MissingExtraError, match=r"snellen\[video\]"):
        images_of(tmp_path / "a.mp4")
