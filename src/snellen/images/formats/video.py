"""Video: some frames of a video as an ordered list; the only access to PyAV.

The video's duration is divided into n equal parts; n is `frames`, or the number of frames if that is smaller. Each
image is the frame that a player shows in the middle of its part. It is upright, in square pixels, and scaled down to
`side` pixels on the longer side. A video with a constant frame rate and no more frames than wanted gives every frame
once.

Loading reads only the header. Frames are decoded when they are drawn, from the position of the last one. So drawing all
frames decodes the video once.
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

from snellen.errors import ImageError, UnusableImageError
from snellen.images.formats.stacks import DecodedImage
from snellen.images.image import MAX_PIXELS, Image, Pixels, ViewedImage, shrink
from snellen.plugins import import_extra

CALLED = "in a video file"
FRAMES = 50
"""Default number of frames of a video."""
MOST_FRAMES = 256
SIDE = 512
"""Pixels on the longer side of a frame; 50 frames as PNG stay below the providers' limits per request."""
KEPT_BYTES = 64_000_000
"""Bytes of decoded frames that are cached per video."""
OPEN_FILMS = 3
LATE = 1
"""A video may end this many seconds before its header states; if more is missing, it is cut off."""
NEAR = 1
"""Up to this many seconds are decoded rather than skipped."""
FAR = 10
"""From this many seconds on, a seek is tried in a video without an index."""
_WITHOUT_INDEX = ("mpeg", "mpegts")
"""Formats without a duration in the header; their first packets only allow a guess."""
_FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts"
"""Formats read as video, whatever the file name; no playlists, which could open other files or addresses."""
_OPTIONS = {"format_whitelist": _FORMATS, "protocol_whitelist": "file"}


@dataclass(frozen=True)
class VideoFrame(DecodedImage):
    """The frame that a video, identified by `film`, shows at the time `stamp`. The path is not shown anywhere."""

    path: Path = field(repr=False)
    film: str
    stamp: int
    original: tuple[int, int]
    """Width and height in the video."""
    side: int
    stamps: tuple[int, ...] = field(repr=False, compare=False)
    """Times of all frames taken from this video, in order."""

    @property
    def drawn_size(self) -> tuple[int, int]:
        """Width and height after drawing, unless the video is rotated."""
        scale = min(1.0, self.side / max(self.original))
        width, height = (max(1, round(each * scale)) for each in self.original)
        return width, height

    @property
    def origin(self) -> str:
        """Identity that all images of the video share."""
        return self.film

    @property
    def called(self) -> str:
        """Name for error messages."""
        return f"{self.stamps.index(self.stamp) + 1} of {len(self.stamps)} of a video"

    def develop(self) -> ViewedImage:
        """Return the frame with the rules applied to it."""
        if _identity(self.path, self.called) != self.film:
            raise UnusableImageError(
                self.called, "belongs to a video that has changed since it was loaded. Load it again"
            )
        pixels, turned = _reel(self).frame(self)
        rules = ["turned upright"] if turned else []
        if max(self.original) > self.side:
            rules.append(f"scaled down to {self.side:,} pixels on the longer side, each the mean of those it covers")
        return ViewedImage(pixels.copy(), self.original[::-1] if turned % 2 else self.original, tuple(rules))


def images_of(path: Path, frames: int = FRAMES, side: int = SIDE) -> tuple[Image, ...]:
    """Return the frames of a video in order, with number and time as their roles."""
    if not 1 <= frames <= MOST_FRAMES:
        raise ImageError(f"a video: expected frames from 1 to {MOST_FRAMES}, got frames={frames}")
    if side < 16:
        raise ImageError(f"a video: expected a side of 16 pixels or more, got side={side}")
    film = _identity(path, CALLED)
    with _open_video(path, CALLED) as container:
        about = _header(container, path)
    number = min(frames, about.frames)
    moments = [about.length * (2 * place + 1) / (2 * number) for place in range(number)]
    stamps = tuple(about.start + int(moment / about.clock) for moment in moments)
    short = about.length / number < 1
    return tuple(
        Image(
            VideoFrame(path, film, stamp, about.size, side, stamps),
            role=f"frame {place + 1} of {number} ({_format_time(moment, short)})",
        )
        for place, (stamp, moment) in enumerate(zip(stamps, moments, strict=True))
    )


def _format_time(moment: Fraction, short: bool) -> str:
    """Format a time as minutes and seconds. Add tenths if frames are less than a second apart.

    >>> _format_time(Fraction(75), False), _format_time(Fraction(3725), False), _format_time(Fraction(5, 4), True)
    ('1:15', '1:02:05', '0:01.2')
    """
    minutes, seconds = divmod(moment, 60)
    hours, minutes = divmod(int(minutes), 60)
    exact = f"{int(seconds):02}.{int(seconds * 10) % 10}" if short else f"{int(seconds):02}"
    return f"{hours}:{minutes:02}:{exact}" if hours else f"{minutes}:{exact}"


