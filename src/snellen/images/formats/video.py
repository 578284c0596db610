"""Video: up to so many frames of a film as an ordered list of images; the one door to PyAV.

The rule: the film's time is cut into n equal parts, n being `frames` or the number of frames that the film has, if that
is smaller. Each image is the frame that a player shows in the middle of its part, upright, in square pixels, and scaled
down to `side` pixels on the longer side. Of a film with a constant frame rate and no more frames than wanted, every
frame is taken once.

Loading reads the header alone. Frames are decoded when they are drawn, going forward from where the last one was found,
so that drawing all frames of a film decodes it once.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple

import numpy as np

from snellen.errors import ImageError, MissingExtraError, UnusableImageError
from snellen.images.image import MAX_PIXELS, Image, Pixels, Seen, shrunk

CALLED = "in a video file"
FRAMES = 50
"""Frames of a film, unless a reference says otherwise."""
MOST_FRAMES = 256
SIDE = 512
"""Pixels on the longer side of a frame: 50 of them in PNG stay below what providers take in one request."""
KEPT_BYTES = 64_000_000
"""Frames of one film that are kept for who asks next."""
OPEN_FILMS = 3
LATE = 1
"""Seconds by which a film may end before its header says so; what is missing more is cut off."""
NEAR = 1
"""Seconds that are sooner decoded than leapt over."""
FAR = 10
"""Seconds from which on it is worth looking for a nearer place to begin, where the film has no index."""
_WITHOUT_INDEX = ("mpeg", "mpegts")
"""Formats whose header says nothing of their length; what their first packets suggest is a guess."""
_FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts"
"""What is read as a film whatever a file is called; no playlist, which would open other files or addresses."""
_OPTIONS = {"format_whitelist": _FORMATS, "protocol_whitelist": "file"}


@dataclass(frozen=True)
class VideoFrame:
    """The frame that a film shows at a moment, `stamp`, in the film's own clock; `film` stands for the file's content.

    The path is no part of what is told of it.
    """

    path: Path = field(repr=False)
    film: str
    stamp: int
    original: tuple[int, int]
    """Width and height in the film."""
    side: int
    stamps: tuple[int, ...] = field(repr=False, compare=False)
    """The moments of all frames that are taken of this film, in order."""

    @property
    def drawn_size(self) -> tuple[int, int]:
        """Width and height when it is drawn, unless the film is turned."""
        scale = min(1.0, self.side / max(self.original))
        width, height = (max(1, round(each * scale)) for each in self.original)
        return width, height

    @property
    def origin(self) -> str:
        """What all pictures of the film share."""
        return self.film

    @property
    def called(self) -> str:
        """What an error calls it."""
        return f"{self.stamps.index(self.stamp) + 1} of {len(self.stamps)} of a video"

    def draw(self) -> Pixels:
        """The frame, decoded now or found among those that were passed on the way to another."""
        return self.developed().pixels

    def developed(self) -> Seen:
        """The same with what was done to the film's frame, in words."""
        if _identity(self.path, self.called) != self.film:
            raise UnusableImageError(self.called, "is of a video that has changed since it was loaded. Load it again")
        pixels, turned = _reel(self).frame(self)
        rules = ["turned upright"] if turned else []
        if max(self.original) > self.side:
            rules.append(f"scaled down to {self.side:,} pixels on the longer side, each the mean of those it covers")
        return Seen(pixels.copy(), self.original[::-1] if turned % 2 else self.original, tuple(rules))


def images_of(path: Path, frames: int = FRAMES, side: int = SIDE) -> tuple[Image, ...]:
    """The frames of a film, in order, by the rule above; the roles tell their number and the moment in the film."""
    if not 1 <= frames <= MOST_FRAMES:
        raise ImageError(f"a video: expected frames from 1 to {MOST_FRAMES}, got frames={frames}")
    if side < 16:
        raise ImageError(f"a video: expected a side of 16 pixels or more, got side={side}")
    film = _identity(path, CALLED)
    with _opened(path, CALLED) as container:
        about = _header(container, path)
    number = min(frames, about.frames)
    moments = [about.length * (2 * place + 1) / (2 * number) for place in range(number)]
    stamps = tuple(about.start + int(moment / about.clock) for moment in moments)
    short = about.length / number < 1
    return tuple(
        Image(
            VideoFrame(path, film, stamp, about.size, side, stamps),
            role=f"frame {place + 1} of {number} ({_told(moment, short)})",
        )
        for place, (stamp, moment) in enumerate(zip(stamps, moments, strict=True))
    )


