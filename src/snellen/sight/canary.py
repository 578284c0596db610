"""Canary: random letters shown to a model before a run, to check that images arrive.

A "chart" is an image with a row of letters. Three charts are shown first, with letters of 64 px: in a PNG file, in a
JPEG file, and in a larger PNG file. If the model does not read one, it gets the same question without an image, and
giant letters, to find the cause. The letters are drawn anew each time, so no server and no model can know them.
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
"""Sizes of letters in pixels: one that any useful model should read, and one that is very easy to read."""
CLOSE, SIDE, LARGE = 160, 448, 1120
"""Side lengths of images in pixels: one that the letters nearly fill, the usual one, and a large one."""
ENOUGH_CLOSE = 3
"""Charts with image-filling letters that must be read before images are said to be shrunk."""
CHOICES = 10
"""Number of letters that a chart can contain; guessing is right with probability 1/10."""
LUCK = 1e-4
"""Letters count as read if guessing is a less probable explanation than this."""
GROWTH = 1.25
"""Tokens count as constant if they grow by less than this factor. The larger image has six times the pixels."""
QUOTED = 200
"""Characters of each response that are stored."""
PNG, JPEG = "image/png", "image/jpeg"


class Arrival(StrEnum):
    """Conclusion on whether images reach the model."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


class Fault(StrEnum):
    """Faults in the delivery of images."""

    DROPPED = "images are dropped on the way"
    EMPTIED = "the whole message is dropped if it contains an image"
    PLACEHOLDER = "images are replaced by a placeholder on the way"
    SHRUNK = "images are shrunk on the way"
    CACHED = "the server answers for an earlier image (a cache)"
    REJECTED = "requests with an image fail"
    NO_PNG = "PNG images do not arrive, JPEG images do"
    NO_JPEG = "JPEG images do not arrive, PNG images do"
    SOME = "some images are dropped on the way"


@dataclass(frozen=True)
class Chart:
    """One chart (or the same question without an image) and the model's response to it."""

    letters: str
    size: int
    """Height of the letters in pixels; 0 if no image was sent."""
    side: int
    """Side of the image in pixels."""
    media_type: str
    right: int = 0
    repeats: str = ""
    """Letters of an earlier chart, if the response gives those instead of this chart's."""
    repeated: int = 0
    """How many letters of that earlier chart the response gives."""
    says_none: bool = False
    """True if the response says that there is no image."""
    input_tokens: int | None = None
    image_tokens: int | None = None
    error: str = ""
    reply: str = ""
    cut_off: bool = False
    """True if the response was truncated before all letters were read."""

    @property
    def read(self) -> bool:
        """True if the model read at least 80% of the letters."""
        return not self.error and self.right >= 0.8 * len(self.letters) > 0

    @property
    def lost(self) -> bool:
        """True if the request failed or at most 20% of the letters were read."""
        return bool(self.error) or self.right <= 0.2 * len(self.letters)

    @property
    def name(self) -> str:
        """A short description of the chart."""
        if not self.side:
            return "the question alone"
        kind = "JPEG" if self.media_type == JPEG else "PNG"
        return f"letters of {self.size} px in a {kind} image of {self.side} px"


