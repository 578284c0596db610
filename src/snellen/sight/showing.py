"""Show a canary's charts to a model and read the responses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random, SystemRandom

from snellen.errors import ModelError, UnusableModelError
from snellen.images import EncodedImage, Image
from snellen.images.letters import SLOAN, LetterChart, PlacedLetter
from snellen.models.base import CUT_OFF, Model, Response, check_sent
from snellen.prompts import PROVIDER_DEFAULTS, Request, Settings
from snellen.prompts.letters import LETTERS_QUESTION
from snellen.reading.letters import LettersRead, read_letters
from snellen.sight.canary import (
    CLOSE,
    ENOUGH_CLOSE,
    GIANT,
    JPEG,
    LARGE,
    LETTER,
    LUCK,
    PNG,
    QUOTED,
    SIDE,
    Canary,
    Chart,
)

SHORT, LONG, THINKING = 512, 4096, 20_000
"""Limits on a response's tokens: the first, the second if that one truncates, and one for studies with reasoning."""
FEWEST = 64
"""The lowest token limit for a chart: a study's limit may suffice for one letter but not for five."""
LETTERS, FEW = 5, 2
"""Letters on a chart, and on a chart that the letters nearly fill."""
DOUBT = 0.05
"""If guessing explains the letters with a probability from LUCK to this, more charts decide."""


async def show_charts(
    model: Model, settings: Settings = PROVIDER_DEFAULTS, *, draw: Random | None = None
) -> Canary | None:
    """Show random letters to a model; return None if every request fails.

    A model that reads all of three charts is shown no more charts, and neither is one whose response is truncated. At
    most nine charts are shown, one after the other. UnusableModelError if no request can succeed, such as with a wrong
    key.
    """
    showing = Showing(model, settings, draw or SystemRandom())
    with suppress(_CutOffError):
        await showing.show_all()
    canary = Canary(tuple(showing.asked))
    return None if all(chart.error for chart in canary.charts) else canary


class _CutOffError(Exception):
    """A response was truncated before all letters were read."""


class Showing:
    """One canary in progress; the results of earlier charts decide which chart comes next."""

    def __init__(self, model: Model, settings: Settings, draw: Random) -> None:
        self._model = model
        effort = settings.reasoning_effort
        limits = [THINKING] if (effort or "none") != "none" else [SHORT, LONG]
        if settings.max_tokens is not None:
            limits = [max(FEWEST, settings.max_tokens)]
        self._settings = [Settings(reasoning_effort=effort, max_tokens=limit) for limit in limits]
        self._draw = draw
        self.asked: list[Chart] = []

    async def show_all(self) -> None:
        """Show every chart that is needed to find out what happens to images."""
        if (first := await self._show()).error:
            await self._show_none()
            if self.asked[-1].error:
                return
        second = await self._show(media_type=JPEG)
        if first.error and second.error:
            return
        third = await self._show(side=LARGE)
        if first.read and second.read and third.read:
            if first.input_tokens and not Canary(tuple(self.asked)).counts_by_size:
                await self._show_none()
            return
        if not first.error:
            await self._show_none()
        await self._one_format_more()
        if LUCK <= Canary(tuple(self.asked)).luck < DOUBT:
            for media_type in (PNG, JPEG, PNG):
                await self._show(media_type=media_type)
            return
        giant = await self._show(size=GIANT)
        if giant.read and not any(chart.read for chart in (first, second, third)):
            for _ in range(ENOUGH_CLOSE):
                if not (await self._show(side=CLOSE)).read:
                    break

    async def _one_format_more(self) -> None:
        """Show more charts of both file formats if only one was read."""
        charts = {kind: [each for each in self.asked if each.side and each.media_type == kind] for kind in (PNG, JPEG)}
        read = {kind: any(each.read for each in of) for kind, of in charts.items()}
        if read[PNG] != read[JPEG]:
            for kind, of in charts.items():
                if len(of) < 2 or (read[kind] and sum(each.read for each in of) < 2):
                    await self._show(media_type=kind)

    async def _show(self, *, size: int = LETTER, side: int = SIDE, media_type: str = PNG) -> Chart:
        count = LETTERS if size == LETTER and side >= SIDE else FEW
        letters = fresh(self._draw, count, [chart.letters for chart in self.asked])
        image = draw_chart(self._draw, letters, size=size, side=side, media_type=media_type)
        return await self._ask(Chart(letters, size, side, media_type), image)

    async def _show_none(self) -> None:
        await self._ask(Chart("", 0, 0, ""))

    async def _ask(self, chart: Chart, *images: EncodedImage) -> Chart:
        try:
            response = await self._answer(images)
            if response.is_empty:
                raise ModelError("The response is empty.")
        except UnusableModelError:
            raise
        except ModelError as error:
            done = Chart(chart.letters, chart.size, chart.side, chart.media_type, error=str(error)[:QUOTED])
        else:
            done = record_response(chart, response, self.asked)
        self.asked.append(done)
        if done.cut_off:
            raise _CutOffError
        return done

    async def _answer(self, images: tuple[EncodedImage, ...]) -> Response:
        """Return the response; if it is truncated, ask again with a higher token limit."""
        while True:
            request = Request(self._model.name, LETTERS_QUESTION, "", images, self._settings[0], self._model.revision)
            response = await self._model.answer(request)
            check_sent(request, response)
            if response.finish.lower() not in CUT_OFF or len(self._settings) == 1:
                return response
            del self._settings[0]