def _told(moment: Fraction, short: bool) -> str:
    """A moment as minutes and seconds, with tenths where the frames are less than a second apart.

    >>> _told(Fraction(75), False), _told(Fraction(3725), False), _told(Fraction(5, 4), True)
    ('1:15', '1:02:05', '0:01.2')
    """
    minutes, seconds = divmod(moment, 60)
    hours, minutes = divmod(int(minutes), 60)
    exact = f"{int(seconds):02}.{int(seconds * 10) % 10}" if short else f"{int(seconds):02}"
    return f"{hours}:{minutes:02}:{exact}" if hours else f"{minutes}:{exact}"


class _Header(NamedTuple):
    """What a film says of itself: the length in seconds, its clock in seconds a tick, and its first tick."""

    frames: int
    length: Fraction
    clock: Fraction
    start: int
    size: tuple[int, int]


def _header(container: Any, path: Path) -> _Header:
    name, stream = CALLED, _pictures(container, CALLED)
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > MAX_PIXELS:
        raise UnusableImageError(
            name, f"is {width} × {height} pixels; at most {MAX_PIXELS:,} are read. Make it smaller"
        )
    if not width or not height:
        raise UnusableImageError(name, "is a video that does not say how large its pictures are. Convert it to MP4")
    _check_whole(stream, path)
    length = None if container.format.name in _WITHOUT_INDEX else _stated_length(container, stream)
    rate = stream.average_rate or stream.guessed_rate
    frames = stream.frames or (round(length * rate) if length and rate else 0)
    start = stream.start_time or 0
    if not length or not frames:
        start, length, frames = _counted(container, stream)
    elif not stream.frames and not any(packet.size for packet in container.demux(stream)):
        frames = 0  # the length is that of the sound
    if not frames or not length:
        raise UnusableImageError(name, "is a video of zero frames: expected one or more. Record or copy it again")
    width = round(width * (stream.sample_aspect_ratio or 1))
    return _Header(frames, length, Fraction(stream.time_base), start, (max(1, width), height))


def _pictures(container: Any, name: str) -> Any:
    """The stream of moving pictures; a cover of a sound file is none."""
    moving = [each for each in container.streams.video if "attached_pic" not in _marks(each)]
    if not moving:
        kinds = sorted({each.type for each in container.streams})
        if not kinds:
            raise UnusableImageError(name, "is a video of which nothing can be played: it is cut off. Copy it again")
        raise UnusableImageError(name, f"has no moving pictures: expected a video, got {', '.join(kinds)} alone")
    return moving[0]


def _marks(stream: Any) -> str:
    disposition = getattr(stream, "disposition", None)
    return getattr(disposition, "name", None) or str(disposition)


def _check_whole(stream: Any, path: Path) -> None:
    """An index that leads beyond the end of the file is that of a larger file."""
    size = path.stat().st_size
    needed = max((entry.pos + entry.size for entry in stream.index_entries if entry.size), default=0)
    if needed > size:
        raise UnusableImageError(CALLED, f"is cut off: it has {size:,} bytes, of at least {needed:,}. Copy it again")


def _stated_length(container: Any, stream: Any) -> Fraction | None:
    if stream.duration:
        return Fraction(stream.duration * stream.time_base)
    hours, _, rest = stream.metadata.get("DURATION", "").partition(":")
    minutes, _, seconds = rest.partition(":")
    try:
        return int(hours) * 3600 + int(minutes) * 60 + Fraction(seconds)
    except ValueError:
        return Fraction(container.duration, 1_000_000) if container.duration else None


