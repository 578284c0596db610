"""Canary: fresh letters shown to a model before a run; whoever reads them has been sent the images, and as they are.

Three charts are shown first: letters of 64 px in a PNG file, in a JPEG file, and in a larger PNG file. Where one of
them is not read, the same question is asked without an image, and with giant letters, so that it can be told what
happens to images on the way. The letters are drawn anew each time: no server and no model can know them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import comb, inf
from typing import Any

from snellen.sight.tokens import FEWEST_TOKENS, PLACEHOLDER
from snellen.store.shapes import check_record, make_record

LETTER, GIANT = 64, 180
"""The sizes of letters in pixels: one that any model of use should read, and one that is read at a glance."""
CLOSE, SIDE, LARGE = 160, 448, 1120
"""The sides of images in pixels: one that letters nearly fill, the usual one, and a large one."""
ENOUGH_CLOSE = 3
"""So many charts of letters that nearly fill the image must be read before images are said to be shrunk."""
CHOICES = 10
"""How many letters there are to choose from."""
LUCK = 1e-4
"""Letters count as read if guessing would give as many right ones more rarely than this."""
GROWTH = 1.25
"""Tokens that grow by less than this factor, from a small image to one of six times its pixels, do not grow."""
QUOTED = 200
"""Characters of each reply that are kept."""
PNG, JPEG = "image/png", "image/jpeg"


class Arrival(StrEnum):
    """Whether images arrived."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


class Fault(StrEnum):
    """What happens to images on the way."""

    DROPPED = "images are dropped on the way"
    EMPTIED = "the whole message is dropped where it holds an image"
    PLACEHOLDER = "images are replaced by a placeholder on the way"
    SHRUNK = "images are shrunk on the way"
    CACHED = "the server answers for an earlier image (a cache)"
    REJECTED = "requests with an image fail"
    NO_PNG = "PNG images do not arrive, JPEG images do"
    NO_JPEG = "JPEG images do not arrive, PNG images do"
    SOME = "some images are dropped on the way"


@dataclass(frozen=True)
class Chart:
    """One chart that was shown, or the same question without any, and what came back."""

    letters: str
    size: int
    """Of the letters, in pixels; 0 where no image was sent."""
    side: int
    """Of the image, in pixels."""
    media_type: str
    right: int = 0
    repeats: str = ""
    """The letters of an earlier chart, where the reply gives those instead of its own."""
    repeated: int = 0
    """How many of them."""
    says_none: bool = False
    """Whether the reply says that there is no image."""
    input_tokens: int | None = None
    image_tokens: int | None = None
    error: str = ""
    """Why there is no reply."""
    reply: str = ""
    cut_off: bool = False
    """Whether the response was cut off at the token limit before all letters were read."""

    @property
    def read(self) -> bool:
        """Whether all letters but one in five were read."""
        return not self.error and self.right >= 0.8 * len(self.letters) > 0

    @property
    def lost(self) -> bool:
        """Whether the request failed, or as little of the chart was read as one may guess."""
        return bool(self.error) or self.right <= 0.2 * len(self.letters)

    @property
    def name(self) -> str:
        """What it shows, in a few words."""
        if not self.side:
            return "the question alone"
        kind = "JPEG" if self.media_type == JPEG else "PNG"
        return f"letters of {self.size} px in a {kind} image of {self.side} px"