class _Header(NamedTuple):
    """Header of a video: duration in seconds, seconds per tick, first tick, and size."""

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
        raise UnusableImageError(name, "is a video that does not state its frame size. Convert it to MP4")
    _check_whole(stream, path)
    length = None if container.format.name in _WITHOUT_INDEX else _stated_length(container, stream)
    rate = stream.average_rate or stream.guessed_rate
    frames = stream.frames or (round(length * rate) if length and rate else 0)
    start = stream.start_time or 0
    if not length or not frames:
        start, length, frames = _count_frames(container, stream)
    elif not stream.frames and not any(packet.size for packet in container.demux(stream)):
        frames = 0  # the duration is that of the sound
    if not frames or not length:
        raise UnusableImageError(name, "is a video of zero frames: expected one or more. Record or copy it again")
    width = round(width * (stream.sample_aspect_ratio or 1))
    return _Header(frames, length, Fraction(stream.time_base), start, (max(1, width), height))


def _pictures(container: Any, name: str) -> Any:
    """Return the video stream; the cover image of an audio file does not count."""
    moving = [each for each in container.streams.video if "attached_pic" not in _marks(each)]
    if not moving:
        kinds = sorted({each.type for each in container.streams})
        if not kinds:
            raise UnusableImageError(name, "is a video without a playable frame: it is cut off. Copy it again")
        raise UnusableImageError(name, f"has no video stream: expected a video, got {', '.join(kinds)} alone")
    return moving[0]


def _marks(stream: Any) -> str:
    disposition = getattr(stream, "disposition", None)
    return getattr(disposition, "name", None) or str(disposition)


def _check_whole(stream: Any, path: Path) -> None:
    """Raise UnusableImageError if the file's index points beyond its end."""
    size = path.stat().st_size
    needed = max((entry.pos + entry.size for entry in stream.index_entries if entry.size), default=0)
    if needed > size:
        raise UnusableImageError(
            CALLED, f"is cut off: it has {size:,} bytes, expected at least {needed:,}. Copy it again"
        )


def _stated_length(container: Any, stream: Any) -> Fraction | None:
    if stream.duration:
        return Fraction(stream.duration * stream.time_base)
    hours, _, rest = stream.metadata.get("DURATION", "").partition(":")
    minutes, _, seconds = rest.partition(":")
    try:
        return int(hours) * 3600 + int(minutes) * 60 + Fraction(seconds)
    except ValueError:
        return Fraction(container.duration, 1_000_000) if container.duration else None


def _count_frames(container: Any, stream: Any) -> tuple[int, Fraction, int]:
    """Return the first tick, duration and number of frames of a video, counted without decoding."""
    stamps, lasts = [], 0
    try:
        for packet in container.demux(stream):
            if packet.size and (stamp := packet.pts if packet.pts is not None else packet.dts) is not None:
                stamps.append(stamp)
                lasts = packet.duration or lasts
    except _av().error.FFmpegError:
        pass  # the packets read so far are the video's
    if not stamps:
        return 0, Fraction(0), 0
    span = max(stamps) - min(stamps)
    lasts = lasts or span // max(1, len(stamps) - 1) or 1
    return min(stamps), (span + lasts) * Fraction(stream.time_base), len(stamps)


class _Drawn(NamedTuple):
    """Pixels of a frame, and the number of quarter turns applied."""

    pixels: Pixels
    turned: int