def _counted(container: Any, stream: Any) -> tuple[int, Fraction, int]:
    """First tick, length and number of frames of a film whose header does not say: read through, not decoded."""
    stamps, lasts = [], 0
    try:
        for packet in container.demux(stream):
            if packet.size and (stamp := packet.pts if packet.pts is not None else packet.dts) is not None:
                stamps.append(stamp)
                lasts = packet.duration or lasts
    except _av().error.FFmpegError:
        pass  # what was read so far is what the film has
    if not stamps:
        return 0, Fraction(0), 0
    span = max(stamps) - min(stamps)
    lasts = lasts or span // max(1, len(stamps) - 1) or 1
    return min(stamps), (span + lasts) * Fraction(stream.time_base), len(stamps)


class _Drawn(NamedTuple):
    """A frame as it is drawn, and by how many quarters it was turned."""

    pixels: Pixels
    turned: int


class _Reel:
    """A film that is being read: where it is, and the wanted frames that were passed."""

    def __init__(self, wanted: VideoFrame) -> None:
        self._lock = threading.Lock()
        self._container = _open(wanted.path, wanted.called)
        self._stream = _pictures(self._container, wanted.called)
        self._stream.thread_type = "AUTO"
        self._second = int(1 / Fraction(self._stream.time_base))
        self._first = self._stream.start_time or 0
        self._stamps = sorted(set(wanted.stamps))
        self._side = wanted.side
        self._kept: OrderedDict[int, _Drawn] = OrderedDict()
        self._held = 0
        self._keys = self._known_keys()
        self._guesses = len(self._keys) < 2
        """Whether only trying tells if there is a nearer place to begin."""
        self._shots = self._from_here()
        self._at = self._first
        """The stamp up to which the film was read."""
        self._begins = True
        """Whether the next frame is the film's first, which also stands for what is wanted before it."""

    def frame(self, wanted: VideoFrame) -> _Drawn:
        """The frame as it is drawn."""
        with self._lock:
            try:
                if wanted.stamp not in self._kept:
                    self._look_for(wanted.stamp)
            except _av().error.FFmpegError as error:
                raise UnusableImageError(wanted.called, f"cannot be decoded: {_said(error)}") from error
            except ImageError as error:
                raise UnusableImageError(wanted.called, f"cannot be used: {error}") from error
            if wanted.stamp not in self._kept:
                raise UnusableImageError(wanted.called, self._why_missing(wanted.stamp))
            return self._kept[wanted.stamp]

    def _look_for(self, stamp: int) -> None:
        if stamp < self._at or self._leaps(stamp):
            self._go_to(stamp)
        for shot in self._shots:
            self._pass(*shot)
            if stamp in self._kept:
                return

    def _leaps(self, stamp: int) -> bool:
        """Whether a frame from which reading can begin lies between here and there, or may."""
        place = bisect_right(self._keys, stamp)
        if place and self._keys[place - 1] > self._at + NEAR * self._second:
            return True
        return self._guesses and stamp - self._at > FAR * self._second

    def _go_to(self, stamp: int) -> None:
        """Begin again at a frame that is not after the moment."""
        before, back, first = self._at, 0, None
        while first is None or first[1] > stamp:
            goal = max(stamp - back, self._first)
            self._container.seek(goal, stream=self._stream, backward=True)
            self._shots, self._begins = self._from_here(), goal == self._first
            first = next(self._shots, None)
            if self._begins:
                break
            back = 2 * back + self._second
        self._keys = self._known_keys()  # some formats know theirs only now
        if first is not None:
            self._guesses = len(self._keys) < 2 and not first[1] <= before < stamp
            self._pass(*first)

    def _known_keys(self) -> list[int]:
        return sorted(entry.timestamp for entry in self._stream.index_entries if entry.is_keyframe)

    def _pass(self, frame: Any, since: int, until: int) -> None:
        """Go past a frame that is shown for a while; who wants it at some moment finds it kept."""
        low = 0 if self._begins else bisect_left(self._stamps, since)
        self._begins, self._at = False, until
        wanted = self._stamps[low : bisect_left(self._stamps, until)]
        if not wanted:
            return
        pixels, turned = _upright(frame, self._stream.sample_aspect_ratio)
        drawn = _Drawn(shrunk(pixels, self._side), turned)
        for stamp in wanted:
            self._kept[stamp] = drawn
            self._held += drawn.pixels.nbytes
        while self._held > KEPT_BYTES and len(self._kept) > len(wanted):
            self._held -= self._kept.popitem(last=False)[1].pixels.nbytes

    def _from_here(self) -> Iterator[tuple[Any, int, int]]:
        """Each frame with the moment from which it is shown, and that until which it is."""
        before: tuple[Any, int] | None = None
        lasts = 0
        for frame in self._decoded():
            stamp = frame.pts if frame.pts is not None else frame.dts
            stamp = stamp if stamp is not None else (before[1] + 1 if before else self._first)
            if before is not None and stamp > before[1]:
                lasts = stamp - before[1]
                yield *before, stamp
            before = frame, stamp
        if before is not None:
            yield *before, before[1] + max(lasts, before[0].duration or 0) + LATE * self._second

    def _decoded(self) -> Iterator[Any]:
        """The frames of every packet that can be decoded; players leave out the others too."""
        av = _av()
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets, None)
                shots: Sequence[Any] = packet.decode() if packet is not None else ()
            except av.error.InvalidDataError:
                continue
            except av.error.EOFError:
                return
            if packet is None:
                return
            yield from shots

    def _why_missing(self, stamp: int) -> str:
        clock = Fraction(self._stream.time_base)
        wanted, last = (_told(max(0, each - self._first) * clock, False) for each in (stamp, self._at))
        return f"is at {wanted}, and nothing can be decoded after {last}: the video is cut off. Copy it again"