def record_response(chart: Chart, response: Response, earlier: Sequence[Chart]) -> Chart:
    """Return a chart with its response, compared with the charts shown before it."""
    own = read_letters(response.text, [chart.letters])
    others = {each.letters: _right(read_letters(response.text, [each.letters])) for each in earlier if each.letters}
    repeats = max(others, key=others.__getitem__, default="")
    repeated = others.get(repeats, 0)
    if repeated <= _right(own) or repeated < 0.8 * len(repeats):
        repeats, repeated = "", 0
    done = Chart(
        chart.letters,
        chart.size,
        chart.side,
        chart.media_type,
        right=_right(own) if chart.side else 0,
        repeats=repeats,
        repeated=repeated,
        says_none=own.said_no_image,
        input_tokens=response.usage.input_tokens,
        image_tokens=response.usage.image_tokens,
        reply=response.text[:QUOTED],
    )
    return replace(done, cut_off=response.finish.lower() in CUT_OFF and not done.read)


def _right(read: LettersRead) -> int:
    """Count correct letters; 0 if the response names too many letters."""
    return read.right if len(read.named) <= read.n + 2 else 0


def fresh(draw: Random, count: int, earlier: Sequence[str]) -> str:
    """Draw different letters. At most one is in the same position as in an earlier chart."""
    while True:
        letters = "".join(draw.sample(SLOAN, count))
        if all(sum(a == b for a, b in zip(letters, row, strict=False)) < 2 for row in earlier):
            return letters


def draw_chart(draw: Random, letters: str, *, size: int, side: int, media_type: str = PNG) -> EncodedImage:
    """Draw one row of black letters on a white background, at a random position."""
    gap = min(size, (side - len(letters) * size) // (len(letters) + 1))
    width = len(letters) * (size + gap) - gap
    left, top = draw.randint(gap, side - width - gap), draw.randint(gap, side - size - gap)
    placed = tuple(PlacedLetter(letter, left + at * (size + gap), top, size) for at, letter in enumerate(letters))
    chart = LetterChart(side, side, placed)
    if media_type == PNG:
        return Image(chart).encoded()
    import cv2

    _, data = cv2.imencode(".jpg", chart.draw(), [cv2.IMWRITE_JPEG_QUALITY, 95])
    return EncodedImage(data.tobytes(), JPEG, side, side)