class _Reel:
    """An open video, with its position and the wanted frames that were decoded."""

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
        """Whether only a trial shows if there is a closer position to start from."""
        self._shots = self._from_here()
        self._at = self._first
        """Time up to which the video has been decoded."""
        self._begins = True
        """Whether the next frame is the video's first, which is also used for earlier times."""

    def frame(self, wanted: VideoFrame) -> _Drawn:
        with self._lock:
            try:
                if wanted.stamp not in self._kept:
                    self._look_for(wanted.stamp)
            except _av().error.FFmpegError as error:
                raise UnusableImageError(wanted.called, f"cannot be decoded: {_format_error(error)}") from error
            except ImageError as error:
                raise UnusableImageError(wanted.called, f"cannot be used: {error}") from error
            if wanted.stamp not in self._kept:
                clock = Fraction(self._stream.time_base)
                ends = (max(0, each - self._first) * clock for each in (wanted.stamp, self._at))
                at, last = (_format_time(end, False) for end in ends)
                why = f"is at {at}, and nothing can be decoded after {last}: the video is cut off. Copy it again"
                raise UnusableImageError(wanted.called, why)
            return self._kept[wanted.stamp]

    def _look_for(self, stamp: int) -> None:
        if stamp < self._at or self._leaps(stamp):
            self._go_to(stamp)
        for shot in self._shots:
            self._pass(*shot)
            if stamp in self._kept:
                return

    def _leaps(self, stamp: int) -> bool:
        """Return True if a keyframe lies, or may lie, between the position and this time."""
        place = bisect_right(self._keys, stamp)
        if place and self._keys[place - 1] > self._at + NEAR * self._second:
            return True
        return self._guesses and stamp - self._at > FAR * self._second

    def _go_to(self, stamp: int) -> None:
        """Move to a frame at or before this time."""
        before, back, first = self._at, 0, None
        while first is None or first[1] > stamp:
            goal = max(stamp - back, self._first)
            self._container.seek(goal, stream=self._stream, backward=True)
            self._shots, self._begins = self._from_here(), goal == self._first
            first = next(self._shots, None)
            if self._begins:
                break
            back = 2 * back + self._second
        self._keys = self._known_keys()  # some formats know their keyframes only now
        if first is not None:
            self._guesses = len(self._keys) < 2 and not first[1] <= before < stamp
            self._pass(*first)

    def _known_keys(self) -> list[int]:
        return sorted(entry.timestamp for entry in self._stream.index_entries if entry.is_keyframe)

    def _pass(self, frame: Any, since: int, until: int) -> None:
        """Process a decoded frame; keep it if its time is wanted."""
        low = 0 if self._begins else bisect_left(self._stamps, since)
        self._begins, self._at = False, until
        wanted = self._stamps[low : bisect_left(self._stamps, until)]
        if not wanted:
            return
        pixels, turned = _upright(frame, self._stream.sample_aspect_ratio)
        drawn = _Drawn(shrink(pixels, self._side), turned)
        for stamp in wanted:
            self._kept[stamp] = drawn
            self._held += drawn.pixels.nbytes
        while self._held > KEPT_BYTES and len(self._kept) > len(wanted):
            self._held -= self._kept.popitem(last=False)[1].pixels.nbytes

    def _from_here(self) -> Iterator[tuple[Any, int, int]]:
        """Return each frame with the times at which it appears and disappears."""
        before: tuple[Any, int] | None = None
        lasts = 0
        for frame in self._decode():
            stamp = frame.pts if frame.pts is not None else frame.dts
            stamp = stamp if stamp is not None else (before[1] + 1 if before else self._first)
            if before is not None and stamp > before[1]:
                lasts = stamp - before[1]
                yield *before, stamp
            before = frame, stamp
        if before is not None:
            yield *before, before[1] + max(lasts, before[0].duration or 0) + LATE * self._second

    def _decode(self) -> Iterator[Any]:
        """Decode the frames of intact packets; damaged ones are skipped, as players do."""
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


_REELS: OrderedDict[tuple[str, int, tuple[int, ...]], _Reel] = OrderedDict()
_REELS_LOCK = threading.Lock()


def _reel(wanted: VideoFrame) -> _Reel:
    """Return the open video of a frame, cached if it was used recently."""
    key = wanted.film, wanted.side, wanted.stamps
    with _REELS_LOCK:
        if key not in _REELS:
            _REELS[key] = _Reel(wanted)
        _REELS.move_to_end(key)
        while len(_REELS) > OPEN_FILMS:
            _REELS.popitem(last=False)
        return _REELS[key]


def _upright(shot: Any, aspect: Fraction | None) -> _Drawn:
    """Return a frame in square pixels, rotated as the video states."""
    grey = shot.format.name.startswith("gray")
    pixels: Pixels = shot.to_ndarray(format="gray" if grey else "rgb24")
    if aspect and aspect != 1:
        import cv2

        size = (max(1, round(shot.width * aspect)), shot.height)
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    matrix = shot.side_data.get("DISPLAYMATRIX")
    turn = np.eye(3) if matrix is None else np.frombuffer(bytes(matrix), "<i4").reshape(3, 3).astype(float)
    if turn[0, 0] * turn[1, 1] < turn[0, 1] * turn[1, 0]:
        raise ImageError(
            "its file asks for mirrored display, which would swap left and right; convert it to an unmirrored video"
        )
    quarters = round(shot.rotation / 90) % 4
    return _Drawn(np.ascontiguousarray(np.rot90(pixels, quarters)), quarters)


def _identity(path: Path, name: str) -> str:
    """Return a hash of a file's path, size and time of change."""
    try:
        stat = path.stat()
    except OSError as error:
        raise UnusableImageError(name, f"cannot be read: {error.strerror}") from error
    if not S_ISREG(stat.st_mode):
        raise UnusableImageError(name, "is not a plain file")
    return hashlib.sha256(f"{path.absolute()}:{stat.st_size}:{stat.st_mtime_ns}".encode()).hexdigest()[:32]


@contextmanager
def _open_video(path: Path, name: str) -> Iterator[Any]:
    container = _open(path, name)
    try:
        yield container
    except _av().error.FFmpegError as error:
        raise UnusableImageError(name, f"is a video that cannot be read: {_format_error(error)}") from error
    finally:
        container.close()


def _open(path: Path, name: str) -> Any:
    av = _av()
    try:
        return av.open(str(path), options=dict(_OPTIONS))
    except (av.error.FFmpegError, OSError, ValueError) as error:
        why = f"is not a readable video ({_format_error(error)}): expected MP4, MKV, WebM, AVI, MOV or MPEG, whole"
        raise UnusableImageError(name, why) from error


def _format_error(error: Exception) -> str:
    """Return FFmpeg's message, without the file's name."""
    return str(getattr(error, "strerror", None) or type(error).__name__)


def _av() -> Any:
    return import_extra("av", "av", "video")