@dataclass(frozen=True)
class Canary:
    """All charts that one model was shown before one run."""

    charts: tuple[Chart, ...]
    accepted: bool = False
    """True if the user chose to ask the model whatever the charts show (--accept-blind)."""

    @property
    def images(self) -> tuple[Chart, ...]:
        """The charts that were sent with an image."""
        return tuple(chart for chart in self.charts if chart.side)

    @property
    def small(self) -> tuple[Chart, ...]:
        """The charts with letters of usual size on images of usual size or larger."""
        return tuple(chart for chart in self.images if chart.size == LETTER and chart.side >= SIDE)

    @property
    def close(self) -> tuple[Chart, ...]:
        """The charts whose letters, of usual size, nearly fill the image."""
        return tuple(chart for chart in self.images if chart.size == LETTER and chart.side < SIDE)

    @property
    def alone(self) -> Chart | None:
        """The response to the question without an image; None if there is none."""
        return next((chart for chart in self.charts if not chart.side and not chart.error), None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Faults in the delivery of images that the responses reveal."""
        return tuple(_faults(self))

    @property
    def luck(self) -> float:
        """Probability of reading this many letters of usual size by guessing."""
        answered = [chart for chart in self.small if not chart.error]
        return by_guessing(sum(chart.right for chart in answered), sum(len(chart.letters) for chart in answered))

    @property
    def read(self) -> bool:
        """True if the model read more letters than guessing explains."""
        return self.luck < LUCK

    @property
    def status(self) -> Arrival:
        """Whether images arrive, as far as the charts show it."""
        if self.faults:
            return Arrival.CONTRADICTED
        return Arrival.CONFIRMED if self.read else Arrival.UNKNOWN

    @property
    def added(self) -> list[int]:
        """Tokens that each image added to the question. Empty if the server does not count them."""
        alone = self.alone.input_tokens if self.alone else None
        counted = (chart.input_tokens for chart in self.images if not chart.error)
        return [] if not alone else [tokens - alone for tokens in counted if tokens is not None]

    @property
    def counts_by_size(self) -> bool:
        """True if the server counts more tokens for some charts than for others."""
        counted = [chart.input_tokens for chart in self.images if chart.input_tokens is not None]
        return len(counted) > 1 and max(counted) - min(counted) >= FEWEST_TOKENS

    @property
    def counts_images(self) -> bool:
        """True if the server's token count includes images."""
        return self.counts_by_size or max(self.added, default=0) >= FEWEST_TOKENS

    @property
    def grows(self) -> bool | None:
        """True if the server counts more tokens for larger images. None if it does not count them."""
        small, large = self._pick_tokens(min), self._pick_tokens(max)
        alone = self.alone.input_tokens if self.alone else None
        if small is None or large is None or not alone:
            return None
        return large - alone > max(GROWTH * (small - alone), 1)

    def _pick_tokens(self, which: Any) -> int | None:
        counted = [(chart.side, chart.input_tokens) for chart in self.images if chart.input_tokens is not None]
        if len({side for side, _ in counted}) < 2:
            return None
        found: int = which(counted)[1]
        return found

    @property
    def sentences(self) -> list[str]:
        """The evidence as sentences."""
        return list(_sentences(self))

    def record(self) -> dict[str, Any]:
        """Return the canary as plain values, to be stored."""
        return {"charts": [asdict(chart) for chart in self.charts], "accepted": self.accepted}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Canary:
        """Make a canary from its stored record."""
        check_record(record, {"charts": [dict], "accepted": bool}, "what a model read before a run")
        charts = (make_record(Chart, chart, "what a model read before a run") for chart in record["charts"])
        return cls(tuple(charts), record["accepted"])


def by_guessing(right: int, letters: int) -> float:
    """Return the binomial probability of at least `right` correct letters by guessing.

    >>> by_guessing(2, 2), by_guessing(0, 5), round(by_guessing(4, 5), 6)
    (0.010000000000000002, 1.0, 0.00046)
    """
    if right <= 0:
        return 1.0
    p = 1 / CHOICES
    return sum(comb(letters, k) * p**k * (1 - p) ** (letters - k) for k in range(right, letters + 1))


def _faults(canary: Canary) -> Iterator[Fault]:
    """Yield the faults in the delivery, strongest evidence first. Only faults of file formats come in pairs."""
    images = canary.images
    if len(images) > 1 and all(chart.error for chart in images):
        if canary.alone:
            yield Fault.REJECTED
        return
    if _is_cached(images):
        yield Fault.CACHED
        return
    if formats := list(_formats(canary)):
        yield from formats
        return
    if canary.read:
        if any(_is_dropped(canary, chart) for chart in images):
            yield Fault.SOME
        return
    if _is_shrunk(canary):
        yield Fault.SHRUNK
    elif (against := _by_tokens(canary)) is not None:
        yield against
    elif not canary.counts_images and sum(chart.says_none for chart in images) > 1:
        yield Fault.DROPPED


def _is_cached(images: Sequence[Chart]) -> bool:
    """Return whether one response gives all letters of an earlier chart, or two nearly all."""
    repeating = [chart for chart in images if chart.repeats and not chart.read]
    return len(repeating) > 1 or any(chart.repeated == len(chart.repeats) >= 5 for chart in repeating)


def _formats(canary: Canary) -> Iterator[Fault]:
    """Yield a fault if two charts of one format were lost and two others read."""
    png = [chart for chart in canary.small if chart.media_type == PNG]
    jpeg = [chart for chart in canary.small if chart.media_type == JPEG]
    for lost, other, fault in ((png, jpeg, Fault.NO_PNG), (jpeg, png, Fault.NO_JPEG)):
        read = [chart for chart in other if chart.read]
        # token counts are evidence only if the server counts the images of the other format
        tells = all(_count_added_tokens(canary, chart) >= FEWEST_TOKENS for chart in read)
        gone = [chart.lost or (tells and _count_added_tokens(canary, chart) < FEWEST_TOKENS) for chart in lost]
        if len(gone) > 1 and all(gone) and len(read) > 1:
            yield fault


def _is_dropped(canary: Canary, chart: Chart) -> bool:
    """Return whether an unread image is missing from the token count, unlike those read.

    Without token counts, return whether the response says that there is no image.
    """
    if chart.error or not chart.lost:
        return False
    if _count_added_tokens(canary, chart) == inf:
        return chart.says_none
    of_read = [_count_added_tokens(canary, each) for each in canary.images if each.read]
    return bool(of_read) and _count_added_tokens(canary, chart) < FEWEST_TOKENS <= min(of_read)


def _count_added_tokens(canary: Canary, chart: Chart) -> float:
    """Return the tokens that an image added to the question. Infinite if the server does not count tokens."""
    if canary.alone is None or not canary.alone.input_tokens or chart.input_tokens is None:
        return inf
    return max(chart.input_tokens - canary.alone.input_tokens, chart.image_tokens or 0)


def _is_shrunk(canary: Canary) -> bool:
    """Return whether images seem to be shrunk before they reach the model.

    Then letters are read in small images only, or the server says that images have few tokens. A nearsighted model
    reads letters of one size equally badly in every image. If the server counts more tokens for larger images, they
    were not shrunk on the way.
    """
    stated = [chart.image_tokens for chart in canary.images if chart.image_tokens]
    if len(stated) > 1 and max(stated) < FEWEST_TOKENS:
        return True
    right, of = sum(chart.right for chart in canary.small), sum(len(chart.letters) for chart in canary.small)
    only_close = sum(chart.read for chart in canary.close) >= ENOUGH_CLOSE and right <= 0.2 * of
    return only_close and not canary.grows


def _by_tokens(canary: Canary) -> Fault | None:
    """Return the fault that token counts with and without an image show. None if they show none."""
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
        chance = f" (p {luck} by guessing)" if canary.read else ""
        charts = "1 chart" if len(answered) == 1 else f"{len(answered)} charts"
        yield f"Before the run, {charts} of fresh letters were shown and {right} of {of} letters read{chance}."
    if any(chart.cut_off for chart in canary.charts):
        yield "A response was cut off at the token limit, so no more charts were shown. Is --max-tokens too low?"
    giant = [chart for chart in canary.images if chart.size > LETTER and chart.read]
    if giant and not canary.read:
        yield f"Letters of {giant[0].size} px were read."
    if any(chart.read for chart in canary.close) and not canary.read:
        yield f"Letters of {LETTER} px were read in images of {CLOSE} px, and not in images of {SIDE} px and more."
    yield from _describe_lost(canary)
    if chart := next((chart for chart in canary.images if chart.repeats and not chart.read), None):
        yield f"The response to {chart.letters} gives {chart.repeats}, the letters of an earlier chart."
    if (says := sum(chart.says_none for chart in canary.images)) and (canary.faults or not canary.read):
        yield f"{says} of {len(canary.images)} responses say that there is no image."
    if (added := canary.added) and not canary.read and canary.alone:
        least, most = min(added), max(added)
        span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield (
            f"An image changed the count of input tokens by {span}, from {canary.alone.input_tokens:,} for the "
            "question alone."
        )


def _describe_lost(canary: Canary) -> Iterator[str]:
    """Yield sentences on failed charts, and on unread ones if others were read."""
    failed = [chart for chart in canary.images if chart.error]
    if failed:
        yield f"{len(failed)} of {len(canary.images)} requests with a chart failed: {failed[0].error}"
    if canary.read:
        unread = dict.fromkeys(chart.name for chart in canary.small if chart.lost and not chart.error)
        if unread:
            yield f"Not read: {'; '.join(unread)}."