@dataclass(frozen=True)
class Canary:
    """All charts that one model was shown before one run."""

    charts: tuple[Chart, ...]
    accepted: bool = False
    """Whether the model was asked all the same, whatever they show (--accept-blind)."""

    @property
    def images(self) -> tuple[Chart, ...]:
        """The charts themselves."""
        return tuple(chart for chart in self.charts if chart.side)

    @property
    def small(self) -> tuple[Chart, ...]:
        """The charts with letters of the usual size on images of the usual size or larger."""
        return tuple(chart for chart in self.images if chart.size == LETTER and chart.side >= SIDE)

    @property
    def close(self) -> tuple[Chart, ...]:
        """The charts whose letters, of the usual size, nearly fill the image."""
        return tuple(chart for chart in self.images if chart.size == LETTER and chart.side < SIDE)

    @property
    def alone(self) -> Chart | None:
        """The same question without an image, where it was answered."""
        return next((chart for chart in self.charts if not chart.side and not chart.error), None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What happens to images on the way, as far as the replies show it; nothing where they show nothing."""
        return tuple(_faults(self))

    @property
    def luck(self) -> float:
        """How probable it is to name so many letters of the usual size by guessing."""
        answered = [chart for chart in self.small if not chart.error]
        return by_guessing(sum(chart.right for chart in answered), sum(len(chart.letters) for chart in answered))

    @property
    def read(self) -> bool:
        """Whether letters were read that nobody can guess."""
        return self.luck < LUCK

    @property
    def status(self) -> Arrival:
        """What it amounts to."""
        if self.faults:
            return Arrival.CONTRADICTED
        return Arrival.CONFIRMED if self.read else Arrival.UNKNOWN

    @property
    def added(self) -> list[int]:
        """The tokens that each image added to those of the question alone, where the server counts any for that."""
        alone = self.alone.input_tokens if self.alone else None
        counted = (chart.input_tokens for chart in self.images if not chart.error)
        return [] if not alone else [tokens - alone for tokens in counted if tokens is not None]

    @property
    def counts_by_size(self) -> bool:
        """Whether the server counts more tokens for one chart than for another: the words are the same."""
        counted = [chart.input_tokens for chart in self.images if chart.input_tokens is not None]
        return len(counted) > 1 and max(counted) - min(counted) >= FEWEST_TOKENS

    @property
    def counts_images(self) -> bool:
        """Whether charts are in the server's count of tokens, so that it would count the images of a run."""
        return self.counts_by_size or max(self.added, default=0) >= FEWEST_TOKENS

    @property
    def grows(self) -> bool | None:
        """Whether more tokens are counted for the larger image; None where they are not counted."""
        small, large = self._counted(min), self._counted(max)
        alone = self.alone.input_tokens if self.alone else None
        if small is None or large is None or not alone:
            return None
        return large - alone > max(GROWTH * (small - alone), 1)

    def _counted(self, which: Any) -> int | None:
        counted = [(chart.side, chart.input_tokens) for chart in self.images if chart.input_tokens is not None]
        if len({side for side, _ in counted}) < 2:
            return None
        found: int = which(counted)[1]
        return found

    @property
    def sentences(self) -> list[str]:
        """The evidence in words."""
        return list(_sentences(self))

    def record(self) -> dict[str, Any]:
        """It as plain values, to be stored."""
        return {"charts": [asdict(chart) for chart in self.charts], "accepted": self.accepted}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Canary:
        """What was stored."""
        check_record(record, {"charts": [dict], "accepted": bool}, "what a model read before a run")
        charts = (make_record(Chart, chart, "what a model read before a run") for chart in record["charts"])
        return cls(tuple(charts), record["accepted"])


def by_guessing(right: int, letters: int) -> float:
    """The probability of at least so many right letters by guessing: the upper tail of a binomial distribution.

    >>> by_guessing(2, 2), by_guessing(0, 5), round(by_guessing(4, 5), 6)
    (0.010000000000000002, 1.0, 0.00046)
    """
    if right <= 0:
        return 1.0
    p = 1 / CHOICES
    return sum(comb(letters, k) * p**k * (1 - p) ** (letters - k) for k in range(right, letters + 1))


def _faults(canary: Canary) -> Iterator[Fault]:
    """What is wrong with the way, the most telling evidence first; at most one cause but for formats."""
    images = canary.images
    if len(images) > 1 and all(chart.error for chart in images):
        if canary.alone:
            yield Fault.REJECTED
        return
    if _cached(images):
        yield Fault.CACHED
        return
    if formats := list(_formats(canary)):
        yield from formats
        return
    if canary.read:
        if any(_dropped(canary, chart) for chart in images):
            yield Fault.SOME
        return
    if _shrunk(canary):
        yield Fault.SHRUNK
    elif (against := _by_tokens(canary)) is not None:
        yield against
    elif not canary.counts_images and sum(chart.says_none for chart in images) > 1:
        yield Fault.DROPPED


def _cached(images: Sequence[Chart]) -> bool:
    """Whether replies give an earlier chart's letters: all of one, or nearly all of two, which is no chance."""
    repeating = [chart for chart in images if chart.repeats and not chart.read]
    return len(repeating) > 1 or any(chart.repeated == len(chart.repeats) >= 5 for chart in repeating)


def _formats(canary: Canary) -> Iterator[Fault]:
    """A format of which two charts or more were lost while two of the other were read."""
    png = [chart for chart in canary.small if chart.media_type == PNG]
    jpeg = [chart for chart in canary.small if chart.media_type == JPEG]
    for lost, other, fault in ((png, jpeg, Fault.NO_PNG), (jpeg, png, Fault.NO_JPEG)):
        read = [chart for chart in other if chart.read]
        # tokens tell only where the server counts the images of the other format
        tells = all(_added(canary, chart) >= FEWEST_TOKENS for chart in read)
        gone = [chart.lost or (tells and _added(canary, chart) < FEWEST_TOKENS) for chart in lost]
        if len(gone) > 1 and all(gone) and len(read) > 1:
            yield fault


def _dropped(canary: Canary, chart: Chart) -> bool:
    """Whether a chart was not read and is not in the count, though all that were read are; or is denied uncounted."""
    if chart.error or not chart.lost:
        return False
    if _added(canary, chart) == inf:
        return chart.says_none
    of_read = [_added(canary, each) for each in canary.images if each.read]
    return bool(of_read) and _added(canary, chart) < FEWEST_TOKENS <= min(of_read)


def _added(canary: Canary, chart: Chart) -> float:
    """The tokens that an image added to those of the question alone; infinitely many where nobody counted."""
    if canary.alone is None or not canary.alone.input_tokens or chart.input_tokens is None:
        return inf
    return max(chart.input_tokens - canary.alone.input_tokens, chart.image_tokens or 0)


def _shrunk(canary: Canary) -> bool:
    """Whether letters of one size are read in small images alone, or the server says that an image is a few tokens.

    A nearsighted model reads letters of one size equally badly whatever the image. Images that the server counts by
    their size were not shrunk before it.
    """
    stated = [chart.image_tokens for chart in canary.images if chart.image_tokens]
    if len(stated) > 1 and max(stated) < FEWEST_TOKENS:
        return True
    right, of = sum(chart.right for chart in canary.small), sum(len(chart.letters) for chart in canary.small)
    only_close = sum(chart.read for chart in canary.close) >= ENOUGH_CLOSE and right <= 0.2 * of
    return only_close and not canary.grows


def _by_tokens(canary: Canary) -> Fault | None:
    """What the tokens show that the server counted for the question with an image and without."""
    added = canary.added
    if len(added) < 2 or any((chart.image_tokens or 0) >= FEWEST_TOKENS for chart in canary.images):
        return None
    if max(added) < 0:
        return Fault.EMPTIED
    if max(added) == 0:
        return Fault.DROPPED
    flat = max(added) < PLACEHOLDER and canary.grows is False
    return Fault.PLACEHOLDER if max(added) < FEWEST_TOKENS or flat else None


def _sentences(canary: Canary) -> Iterator[str]:
    answered = [chart for chart in canary.small if not chart.error]
    if answered:
        right, of = sum(chart.right for chart in answered), sum(len(chart.letters) for chart in answered)
        luck = f"= {canary.luck:.2g}" if canary.luck >= 0.001 else "< 0.001"
        chance = f" (by guessing: p {luck})" if canary.read else ""
        charts = "1 chart" if len(answered) == 1 else f"{len(answered)} charts"
        yield f"Before the run, {charts} of fresh letters were shown and {right} of {of} letters read{chance}."
    if any(chart.cut_off for chart in canary.charts):
        yield "A response was cut off at the token limit, so no more charts were shown. Is --max-tokens too low?"
    giant = [chart for chart in canary.images if chart.size > LETTER and chart.read]
    if giant and not canary.read:
        yield f"Letters of {giant[0].size} px were read."
    if any(chart.read for chart in canary.close) and not canary.read:
        yield f"Letters of {LETTER} px were read in images of {CLOSE} px, and not in images of {SIDE} px and more."
    yield from _lost(canary)
    if any(chart.repeats and not chart.read for chart in canary.images):
        chart = next(chart for chart in canary.images if chart.repeats and not chart.read)
        yield f"The reply to {chart.letters} gives {chart.repeats}, the letters of an earlier chart."
    if (says := sum(chart.says_none for chart in canary.images)) and (canary.faults or not canary.read):
        yield f"{says} of {len(canary.images)} replies say that there is no image."
    if (added := canary.added) and not canary.read and canary.alone:
        least, most = min(added), max(added)
        span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield (
            f"An image changed the count of input tokens by {span}, from {canary.alone.input_tokens:,} for the "
            "question alone."
        )


def _lost(canary: Canary) -> Iterator[str]:
    """Which charts failed or were not read, where others were."""
    failed = [chart for chart in canary.images if chart.error]
    if failed:
        yield f"{len(failed)} of {len(canary.images)} requests with a chart failed: {failed[0].error}"
    if canary.read:
        unread = dict.fromkeys(chart.name for chart in canary.small if chart.lost and not chart.error)
        if unread:
            yield f"Not read: {'; '.join(unread)}."