_REELS: OrderedDict[tuple[str, int, tuple[int, ...]], _Reel] = OrderedDict()
_REELS_LOCK = threading.Lock()


def _reel(wanted: VideoFrame) -> _Reel:
    """The film of a frame, open where somebody has just read of it."""
    key = wanted.film, wanted.side, wanted.stamps
    with _REELS_LOCK:
        if key not in _REELS:
            _REELS[key] = _Reel(wanted)
        _REELS.move_to_end(key)
        while len(_REELS) > OPEN_FILMS:
            _REELS.popitem(last=False)
        return _REELS[key]


def _upright(shot: Any, aspect: Fraction | None) -> _Drawn:
    """A frame in square pixels, turned as the film says."""
    grey = shot.format.name.startswith("gray")
    pixels: Pixels = shot.to_ndarray(format="gray" if grey else "rgb24")
    if aspect and aspect != 1:
        import cv2

        size = (max(1, round(shot.width * aspect)), shot.height)
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    if _mirrored(shot):
        raise ImageError("it is to be shown mirrored, which would change its sides; convert it to one that is not")
    quarters = round(shot.rotation / 90) % 4
    return _Drawn(np.ascontiguousarray(np.rot90(pixels, quarters)), quarters)


def _mirrored(shot: Any) -> bool:
    matrix = shot.side_data.get("DISPLAYMATRIX")
    if matrix is None:
        return False
    (a, b, _), (c, d, _), _ = np.frombuffer(bytes(matrix), "<i4").reshape(3, 3).astype(float).tolist()
    return bool(a * d - b * c < 0)


def _identity(path: Path, name: str) -> str:
    """What stands for a file's content: a hash of where it is, its size and when it was changed."""
    try:
        stat = path.stat()
    except OSError as error:
        raise UnusableImageError(name, f"cannot be read: {error.strerror}") from error
    if not S_ISREG(stat.st_mode):
        raise UnusableImageError(name, "is not a plain file")
    return hashlib.sha256(f"{path.absolute()}:{stat.st_size}:{stat.st_mtime_ns}".encode()).hexdigest()[:32]


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Any]:
    container = _open(path, name)
    try:
        yield container
    except _av().error.FFmpegError as error:
        raise UnusableImageError(name, f"is a video that cannot be read: {_said(error)}") from error
    finally:
        container.close()


def _open(path: Path, name: str) -> Any:
    av = _av()
    try:
        return av.open(str(path), options=dict(_OPTIONS))
    except (av.error.FFmpegError, OSError, ValueError) as error:
        why = f"is not a readable video ({_said(error)}): expected MP4, MKV, WebM, AVI, MOV or MPEG, whole"
        raise UnusableImageError(name, why) from error


def _said(error: Exception) -> str:
    """What FFmpeg says, without the file's name."""
    return str(getattr(error, "strerror", None) or type(error).__name__)


def _av() -> Any:
    try:
        import av
    except ImportError as error:
        raise MissingExtraError("av", "video") from error
    return av
